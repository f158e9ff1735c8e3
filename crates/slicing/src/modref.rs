//! What a piece of code may write (`WritesLiveVarBetween` of Bergan's figure 3.3).
//!
//! Sound and coarse: built on [`crate::provenance`], with one summary per function in terms of its parameters. A write
//! through an address that came from memory or from a call may hit every object whose own address has escaped.
//!
//! Reading an input counts as a write, too ([`READS_INPUT`]): inputs of one name are told apart by how many were read
//! before.

mod writes;

use fixedbitset::FixedBitSet;
use icsched_ir::{
    Callee, CastOp, Const, EntityId, FuncId, GlobalId, IdVec, Inst, Intrinsic, Op, Operand, Program, ProgramPoint,
    ValueId,
};

use crate::control::Control;
use crate::provenance::{Base, FunctionProvenance, Provenance, returned};

pub use writes::{READS_INPUT, Write, Writes};

impl Writes {
    fn add_name(&mut self, name: &Provenance) -> bool {
        let unknown = name.bases().is_empty().then_some(Base::Unknown);
        let mut grew = false;
        for base in name.bases().iter().copied().chain(unknown) {
            grew |= self.add(Write { base, range: Some(READS_INPUT) });
        }
        grew
    }

    fn add_through(&mut self, address: &Provenance, range: Option<(i64, u64)>) -> bool {
        if range == Some(READS_INPUT) {
            return self.add_name(address);
        }
        if address.bases().is_empty() {
            return self.add(Write { base: Base::Unknown, range: None });
        }
        let range = address.offset().zip(range).map(|(offset, (start, len))| (offset.wrapping_add(start), len));
        let mut grew = false;
        for &base in address.bases() {
            let range = if base == Base::Unknown { None } else { range };
            grew |= self.add(Write { base, range });
        }
        grew
    }
}

/// Mod summaries, provenance and escape of a whole program.
#[derive(Debug)]
pub struct ModRef {
    provenance: IdVec<FuncId, FunctionProvenance>,
    summaries: IdVec<FuncId, Writes>,
    /// Per function, the parameters whose value may outlive the call or be reached through memory.
    leaked_params: IdVec<FuncId, FixedBitSet>,
    escaped_globals: FixedBitSet,
    escaped_allocas: IdVec<FuncId, FixedBitSet>,
}

impl ModRef {
    /// Analyses the program: provenance per function, then summaries bottom-up over the call graph until stable.
    pub fn new(program: &Program, control: &Control) -> Self {
        let functions = || program.functions.values();
        let mut this = Self {
            provenance: functions().map(FunctionProvenance::new).collect(),
            summaries: functions().map(|_| Writes::default()).collect(),
            leaked_params: functions().map(|f| FixedBitSet::with_capacity(f.params.len())).collect(),
            escaped_globals: FixedBitSet::with_capacity(program.globals.len()),
            escaped_allocas: functions().map(|f| FixedBitSet::with_capacity(f.values.len())).collect(),
        };
        for component in control.calls.components() {
            loop {
                let mut grew = false;
                for &func in component {
                    grew |= this.summarise(program, control, func);
                }
                if !grew {
                    break;
                }
            }
        }
        for relocation in program.globals.values().flat_map(|g| &g.relocations) {
            if let Const::Global { global, .. } = relocation.value {
                this.escaped_globals.insert(global.index());
            }
        }
        // Parameters leak bottom-up, so one more pass over all functions sees every leak of globals and allocas.
        for func in program.functions.ids() {
            this.leaks(program, func);
        }
        this
    }

    /// What a value of `func` may be derived from.
    pub fn provenance(&self, func: FuncId, operand: Operand) -> Provenance {
        self.provenance[func].operand(operand)
    }

    /// What a name of an input may be derived from. Functions that put one together (`open(PATH)`) return one of
    /// their arguments: what is passed counts, and a buffer beside a name holds that name with more behind.
    pub fn name(&self, program: &Program, func: FuncId, operand: Operand) -> Provenance {
        let direct = self.provenance(func, operand);
        let calls = program.functions[func].blocks.values().flat_map(|b| &b.insts);
        let made = operand.value().and_then(|v| calls.into_iter().find(|i| i.results.first() == Some(&v)));
        let Some(Op::Call { callee: Callee::Direct(f), args }) = made.map(|i| &i.op) else { return direct };
        let returns = program.functions[*f].blocks.values().flat_map(|b| returned(&b.terminator).first());
        let mut bases = Vec::new();
        for &value in returns {
            for base in self.provenance(*f, value).bases() {
                match base {
                    Base::Param(n) => bases.extend(args.get(*n as usize).map(|&arg| self.provenance(func, arg))),
                    Base::Global(_) | Base::Alloca(_) | Base::Unknown => return direct,
                }
            }
        }
        let is_buffer = |p: &Provenance| matches!(p.bases(), [Base::Alloca(_)]);
        let named: Vec<Base> = bases.iter().filter(|p| !is_buffer(p)).flat_map(|p| p.bases()).copied().collect();
        if named.is_empty() { direct } else { Provenance::any(named) }
    }

    /// Whether a global may be reached through a pointer of unknown origin.
    pub fn global_escapes(&self, global: GlobalId) -> bool {
        self.escaped_globals.contains(global.index())
    }

    /// Whether a stack object may be reached through a pointer of unknown origin.
    pub fn alloca_escapes(&self, func: FuncId, alloca: ValueId) -> bool {
        self.escaped_allocas[func].contains(alloca.index())
    }

    /// Adds what the instruction at a point may write.
    pub fn add_writes(
        &self,
        program: &Program,
        control: &Control,
        at: ProgramPoint,
        inst: &Inst,
        to: &mut Writes,
    ) -> bool {
        let func = at.func;
        let through = |to: &mut Writes, address: Operand, len: Option<u64>| {
            to.add_through(&self.provenance(func, address), len.map(|l| (0, l)))
        };
        let bytes_of = |operand: Operand| Some(u64::from(program.functions[func].type_of(operand).bytes()));
        match &inst.op {
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                through(to, *address, bytes_of(*value))
            }
            Op::CompareExchange { address, new, .. } => through(to, *address, bytes_of(*new)),
            Op::MemCopy { to: address, bytes, .. } | Op::MemSet { to: address, bytes, .. } => {
                through(to, *address, constant(*bytes))
            }
            Op::VaStart { list } => through(to, *list, None),
            Op::VaCopy { to: list, .. } => through(to, *list, None),
            Op::Call { callee, args } => self.add_call(program, control, at, callee, args, to),
            Op::Unsupported { .. } => to.add(Write { base: Base::Unknown, range: None }),
            _ => false,
        }
    }

    fn add_call(
        &self,
        program: &Program,
        control: &Control,
        at: ProgramPoint,
        callee: &Callee,
        args: &[Operand],
        to: &mut Writes,
    ) -> bool {
        let func = at.func;
        match callee {
            Callee::Intrinsic(i) => {
                let named = i.input_name().is_some_and(|at| to.add_name(&self.name(program, func, args[at])));
                let written = i.written_argument();
                written.is_some_and(|(at, _)| to.add_through(&self.provenance(func, args[at]), None)) || named
            }
            Callee::Direct(f) => self.add_summary(program, func, *f, args, to),
            Callee::Indirect(_) => {
                let mut grew = false;
                for &f in control.indirect_targets(program, at, args.len()).iter() {
                    grew |= self.add_summary(program, func, f, args, to);
                }
                grew
            }
        }
    }

    fn add_summary(
        &self,
        program: &Program,
        caller: FuncId,
        callee: FuncId,
        args: &[Operand],
        to: &mut Writes,
    ) -> bool {
        if program.functions[callee].is_declaration() {
            let named = to.add(Write { base: Base::Unknown, range: Some(READS_INPUT) });
            return to.add(Write { base: Base::Unknown, range: None }) || named;
        }
        // The callee's own locals are gone when it returns.
        let is_the_same_here = |base: Base| matches!(base, Base::Global(_) | Base::Unknown);
        let mut grew = to.add_bases_of(&self.summaries[callee], is_the_same_here);
        for (n, range) in self.summaries[callee].of_params() {
            grew |= match args.get(n as usize) {
                Some(&arg) => to.add_through(&self.provenance(caller, arg), range),
                None => to.add(Write { base: Base::Unknown, range: None }),
            };
        }
        grew
    }

    fn summarise(&mut self, program: &Program, control: &Control, func: FuncId) -> bool {
        let mut writes = self.summaries[func].clone();
        let mut grew = false;
        for (block, body) in program.functions[func].blocks.iter() {
            for (at, inst) in (0..).zip(&body.insts) {
                let at = ProgramPoint { func, block, inst: at };
                grew |= self.add_writes(program, control, at, inst, &mut writes);
            }
        }
        self.summaries[func] = writes;
        grew | self.leaks(program, func)
    }

    /// Records every address of `func` that is stored, returned or passed to where it may be kept.
    fn leaks(&mut self, program: &Program, func: FuncId) -> bool {
        let function = &program.functions[func];
        let mut leaked: Vec<Operand> = Vec::new();
        for block in function.blocks.values() {
            for inst in &block.insts {
                self.leaked_operands(program, &inst.op, &mut leaked);
            }
            leaked.extend(returned(&block.terminator));
        }
        let mut grew = false;
        for operand in leaked {
            for &base in self.provenance(func, operand).bases() {
                grew |= match base {
                    Base::Global(g) => !self.escaped_globals.put(g.index()),
                    Base::Alloca(v) => !self.escaped_allocas[func].put(v.index()),
                    Base::Param(n) => !self.leaked_params[func].put(n as usize),
                    Base::Unknown => false,
                };
            }
        }
        grew
    }

    fn leaked_operands(&self, program: &Program, op: &Op, leaked: &mut Vec<Operand>) {
        match op {
            Op::Store { value, .. } | Op::AtomicRmw { value, .. } => leaked.push(*value),
            // Put together again from pieces, an address would come from nowhere.
            Op::Cast { op: CastOp::Trunc, a } => leaked.push(*a),
            Op::CompareExchange { new, expected, .. } => leaked.extend([*new, *expected]),
            Op::Call { callee: Callee::Intrinsic(Intrinsic::ThreadCreate), args } => leaked.push(args[1]),
            Op::Call { callee: Callee::Intrinsic(_), .. } => {}
            Op::Call { callee: Callee::Indirect(_), args } => leaked.extend(args),
            Op::Call { callee: Callee::Direct(f), args } => {
                let callee = &program.functions[*f];
                for (at, &arg) in args.iter().enumerate() {
                    let kept =
                        callee.is_declaration() || at >= callee.params.len() || self.leaked_params[*f].contains(at);
                    if kept {
                        leaked.push(arg);
                    }
                }
            }
            _ => {}
        }
    }
}

fn constant(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Const(Const::Bits { bits, .. }) => Some(bits),
        Operand::Const(Const::Global { .. } | Const::Func(_) | Const::Block { .. } | Const::Undef(_))
        | Operand::Value(_) => None,
    }
}

//! Folds what cannot happen in this program: sparse conditional constant propagation over the whole program
//! (Wegman and Zadeck 1991, made interprocedural for control flow).
//!
//! Models contain code for what a given program never asks for: the concrete domain's output, cancellation, exit
//! handlers. It hangs on flags that are never set. Left in, it would make `exit` look as if it might synchronise.
//!
//! Functions that fail only because of what never happens have one result, and so do those that call them: `while
//! (sem_wait(&s) == -1 && errno == EINTR)` is no loop where no signal is sent.
//!
//! Deviations from the paper: function parameters are unknown; a call's results are what the returns of its function
//! that are reached give, if it is called by name, and returns once (not as `setjmp`); a global variable has a
//! lattice value if it is only ever loaded and stored whole, by name, and not volatile, atomic or thread-local.
//! Everything is optimistic: a block, a function or a store exists only once it is reached. Work grows with
//! instructions times rounds, and there are as many rounds as the longest chain of such discoveries.

use fixedbitset::FixedBitSet;
use icsched_dataflow::Statics;
use icsched_ir::{
    BinOp, Callee, Const, Edge, EntityId, FuncId, Function, GlobalId, IdVec, Inst, Intrinsic, Op, Operand, Program,
    Terminator, Type, ValueId,
};
use icsched_machine::arith;
use icsched_machine::step::{exit_function, is_set_at_start};
use icsched_pointsto::{Interrupted, ModRef, Options, PointsTo};
use smallvec::SmallVec;

use crate::mutex_kinds::{self, Kind};

/// The program without what constants alone tell that it never does, and its points-to analysis.
///
/// # Errors
/// If the analysis is to end first.
pub fn without_points_to(
    program: &Program,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Program, PointsTo), Interrupted> {
    let special = specialise(program);
    let points_to = PointsTo::new(&special, &Options { interrupted, ..Default::default() })?;
    Ok((special, points_to))
}

/// The program without what it never does, such as cancelling threads, and its points-to analysis; points stay what
/// they were. It starts with `main`, so what holds there from the beginning holds everywhere.
///
/// # Errors
/// If the analysis is to end first.
pub fn from_main(program: &Program, interrupted: &dyn Fn() -> bool) -> Result<(Program, PointsTo), Interrupted> {
    let solve = |program: &Program| PointsTo::new(program, &Options { interrupted, ..Default::default() });
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let fold = |program: &Program| {
        let special = specialise(program);
        let points_to = solve(&special)?;
        let (_, folded) = Statics::assuming(&ModRef::new(&special, &points_to, &harmless), &specialise, interrupted)?;
        let points_to = solve(&folded)?;
        Ok((folded, points_to))
    };
    // As long as all mutexes are of a kind, the program does no more than this; so if nothing of it makes one that is
    // not, all of them always are.
    for kind in [Kind::Plain, Kind::NotRobust] {
        let mut told = program.clone();
        mutex_kinds::tell_models(&mut told, kind);
        let (folded, points_to) = fold(&told)?;
        if mutex_kinds::are_all(&ModRef::new(&folded, &points_to, &harmless), kind) {
            return Ok((folded, points_to));
        }
    }
    fold(program)
}

/// The lattice of one value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Lattice {
    /// Nothing is known to reach here yet.
    Unreached,
    /// Always these bits.
    Constant(u64),
    /// Anything.
    Varying,
}

impl Lattice {
    fn join(self, other: Lattice) -> Lattice {
        match (self, other) {
            (Lattice::Unreached, x) | (x, Lattice::Unreached) => x,
            (Lattice::Constant(a), Lattice::Constant(b)) if a == b => self,
            (Lattice::Constant(_) | Lattice::Varying, Lattice::Constant(_) | Lattice::Varying) => Lattice::Varying,
        }
    }
}

/// The program without code that cannot run: branches on constants become jumps, blocks and functions that are never
/// reached become empty. Ids stay what they were.
pub fn specialise(program: &Program) -> Program {
    let mut analysis = Analysis::new(program);
    while analysis.round() {}
    let mut result = program.clone();
    for (id, function) in result.functions.iter_mut() {
        if !analysis.reached.contains(id.index()) {
            function.blocks = IdVec::new();
            continue;
        }
        let facts = &analysis.functions[id];
        for (block, body) in function.blocks.iter_mut() {
            if !facts.reached.contains(block.index()) {
                body.insts.clear();
                body.terminator = Terminator::Unreachable;
            } else if let Some(edge) = facts.only_edge(&body.terminator) {
                body.terminator = Terminator::Jump(edge);
            }
        }
    }
    result
}

#[derive(Clone)]
struct FunctionFacts {
    values: IdVec<ValueId, Lattice>,
    reached: FixedBitSet,
}

impl FunctionFacts {
    fn operand(&self, operand: Operand) -> Lattice {
        match operand {
            Operand::Value(v) => self.values[v],
            Operand::Const(Const::Bits { bits, .. }) => Lattice::Constant(bits),
            Operand::Const(Const::Global { .. } | Const::Func(_) | Const::Block { .. } | Const::Undef(_)) => {
                Lattice::Varying
            }
        }
    }

    /// The one way a branch goes.
    fn only_edge(&self, terminator: &Terminator) -> Option<Edge> {
        let Terminator::Branch { condition, then_edge, else_edge } = terminator else { return None };
        match self.operand(*condition) {
            Lattice::Constant(bits) => Some(if bits & 1 == 1 { then_edge } else { else_edge }.clone()),
            Lattice::Unreached | Lattice::Varying => None,
        }
    }
}

struct Analysis<'p> {
    program: &'p Program,
    functions: IdVec<FuncId, FunctionFacts>,
    reached: FixedBitSet,
    /// What functions return, by number of the result.
    results: IdVec<FuncId, SmallVec<[Lattice; 1]>>,
    globals: IdVec<GlobalId, Lattice>,
    global_used: FixedBitSet,
    changed: bool,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program) -> Self {
        let facts = |f: &Function| FunctionFacts {
            values: IdVec::filled(Lattice::Unreached, f.values.len()),
            reached: FixedBitSet::with_capacity(f.blocks.len()),
        };
        let mut this = Self {
            program,
            functions: program.functions.values().map(facts).collect(),
            reached: FixedBitSet::with_capacity(program.functions.len()),
            results: program.functions.values().map(first_results).collect(),
            globals: IdVec::filled(Lattice::Unreached, program.globals.len()),
            global_used: FixedBitSet::with_capacity(program.globals.len()),
            changed: false,
        };
        let plain = plain_globals(program);
        for (id, _) in program.globals.iter() {
            this.globals[id] = plain[id].map_or(Lattice::Varying, |ty| initial_value(program, id, ty));
        }
        let roots = program.main.iter().chain(&program.constructors).chain(&program.destructors).copied();
        roots.chain(exit_function(program)).for_each(|f| this.reach(f));
        this
    }

    fn reach(&mut self, func: FuncId) {
        if !self.reached.put(func.index()) {
            self.changed = true;
            let function = &self.program.functions[func];
            let facts = &mut self.functions[func];
            function.params.iter().for_each(|&p| facts.values[p] = Lattice::Varying);
            if !function.is_declaration() {
                facts.reached.insert(0);
            }
        }
    }

    /// A function whose address is mentioned may be called; a global's initial value mentions what it holds.
    fn mention(&mut self, operand: Operand) {
        match operand {
            Operand::Const(Const::Func(f)) => self.reach(f),
            Operand::Const(Const::Global { global, .. }) => {
                if !self.global_used.put(global.index()) {
                    self.changed = true;
                    let program = self.program;
                    program.globals[global].relocations.iter().for_each(|r| self.mention(r.value.into()));
                }
            }
            Operand::Const(Const::Bits { .. } | Const::Block { .. } | Const::Undef(_)) | Operand::Value(_) => {}
        }
    }

    fn round(&mut self) -> bool {
        self.changed = false;
        let program = self.program;
        for (id, function) in program.functions.iter() {
            if !self.reached.contains(id.index()) {
                continue;
            }
            for (block, body) in function.blocks.iter() {
                if !self.functions[id].reached.contains(block.index()) {
                    continue;
                }
                for inst in &body.insts {
                    self.inst(id, function, inst);
                }
                body.terminator.for_each_operand(|o| self.mention(o));
                self.terminator(id, function, &body.terminator);
            }
        }
        self.changed
    }

    fn inst(&mut self, func: FuncId, function: &Function, inst: &Inst) {
        inst.op.for_each_operand(|o| self.mention(o));
        match &inst.op {
            Op::Call { callee: Callee::Direct(f), .. } => self.reach(*f),
            Op::Store { address: Operand::Const(Const::Global { global, .. }), value, .. } => {
                let joined = self.globals[*global].join(self.functions[func].operand(*value));
                if joined != self.globals[*global] {
                    self.globals[*global] = joined;
                    self.changed = true;
                }
            }
            _ => {}
        }
        for (at, &result) in inst.results.iter().enumerate() {
            let value = match &inst.op {
                Op::Call { callee: Callee::Direct(f), .. } => self.result(*f, at, function.values[result].ty),
                op => self.evaluate(func, function, op, function.values[result].ty),
            };
            self.raise(func, result, value);
        }
    }

    /// What a function that is called by name returns; anything if the call wants something else.
    fn result(&self, func: FuncId, at: usize, ty: Type) -> Lattice {
        let function = &self.program.functions[func];
        if function.is_declaration() || function.results.get(at) != Some(&ty) {
            return Lattice::Varying;
        }
        self.results[func][at]
    }

    fn returns(&mut self, func: FuncId, values: &[Operand]) {
        for (at, &value) in values.iter().enumerate() {
            let value = self.functions[func].operand(value);
            let Some(result) = self.results[func].get_mut(at) else { continue };
            let joined = result.join(value);
            self.changed |= joined != *result;
            *result = joined;
        }
    }

    fn raise(&mut self, func: FuncId, value: ValueId, by: Lattice) {
        let slot = &mut self.functions[func].values[value];
        let joined = slot.join(by);
        if joined != *slot {
            *slot = joined;
            self.changed = true;
        }
    }

    fn evaluate(&self, func: FuncId, function: &Function, op: &Op, ty: Type) -> Lattice {
        let facts = &self.functions[func];
        let type_of = |o: Operand| match o {
            Operand::Value(v) => function.values[v].ty,
            Operand::Const(c) => c.ty(),
        };
        let both =
            |a: Operand, b: Operand, f: &dyn Fn(u64, u64) -> Option<u64>| match (facts.operand(a), facts.operand(b)) {
                (Lattice::Unreached, _) | (_, Lattice::Unreached) => Lattice::Unreached,
                (Lattice::Constant(a), Lattice::Constant(b)) => f(a, b).map_or(Lattice::Varying, Lattice::Constant),
                (Lattice::Varying, _) | (_, Lattice::Varying) => Lattice::Varying,
            };
        match op {
            Op::Call { callee: Callee::Intrinsic(Intrinsic::IsSymbolicDomain), .. } => Lattice::Constant(1),
            // Searches ask for what text gives. Who looks at its bytes runs the program as it was loaded.
            Op::Call { callee: Callee::Intrinsic(Intrinsic::IsExact), .. } => Lattice::Constant(0),
            Op::Load { address: Operand::Const(Const::Global { global, .. }), .. } => self.globals[*global],
            Op::IntCompare { predicate, a, b } => {
                both(*a, *b, &|x, y| Some(u64::from(arith::int_compare(*predicate, type_of(*a), x, y))))
            }
            Op::Binary { op: BinOp::And, a, b, .. }
                if [(a, b), (b, a)].iter().any(|(zero, other)| {
                    facts.operand(**zero) == Lattice::Constant(0) && facts.operand(**other) == Lattice::Varying
                }) =>
            {
                Lattice::Constant(0)
            }
            Op::Binary { op, a, b, .. } => both(*a, *b, &|x, y| arith::binary(*op, ty, x, y).ok()),
            Op::Address { base, offset, indices } if indices.is_empty() => {
                both(*base, *base, &|x, _| Some(x.wrapping_add_signed(*offset)))
            }
            Op::Cast { op, a } => both(*a, *a, &|x, _| Some(arith::cast(*op, type_of(*a), ty, x))),
            Op::Select { condition, a, b } => match facts.operand(*condition) {
                Lattice::Unreached => Lattice::Unreached,
                Lattice::Constant(c) => facts.operand(if c & 1 == 1 { *a } else { *b }),
                Lattice::Varying => facts.operand(*a).join(facts.operand(*b)),
            },
            _ => Lattice::Varying,
        }
    }

    fn terminator(&mut self, func: FuncId, function: &Function, terminator: &Terminator) {
        match terminator {
            Terminator::Branch { condition, .. } if self.functions[func].operand(*condition) == Lattice::Unreached => {
                return;
            }
            Terminator::Return(values) => self.returns(func, values),
            _ => {}
        }
        match self.functions[func].only_edge(terminator) {
            Some(edge) => self.follow(func, function, &edge),
            None => terminator.edges().for_each(|edge| self.follow(func, function, edge)),
        }
    }

    fn follow(&mut self, func: FuncId, function: &Function, edge: &Edge) {
        if !self.functions[func].reached.put(edge.target.index()) {
            self.changed = true;
        }
        for (&param, &arg) in function.blocks[edge.target].params.iter().zip(&edge.args) {
            let value = self.functions[func].operand(arg);
            self.raise(func, param, value);
        }
    }
}

/// What a function returns before any of its returns is reached: anything if calls of it return a second time, with
/// what was handed to `longjmp`.
fn first_results(function: &Function) -> SmallVec<[Lattice; 1]> {
    let saves = |inst: &Inst| matches!(inst.op, Op::Call { callee: Callee::Intrinsic(Intrinsic::SaveContext), .. });
    let is_again = function.blocks.values().flat_map(|block| &block.insts).any(saves);
    let first = if is_again { Lattice::Varying } else { Lattice::Unreached };
    SmallVec::from_elem(first, function.results.len())
}

/// Globals that are only loaded and stored whole, by name, with one type: that type.
fn plain_globals(program: &Program) -> IdVec<GlobalId, Option<Type>> {
    let mut types: IdVec<GlobalId, Option<Type>> = IdVec::filled(None, program.globals.len());
    let mut spoiled = FixedBitSet::with_capacity(program.globals.len());
    for relocation in program.globals.values().flat_map(|g| &g.relocations) {
        spoil(&mut spoiled, relocation.value.into());
    }
    for function in program.functions.values() {
        let type_of = |o: Operand| match o {
            Operand::Value(v) => function.values[v].ty,
            Operand::Const(c) => c.ty(),
        };
        for block in function.blocks.values() {
            for inst in &block.insts {
                let access = match &inst.op {
                    Op::Load { address, access } => Some((*address, access, function.values[inst.results[0]].ty)),
                    Op::Store { address, value, access } => {
                        spoil(&mut spoiled, *value);
                        Some((*address, access, type_of(*value)))
                    }
                    _ => None,
                };
                match access {
                    Some((Operand::Const(Const::Global { global, offset: 0 }), access, ty))
                        if !access.volatile
                            && access.atomic.is_none()
                            && types[global].is_none_or(|t| t == ty)
                            && u64::from(ty.bytes()) == program.globals[global].size =>
                    {
                        types[global] = Some(ty);
                    }
                    Some((address, ..)) => spoil(&mut spoiled, address),
                    None => inst.op.for_each_operand(|o| spoil(&mut spoiled, o)),
                }
            }
            block.terminator.for_each_operand(|o| spoil(&mut spoiled, o));
        }
    }
    for (id, global) in program.globals.iter() {
        let set_elsewhere = global.thread_local || global.external || is_set_at_start(global.library_name());
        if spoiled.contains(id.index()) || set_elsewhere {
            types[id] = None;
        }
    }
    types
}

fn spoil(spoiled: &mut FixedBitSet, operand: Operand) {
    if let Operand::Const(Const::Global { global, .. }) = operand {
        spoiled.insert(global.index());
    }
}

fn initial_value(program: &Program, global: GlobalId, ty: Type) -> Lattice {
    let global = &program.globals[global];
    if !global.relocations.is_empty() {
        return Lattice::Varying;
    }
    let mut bytes = [0u8; 8];
    let known = global.data.len().min(ty.bytes() as usize);
    bytes[..known].copy_from_slice(&global.data[..known]);
    Lattice::Constant(u64::from_le_bytes(bytes) & ty.mask())
}

//! Inline assembly: straight-line code of common integer instructions, executed operand by operand.
//!
//! A template (AT&T syntax) is split into instructions, each of which computes on a table of 64-bit registers: one per
//! operand, shared by operands that name the same register or are tied. What is not understood exactly (jumps, vector
//! registers, addresses computed in the template) leaves the whole call unlowered.

use icsched_ir::{Access, Callee, CastOp, Const, Intrinsic, Op, Operand, Type};
use rustc_hash::FxHashMap;

use super::error::Reason;
use super::function::Body;
use super::shape::Operands;
use super::wide::constant;
use crate::llvm::{Kind, Val};

/// Where an operand of a template lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The register of this number.
    Register(usize),
    /// Memory at this address; the type is what the source says is there.
    Memory(Operand, Type),
    /// A number.
    Immediate(Operand),
}

/// The state of executing one template.
#[derive(Default)]
pub(super) struct Machine {
    /// Operands in the order of their numbers.
    pub(super) places: Vec<Place>,
    /// The widths that the source gives them, in bits.
    pub(super) widths: Vec<u32>,
    /// Values of the registers; `None` before the first write.
    pub(super) registers: Vec<Option<Operand>>,
    /// Registers with a name: `ax`.
    pub(super) named: FxHashMap<String, usize>,
    /// The carry and zero flags, if an instruction defined them.
    pub(super) carry: Option<Operand>,
    pub(super) zero: Option<Operand>,
}

impl Machine {
    fn register(&mut self, name: Option<&str>) -> usize {
        if let Some(&known) = name.and_then(|name| self.named.get(name)) {
            return known;
        }
        self.registers.push(None);
        let number = self.registers.len() - 1;
        if let Some(name) = name {
            self.named.insert(name.to_owned(), number);
        }
        number
    }
}

/// The reason for whatever is not understood.
pub(super) fn refused() -> Reason {
    Reason::from("inline assembly")
}

impl<'m> Body<'_, 'm> {
    /// Lowers a call of inline assembly.
    pub(crate) fn lower_assembly(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let (template, constraints) = inst.callee().asm_text();
        let template = normalise(&template);
        if is_pause(&template) {
            self.emit_void(Op::Call { callee: Callee::Intrinsic(Intrinsic::Pause), args: Vec::new() });
            return Ok(Operands::new());
        }
        // What was emitted for a template that is then refused is taken back.
        let (values, insts) = (self.function.values.len(), self.function.blocks[self.block].insts.len());
        let lowered = self.execute_template(inst, &template, &constraints);
        if lowered.is_err() {
            self.function.values.truncate(values);
            self.function.blocks[self.block].insts.truncate(insts);
        }
        lowered
    }

    fn execute_template(&mut self, inst: Val<'m>, template: &str, constraints: &str) -> Result<Operands, Reason> {
        let mut machine = Machine::default();
        let outputs = self.bind_operands(inst, constraints, &mut machine)?;
        // `lock; xaddl` is one instruction in two statements.
        let mut prefix = String::new();
        for line in template.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
            prefix.push_str(line);
            if matches!(line, "lock" | "rep") {
                prefix.push(' ');
                continue;
            }
            self.execute_line(&mut machine, &prefix)?;
            prefix.clear();
        }
        if !prefix.is_empty() {
            return Err(refused());
        }
        self.set_flag_outputs(&mut machine);
        let shape = self.check(inst.ty())?;
        if outputs.len() != shape.leaves.len() {
            return Err(refused());
        }
        let types: Vec<Type> = shape.types().collect();
        outputs
            .into_iter()
            .zip(types)
            .map(|(register, ty)| {
                let value = match machine.registers[register] {
                    Some(value) => value,
                    // Code that wrote it was not understood; without code it is whatever it was.
                    None if !template.is_empty() => return Err(refused()),
                    None => Operand::Const(Const::Undef(Type::Int(64))),
                };
                let narrow = Type::Int(u8::try_from(ty.bits()).expect("a scalar has at most 64 bits"));
                let cut = self.cut_limb(value, narrow);
                Ok(self.cast(CastOp::Bitcast, cut, ty))
            })
            .collect()
    }

    /// Outputs that are conditions, not registers.
    fn set_flag_outputs(&mut self, machine: &mut Machine) {
        for (name, flag, inverted) in [
            ("@ccz", machine.zero, false),
            ("@cce", machine.zero, false),
            ("@ccnz", machine.zero, true),
            ("@ccne", machine.zero, true),
            ("@ccc", machine.carry, false),
            ("@ccb", machine.carry, false),
            ("@ccnc", machine.carry, true),
            ("@ccae", machine.carry, true),
        ] {
            if let (Some(&register), Some(flag)) = (machine.named.get(name), flag) {
                let one = constant(Type::Int(1), u64::from(inverted));
                let flag = self.fold_binary(Type::Int(1), icsched_ir::BinOp::Xor, flag, one);
                machine.registers[register] = Some(self.widen(flag, false));
            }
        }
    }

    /// Gives each operand its place; the result is the registers of the outputs.
    fn bind_operands(&mut self, inst: Val<'m>, constraints: &str, machine: &mut Machine) -> Result<Vec<usize>, Reason> {
        let mut args = inst.call_args().into_iter().zip(0_u32..);
        let mut outputs = Vec::new();
        let results: Vec<Type> = self.check(inst.ty())?.types().collect();
        for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')) {
            let is_output = constraint.starts_with('=');
            let text = constraint.trim_start_matches(['=', '&', '%']);
            let fixed = text.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            if text.starts_with('*') {
                let (arg, index) = args.next().ok_or_else(refused)?;
                let address = self.scalar(arg)?;
                let ty = inst.argument_type_attribute(index, "elementtype").map(|ty| self.shape(ty));
                let ty = ty.and_then(|shape| shape.leaves.first().map(|leaf| leaf.ty)).unwrap_or(Type::Int(64));
                machine.places.push(Place::Memory(address, ty));
                machine.widths.push(ty.bits());
            } else if is_output {
                let register = machine.register(fixed);
                machine.places.push(Place::Register(register));
                machine.widths.push(results.get(outputs.len()).ok_or_else(refused)?.bits());
                outputs.push(register);
            } else {
                let (arg, _) = args.next().ok_or_else(refused)?;
                self.bind_input(machine, arg, text, fixed)?;
            }
        }
        if args.next().is_some() { Err(refused()) } else { Ok(outputs) }
    }

    fn bind_input(
        &mut self,
        machine: &mut Machine,
        arg: Val<'m>,
        text: &str,
        fixed: Option<&str>,
    ) -> Result<(), Reason> {
        let value = self.scalar(arg)?;
        machine.widths.push(self.type_of(value).bits());
        if arg.kind() == Kind::Int && !text.contains(|c: char| c.is_ascii_digit() || c == '{' || c == 'r') {
            machine.places.push(Place::Immediate(self.widen(value, true)));
            return Ok(());
        }
        let register = match (text.parse::<usize>(), fixed) {
            (Ok(tied), _) => match machine.places.get(tied) {
                Some(&Place::Register(register)) => register,
                _ => return Err(refused()),
            },
            (Err(_), Some(name)) => machine.register(Some(name)),
            (Err(_), None) => machine.register(None),
        };
        let bits = self.as_int(value);
        machine.registers[register] = Some(self.widen(bits, false));
        machine.places.push(Place::Register(register));
        Ok(())
    }

    /// The value of a place, as `ty`.
    pub(super) fn read_place(&mut self, machine: &Machine, place: &Place, ty: Type) -> Result<Operand, Reason> {
        match *place {
            Place::Register(register) => {
                let value = machine.registers[register].ok_or_else(refused)?;
                Ok(self.cut_limb(value, ty))
            }
            Place::Immediate(value) => Ok(self.cut_limb(value, ty)),
            Place::Memory(address, _) => Ok(self.emit(ty, Op::Load { address, access: Access::default() })),
        }
    }

    /// Writes a place. Writing 32 bits of a register clears the others; fewer bits leave them.
    pub(super) fn write_place(&mut self, machine: &mut Machine, place: &Place, value: Operand) -> Result<(), Reason> {
        let ty = self.type_of(value);
        match *place {
            Place::Register(register) => {
                let mut wide = self.widen(value, false);
                if ty.bits() < 32 {
                    let before = machine.registers[register].unwrap_or(constant(Type::Int(64), 0));
                    let kept = constant(Type::Int(64), !ty.mask());
                    let before = self.fold_binary(Type::Int(64), icsched_ir::BinOp::And, before, kept);
                    wide = self.fold_binary(Type::Int(64), icsched_ir::BinOp::Or, before, wide);
                }
                machine.registers[register] = Some(wide);
            }
            Place::Memory(address, _) => {
                self.emit_void(Op::Store { address, value, access: Access::default() });
            }
            Place::Immediate(_) => return Err(refused()),
        }
        Ok(())
    }
}

/// The spellings of "wait a moment".
fn is_pause(template: &str) -> bool {
    let words = template.replace([';', '\n'], " ");
    matches!(words.split_whitespace().collect::<Vec<_>>().as_slice(), ["pause"] | ["rep", "nop"])
}

/// Lines without comments.
fn normalise(template: &str) -> String {
    let lines = template.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.collect::<Vec<_>>().join("\n")
}

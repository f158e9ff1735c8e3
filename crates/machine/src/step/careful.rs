//! Execution of a thread some of whose registers hold undefined bits.
//!
//! Most threads never read memory that was not written, so the loops of [`fast`](super::fast) and
//! [`straight`](super::straight) know nothing of definedness but that a read of undefined memory is not theirs. It is
//! executed here, and so is what the activation does until no live register of it is undefined any more: each
//! instruction first for its effect on definedness, then in the ordinary way. But a block that has nothing to do with
//! undefined registers is left to the fast loop: a local that a loop sets first in its second half does not make all of
//! the loop slow. An undefined value may be copied, stored, passed and computed with; it is an error when it decides
//! where control goes, what is accessed, or how much.

use icsched_ir::{BinOp, BlockId, EntityId, IntPredicate, Intrinsic, Type, ValueId};
use smallvec::{SmallVec, smallvec};

use super::access::targets;
use super::context::{Cx, decide};
use super::indeterminate::forgive;
use super::straight::Pause;
use crate::budgets::BUDGETS;
use crate::code::{CallCode, CalleeCode, Instr, Slot};
use crate::definedness::{self, Bits};
use crate::domain::{Domain, Target};
use crate::memory::{ObjectId, address, split};
use crate::observe::Observer;
use crate::shadow::{Shadow, Source};
use crate::stop::{DecisionKind, ErrorKind, Stop};

/// What is left to do behind an instruction; registers of the same activation are dealt with before.
pub(super) enum Effect {
    None,
    /// Bytes of memory become undefined to this extent.
    Memory {
        object: ObjectId,
        offset: u64,
        n: u64,
        mask: u64,
    },
    /// Every byte of a range does.
    Filled {
        object: ObjectId,
        offset: u64,
        n: u64,
        mask: u8,
    },
    /// The arguments of the call that is entered.
    Arguments(SmallVec<[Shadow; 4]>),
    /// The results of the activation that is left.
    Results(SmallVec<[Shadow; 2]>),
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// Executes one instruction of the current thread that concerns nobody else, with its effect on definedness; counts
    /// `left` down.
    pub(super) fn careful(&mut self, left: &mut u64) -> Result<Option<Pause>, Stop<D>> {
        if *left == 0 {
            return Ok(Some(Pause::Budget));
        }
        if matches!(self.function().instrs[self.frame().pc as usize], Instr::Undefined) {
            self.advance();
            self.thread.shadows.expect();
            return Ok(None);
        }
        if self.is_special() {
            return Ok(Some(Pause::Special));
        }
        let (effect, depth) = (self.effect()?, self.thread.frames.len());
        let mut one = 1;
        self.one(&mut one)?;
        *left -= 1 - one;
        self.thread.shadows.done();
        self.apply(effect, depth);
        Ok(None)
    }

    /// Executes the block that control is at the start of, or some of it, in the fast loop if it has nothing to do with
    /// registers that are undefined; false if nothing was executed.
    pub(super) fn unconcerned(&mut self, left: &mut u64) -> bool {
        let (depth, frame) = (self.thread.frames.len(), self.frame());
        let (func, base, pc) = (frame.func, frame.base, frame.pc as usize);
        let Some(block) = self.begins_block() else { return false };
        let Some(&run) = self.function().fast.runs.get(pc).filter(|&&run| u64::from(run) <= *left) else {
            return false;
        };
        let touched = self.code.touched(self.heap.program(), func).of(block);
        if !self.thread.shadows.are_defined(touched.iter().map(|value| base as usize + value.index())) {
            return false;
        }
        let mut rest = run.into();
        self.fast(&mut rest);
        *left -= u64::from(run) - rest;
        if self.thread.frames.len() == depth
            && rest < u64::from(run)
            && let Some(next) = self.begins_block()
        {
            self.retain_live(next);
        }
        rest < u64::from(run)
    }

    /// The block that control is at the start of.
    fn begins_block(&self) -> Option<BlockId> {
        let (points, pc) = (&self.function().points, self.frame().pc as usize);
        let (block, _) = *points.get(pc)?;
        (pc == 0 || points[pc - 1].0 != block).then_some(block)
    }

    /// Whether the machine executes the next instruction, and asks for its effect.
    fn is_special(&self) -> bool {
        match self.function().instrs[self.frame().pc as usize] {
            Instr::Call { call } => !matches!(self.function().calls[call as usize].callee, CalleeCode::Plain(_)),
            Instr::ReturnNone | Instr::ReturnOne { .. } | Instr::ReturnMany { .. } => self.thread.returns_elsewhere(),
            instr => super::straight::is_special(instr),
        }
    }

    fn shadow(&self, slot: Slot) -> Shadow {
        let function = self.function();
        if slot >= function.registers {
            let found = function.undefined.iter().find(|(s, _)| *s == slot);
            return found.map_or(Shadow::DEFINED, |&(_, mask)| Shadow { mask, source: Source::Unknown });
        }
        self.thread.shadows.get(self.frame().base as usize + slot as usize)
    }

    fn bits(&self, slot: Slot) -> Bits {
        Bits { mask: self.shadow(slot).mask, value: D::as_constant(&self.get(slot)) }
    }

    /// A register with these undefined bits, which come from the first undefined one of `from`.
    fn made(&mut self, dst: Slot, mask: u64, from: &[Slot]) -> Effect {
        let source = from.iter().map(|&slot| self.shadow(slot)).find(|s| !s.is_defined());
        self.becomes(dst, Shadow { mask, source: source.map_or(Source::Unknown, |s| s.source) })
    }

    fn becomes(&mut self, dst: Slot, shadow: Shadow) -> Effect {
        self.set_shadow(dst, shadow);
        Effect::None
    }

    /// All bits, if any operand has an undefined one.
    fn mixed(&mut self, dst: Slot, ty: Type, from: &[Slot]) -> Effect {
        let any = from.iter().any(|&slot| !self.shadow(slot).is_defined());
        self.made(dst, if any { ty.mask() } else { 0 }, from)
    }

    /// The operand decides something: it must be defined. Where the path goes on behind errors, it is from now on.
    fn require(&mut self, slot: Slot, what: &str) -> Result<(), Stop<D>> {
        let shadow = self.shadow(slot);
        if shadow.is_defined() {
            return Ok(());
        }
        forgive(self.heap, self.uninitialised(what, shadow))?;
        self.make_indeterminate(slot, shadow);
        Ok(())
    }

    /// An undefined register holds something that nobody knows. What was read from memory is an indeterminate value
    /// already.
    fn make_indeterminate(&mut self, slot: Slot, shadow: Shadow) {
        let value = self.get(slot);
        if !self.domain.is_of_indeterminate(&value) {
            let name = match shadow.source {
                Source::Memory(object, offset) => self.heap.name_of(address(object, offset)),
                Source::Local(func, value) => {
                    let name = &self.heap.program().functions[func].values[value].name;
                    name.clone().unwrap_or_else(|| "a value".to_owned())
                }
                Source::Unknown => "a value".to_owned(),
            };
            let (frame, bits) = (self.frame().id.0, self.width(slot, shadow));
            let key = D::constant(frame << 32 | u64::from(slot));
            let name = self.heap.indeterminate_name(&name, &key, bits.into());
            let unknown = self.domain.indeterminate(&name, bits);
            self.set(slot, unknown);
        }
        let value = self.get(slot);
        self.heap.note_read(&value);
        self.thread.shadows.set(self.frame().base as usize + slot as usize, Shadow::DEFINED);
    }

    /// The bits of a register's type.
    fn width(&self, slot: Slot, shadow: Shadow) -> u32 {
        let values = &self.heap.program().functions[self.frame().func].values;
        let ty = values.get(ValueId::from_index(slot as usize)).map(|value| value.ty);
        let ty = ty.filter(|_| slot < self.function().registers);
        ty.map_or_else(|| u64::BITS - shadow.mask.leading_zeros(), Type::bits)
    }

    fn uninitialised(&self, what: &str, shadow: Shadow) -> Stop<D> {
        let message = format!("{what} an uninitialised value{}", self.describe(shadow.source));
        Stop::Fault { kind: ErrorKind::Uninitialised, message }
    }

    fn describe(&self, source: Source) -> String {
        match source {
            Source::Unknown => String::new(),
            Source::Memory(object, offset) => {
                format!(", read at offset {offset} of {}", self.heap.describe_object(object))
            }
            Source::Local(func, value) => {
                let function = &self.heap.program().functions[func];
                let name = function.values[value].name.as_deref();
                name.map_or(String::new(), |name| format!(", local `{name}` of {}", function.name))
            }
        }
    }

    #[allow(clippy::too_many_lines, reason = "a flat table of instructions")]
    pub(super) fn effect(&mut self) -> Result<Effect, Stop<D>> {
        let function = self.function();
        Ok(match function.instrs[self.frame().pc as usize] {
            Instr::Binary { op, ty, dst, a, b, .. } => {
                let mask = definedness::binary(op, ty, self.bits(a), self.bits(b));
                self.made(dst, mask, &[a, b])
            }
            Instr::Unary { op, ty, dst, a } => {
                let mask = definedness::unary(op, ty, self.shadow(a).mask);
                self.made(dst, mask, &[a])
            }
            Instr::Cast { op, from, to, dst, a } => {
                let mask = definedness::cast(op, from, to, self.shadow(a).mask);
                self.made(dst, mask, &[a])
            }
            Instr::IntCompare { predicate, ty, dst, a, b } => {
                let undefined = definedness::int_compare(predicate, ty, self.bits(a), self.bits(b));
                self.made(dst, u64::from(undefined), &[a, b])
            }
            Instr::FloatCompare { dst, a, b, .. } | Instr::Overflow { dst, a, b, .. } => {
                self.mixed(dst, Type::Int(1), &[a, b])
            }
            Instr::Select { ty, dst, condition, a, b } => self.chosen(ty, dst, condition, a, b)?,
            Instr::FunnelShift { left, ty, dst, hi, lo, amount } => {
                let mask = definedness::funnel_shift(left, ty, self.bits(hi), self.bits(lo), self.bits(amount));
                self.made(dst, mask, &[hi, lo, amount])
            }
            Instr::Offset { dst, base, .. } => self.mixed(dst, Type::Ptr, &[base]),
            Instr::Index { dst, base, index, .. } => self.mixed(dst, Type::Ptr, &[base, index]),
            Instr::Load { ty, dst, address, .. } => {
                self.require(address, "read through")?;
                let shadow = self.loaded_shadow(address, ty)?;
                self.becomes(dst, shadow)
            }
            Instr::Store { ty, address, value, .. } => {
                self.require(address, "write through")?;
                self.written(address, ty, self.shadow(value).mask)?
            }
            Instr::AtomicRmw { ty, dst, address, value, .. } => {
                self.require(address, "atomic update through")?;
                let old = self.loaded_shadow(address, ty)?;
                self.becomes(dst, old);
                let any = !old.is_defined() || !self.shadow(value).is_defined();
                self.written(address, ty, if any { ty.mask() } else { 0 })?
            }
            Instr::CompareExchange { ty, dst, address, expected, .. } => {
                self.require(address, "compare-exchange through")?;
                self.require(expected, "compare-exchange with")?;
                let old = self.loaded_shadow(address, ty)?;
                if !old.is_defined() {
                    forgive(self.heap, self.uninitialised("a decision depends on", old))?;
                }
                self.becomes(dst, Shadow::DEFINED)
            }
            Instr::Jump { edge } => self.follow(edge),
            Instr::Branch { condition, then_edge, else_edge } => {
                self.require(condition, "a decision depends on")?;
                let condition = self.get(condition);
                let taken = decide(self.domain, self.path, &condition, DecisionKind::Branch)?;
                self.follow(if taken { then_edge } else { else_edge })
            }
            Instr::ReturnOne { value } => Effect::Results(smallvec![self.shadow(value)]),
            Instr::ReturnMany { list } => {
                let slots = &function.lists[list as usize];
                Effect::Results(slots.iter().map(|&slot| self.shadow(slot)).collect())
            }
            Instr::Call { call } => self.call_effect(&function.calls[call as usize])?,
            Instr::Alloca { dst, count, .. } => {
                self.require(count, "the size of a local is")?;
                self.becomes(dst, Shadow::DEFINED)
            }
            Instr::MemCopy { to, from, bytes, .. } => {
                self.require(to, "copy to")?;
                self.require(from, "copy from")?;
                self.require(bytes, "the size of a copy is")?;
                Effect::None
            }
            Instr::MemSet { to, byte, bytes } => {
                self.require(to, "write through")?;
                self.require(bytes, "the size of what is set is")?;
                self.filled(to, byte, bytes)
            }
            Instr::VaStart { .. }
            | Instr::VaCopy { .. }
            | Instr::ReturnNone
            | Instr::Fence
            | Instr::Trap
            | Instr::Unreachable
            | Instr::Undefined
            | Instr::GoesRound
            | Instr::Forget
            | Instr::Marker
            | Instr::Unsupported => Effect::None,
        })
    }

    /// `condition ? a : b`: as defined as what is chosen. Where that depends on inputs and matters, they decide.
    fn chosen(&mut self, ty: Type, dst: Slot, condition: Slot, a: Slot, b: Slot) -> Result<Effect, Stop<D>> {
        if !self.shadow(condition).is_defined() {
            let same = self.shadow(a).is_defined() && self.shadow(b).is_defined() && self.get(a) == self.get(b);
            return Ok(self.made(dst, if same { 0 } else { ty.mask() }, &[condition]));
        }
        if self.shadow(a) == self.shadow(b) {
            return Ok(self.becomes(dst, self.shadow(a)));
        }
        let condition = self.get(condition);
        let taken = decide(self.domain, self.path, &condition, DecisionKind::Other)?;
        Ok(self.becomes(dst, self.shadow(if taken { a } else { b })))
    }

    /// The same where a model chooses. Models do not branch, and what they leave as it was is read by few programs:
    /// where inputs choose, bits are only undefined that both have undefined.
    fn chosen_by_model(&mut self, dst: Slot, condition: Slot, a: Slot, b: Slot) -> Result<Effect, Stop<D>> {
        let is_known = D::as_constant(&self.get(condition)).is_some() || !self.shadow(condition).is_defined();
        if is_known {
            return self.chosen(Type::Int(64), dst, condition, a, b);
        }
        let (of_a, of_b) = (self.shadow(a), self.shadow(b));
        Ok(self.becomes(dst, Shadow { mask: of_a.mask & of_b.mask, ..of_a }))
    }

    /// The undefined bits of what a load reads. Where it depends on inputs whether there are any, they decide.
    fn loaded_shadow(&mut self, slot: Slot, ty: Type) -> Result<Shadow, Stop<D>> {
        let (address, n) = (self.get(slot), u64::from(ty.bytes()));
        let found = targets(self.domain, self.heap, self.path, &address, n, false)?;
        for target in &found {
            let shadow = self.target_shadow(target, n)?;
            if shadow.is_defined() {
                continue;
            }
            let here = match &target.guard {
                None => true,
                Some(guard) => decide(self.domain, self.path, guard, DecisionKind::Other)?,
            };
            if here {
                return Ok(Shadow { mask: shadow.mask & ty.mask(), ..shadow });
            }
        }
        Ok(Shadow::DEFINED)
    }

    fn target_shadow(&mut self, target: &Target<D::Value>, n: u64) -> Result<Shadow, Stop<D>> {
        let id = target.object;
        let Some(offset) = D::as_constant(&target.offset) else { return self.somewhere_undefined(target, n) };
        let mask = self.heap.undefined_bits(id, offset, n);
        Ok(Shadow { mask, source: Source::Memory(id, offset) })
    }

    /// A read at an offset that depends on inputs: they decide whether it meets an undefined byte.
    fn somewhere_undefined(&mut self, target: &Target<D::Value>, n: u64) -> Result<Shadow, Stop<D>> {
        let word = Type::Int(64);
        let Some(runs) = self.heap.undefined_runs(target.object, BUDGETS.undefined_runs) else {
            return Ok(Shadow::DEFINED);
        };
        for (start, end) in runs {
            // start - n < offset < end, that is offset - (start - n + 1) < end - start + n - 1 without a sign.
            let first = D::constant(start.wrapping_sub(n - 1));
            let relative = super::operations::binary(self.domain, self.path, BinOp::Sub, word, &target.offset, &first)?;
            let length = D::constant(end - start + n - 1);
            let meets = super::operations::int_compare(self.domain, IntPredicate::Ult, word, &relative, &length);
            if decide(self.domain, self.path, &meets, DecisionKind::Other)? {
                return Ok(Shadow { mask: u64::MAX, source: Source::Memory(target.object, start) });
            }
        }
        Ok(Shadow::DEFINED)
    }

    /// A store leaves these bits undefined. Stores to several places, or to one that depends on inputs, define them.
    fn written(&mut self, slot: Slot, ty: Type, mask: u64) -> Result<Effect, Stop<D>> {
        if mask == 0 {
            return Ok(Effect::None);
        }
        let (address, n) = (self.get(slot), u64::from(ty.bytes()));
        let found = targets(self.domain, self.heap, self.path, &address, n, true)?;
        Ok(match found.as_slice() {
            [Target { guard: None, object, offset }] => match D::as_constant(offset) {
                Some(offset) => Effect::Memory { object: *object, offset, n, mask },
                None => Effect::None,
            },
            _ => Effect::None,
        })
    }

    /// What is set to an undefined byte is undefined, where it is known which bytes that are.
    fn filled(&self, to: Slot, byte: Slot, bytes: Slot) -> Effect {
        let mask = self.shadow(byte).mask as u8;
        let known = |slot: Slot| D::as_constant(&self.get(slot));
        match (known(to), known(bytes)) {
            (Some(to), Some(n)) if mask != 0 => {
                let (object, offset) = split(to);
                Effect::Filled { object, offset: offset as u64, n, mask }
            }
            _ => Effect::None,
        }
    }

    fn call_effect(&mut self, call: &CallCode) -> Result<Effect, Stop<D>> {
        match call.callee {
            CalleeCode::Indirect(target) => self.require(target, "call through")?,
            CalleeCode::Intrinsic(intrinsic) => return self.intrinsic_effect(intrinsic, call),
            CalleeCode::Plain(_) | CalleeCode::Direct(_) => {}
        }
        for &slot in &call.results {
            self.set_shadow(slot, Shadow::DEFINED);
        }
        Ok(Effect::Arguments(call.args.iter().map(|&slot| self.shadow(slot)).collect()))
    }

    /// The engine's operations want defined operands, but for the data that some move.
    fn intrinsic_effect(&mut self, intrinsic: Intrinsic, call: &CallCode) -> Result<Effect, Stop<D>> {
        let data: &[usize] = match intrinsic {
            Intrinsic::Select => {
                let &[condition, a, b] = &*call.args else { return Ok(Effect::None) };
                return self.chosen_by_model(call.results[0], condition, a, b);
            }
            Intrinsic::Math => {
                let mixed = self.mixed(call.results[0], Type::F64, &call.args);
                return Ok(mixed);
            }
            Intrinsic::MemSet | Intrinsic::ThreadCreate | Intrinsic::RestoreContext => &[1],
            Intrinsic::IsSymbolic | Intrinsic::IsUnknown | Intrinsic::Exit => &[0],
            _ => &[],
        };
        for (&slot, i) in call.args.iter().zip(0..) {
            if !data.contains(&i) {
                self.require(slot, "a library function depends on")?;
            }
        }
        Ok(call.results.first().map_or(Effect::None, |&slot| self.becomes(slot, Shadow::DEFINED)))
    }

    /// Values move along an edge.
    fn follow(&mut self, edge: u32) -> Effect {
        let function = self.function();
        let edge = &function.edges[edge as usize];
        for &(dst, src) in &function.moves[edge.moves.start as usize..edge.moves.end as usize] {
            let shadow = self.shadow(src);
            self.set_shadow(dst, shadow);
        }
        self.retain_live(edge.target);
        Effect::None
    }

    /// Control has come to a block: what is dead there is forgotten.
    fn retain_live(&mut self, block: BlockId) {
        let (func, base) = (self.frame().func, self.frame().base);
        if self.thread.shadows.reach(base) {
            let live = self.code.liveness(self.heap.program(), func);
            self.thread.shadows.retain(base, |register| live.is_live(block, register));
        }
    }

    /// Does what is left to do; `depth` is how many activations there were before the instruction.
    pub(super) fn apply(&mut self, effect: Effect, depth: usize) {
        let now = self.thread.frames.len();
        match effect {
            Effect::Memory { object, offset, n, mask } => self.heap.set_undefined_bits(object, offset, n, mask),
            Effect::Filled { object, offset, n, mask } => {
                let masks = vec![mask; usize::try_from(n).expect("what was set fits into memory")];
                self.heap.set_undefined_bytes(object, offset, &masks);
            }
            Effect::Arguments(shadows) if now > depth => self.entered_with(&shadows),
            Effect::Results(shadows) if now < depth && now > 0 => self.returned_with(&shadows),
            Effect::None | Effect::Arguments(_) | Effect::Results(_) => {}
        }
    }

    /// The results of the call that the innermost activation has just finished.
    fn returned_with(&mut self, shadows: &[Shadow]) {
        let (function, pc) = (self.function(), self.frame().pc);
        let Some(Instr::Call { call }) = pc.checked_sub(1).map(|pc| function.instrs[pc as usize]) else { return };
        for (&slot, &shadow) in function.calls[call as usize].results.iter().zip(shadows) {
            self.set_shadow(slot, shadow);
        }
    }

    /// Parameters, and the area of the variable arguments.
    fn entered_with(&mut self, shadows: &[Shadow]) {
        let function = self.function();
        for (&slot, &shadow) in function.params.iter().zip(shadows) {
            self.set_shadow(slot, shadow);
        }
        let Some(area) = self.frame().varargs else { return };
        for (shadow, offset) in shadows.iter().skip(function.params.len()).zip((0..).step_by(8)) {
            if !shadow.is_defined() {
                self.heap.set_undefined_bits(area, offset, 8, shadow.mask);
            }
        }
    }

    /// An undefined constant that becomes the value of a local gets its name.
    pub(super) fn set_shadow(&mut self, slot: Slot, mut shadow: Shadow) {
        let frame = self.frame();
        let (func, register) = (frame.func, frame.base as usize + slot as usize);
        if !shadow.is_defined() && shadow.source == Source::Unknown {
            let value = ValueId::from_index(slot as usize);
            let values = &self.heap.program().functions[func].values;
            if values.get(value).is_some_and(|v| v.name.is_some()) {
                shadow.source = Source::Local(func, value);
            }
        }
        self.thread.shadows.set(register, shadow);
    }
}

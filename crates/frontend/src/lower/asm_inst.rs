//! Single instructions of inline assembly.

use icsched_ir::{BinOp, CastOp, IntPredicate, Op, Operand, Ordering, RmwOp, Type, UnOp};

use super::assembly::{Machine, Place, refused};
use super::error::Reason;
use super::function::Body;
use super::wide::constant;

const I1: Type = Type::Int(1);
const I64: Type = Type::Int(64);

/// An operand as written: its place and the width that its spelling gives.
type Written = (Place, Option<u32>);

/// One instruction, taken apart.
struct Line<'t> {
    locked: bool,
    repeated: bool,
    name: &'t str,
    operands: Vec<&'t str>,
}

fn split(line: &str) -> Line<'_> {
    let (mut locked, mut repeated, mut rest) = (false, false, line);
    let (mut name, mut behind) = ("", "");
    while !rest.is_empty() {
        (name, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match name {
            "lock" => locked = true,
            "rep" | "repe" | "repz" => repeated = true,
            _ => break,
        }
        rest = behind.trim_start();
        (name, behind) = ("", "");
    }
    let operands = behind.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
    Line { locked, repeated, name, operands }
}

impl Body<'_, '_> {
    /// Executes one instruction of a template.
    pub(super) fn execute_line(&mut self, machine: &mut Machine, line: &str) -> Result<(), Reason> {
        let line = split(line);
        match (line.name, line.operands.as_slice()) {
            ("" | "lock", []) => return if line.locked { Err(refused()) } else { Ok(()) },
            ("nop" | "cld" | "emms" | "endbr64" | ".p2align" | ".align" | ".balign", _) => return Ok(()),
            ("mfence" | "lfence" | "sfence", []) => {
                self.emit_void(Op::Fence { ordering: Ordering::SeqCst });
                return Ok(());
            }
            // The usual full barriers: they change nothing.
            ("addl" | "orl" | "addq" | "orq", ["$$0", "0(%rsp)" | "(%rsp)" | "-4(%rsp)" | "0(%esp)" | "(%esp)"])
                if line.locked =>
            {
                self.emit_void(Op::Fence { ordering: Ordering::SeqCst });
                return Ok(());
            }
            ("ud2" | "int3", []) => {
                self.emit_void(Op::Trap);
                return Ok(());
            }
            ("int", ["$$3"]) => {
                self.emit_void(Op::Trap);
                return Ok(());
            }
            ("cpuid", []) => return self.asm_cpuid(machine),
            ("rdtsc", []) => return self.asm_time_stamp(machine),
            ("movsb" | "movsl" | "movsq" | "movsw" | "stosb" | "stosl" | "stosq" | "stosw", []) if line.repeated => {
                return self.asm_string(machine, line.name);
            }
            _ => {}
        }
        let operands =
            line.operands.iter().map(|text| written(machine, text)).collect::<Option<Vec<_>>>().ok_or_else(refused)?;
        if line.repeated {
            return Err(refused());
        }
        self.execute_operation(machine, &line, &operands)
    }

    fn execute_operation(
        &mut self,
        machine: &mut Machine,
        line: &Line<'_>,
        operands: &[Written],
    ) -> Result<(), Reason> {
        let (stem, suffix) = mnemonic(line.name).ok_or_else(refused)?;
        if let Some(condition) = stem.strip_prefix("set") {
            let [(place, _)] = operands else { return Err(refused()) };
            let flag = self.asm_condition(machine, condition)?;
            let byte = self.cast(CastOp::ZExt, flag, Type::Int(8));
            return self.write_place(machine, place, byte);
        }
        let ty = width(suffix, operands).ok_or_else(refused)?;
        if let Some(condition) = stem.strip_prefix("cmov") {
            let [(from, _), (to, _)] = operands else { return Err(refused()) };
            let condition = self.asm_condition(machine, condition)?;
            let (a, b) = (self.read_place(machine, from, ty)?, self.read_place(machine, to, ty)?);
            let result = self.emit(ty, Op::Select { condition, a, b });
            return self.write_place(machine, to, result);
        }
        if line.locked || (stem == "xchg" && operands.iter().any(|(place, _)| matches!(place, Place::Memory(..)))) {
            return self.asm_atomic(machine, stem, ty, operands);
        }
        match (stem, operands) {
            ("mov" | "movabs", [(from, _), (to, _)]) => {
                let value = self.read_place(machine, from, ty)?;
                self.write_place(machine, to, value)
            }
            ("xchg", [(a, _), (b, _)]) => {
                let (x, y) = (self.read_place(machine, a, ty)?, self.read_place(machine, b, ty)?);
                self.write_place(machine, a, y)?;
                self.write_place(machine, b, x)
            }
            ("add" | "adc" | "sub" | "sbb" | "cmp", [(from, _), (to, _)]) => {
                let (a, b) = (self.read_place(machine, to, ty)?, self.read_place(machine, from, ty)?);
                let result = self.asm_sum(machine, stem, a, b)?;
                if stem == "cmp" { Ok(()) } else { self.write_place(machine, to, result) }
            }
            ("and" | "or" | "xor" | "test", [(from, _), (to, _)]) => {
                let (a, b) = (self.read_or_zero(machine, to, stem, ty)?, self.read_or_zero(machine, from, stem, ty)?);
                let op = match stem {
                    "or" => BinOp::Or,
                    "xor" => BinOp::Xor,
                    _ => BinOp::And,
                };
                let result = if stem == "xor" && from == to { constant(ty, 0) } else { self.fold_binary(ty, op, a, b) };
                machine.carry = Some(constant(I1, 0));
                self.set_zero(machine, result);
                if stem == "test" { Ok(()) } else { self.write_place(machine, to, result) }
            }
            ("not" | "neg" | "inc" | "dec" | "bswap", [(to, _)]) => {
                let a = self.read_place(machine, to, ty)?;
                let result = self.asm_unary(machine, stem, ty, a)?;
                self.write_place(machine, to, result)
            }
            ("bsf" | "bsr" | "popcnt" | "lzcnt" | "tzcnt", [(from, _), (to, _)]) => {
                let a = self.read_place(machine, from, ty)?;
                let result = self.asm_count(machine, stem, ty, a)?;
                self.write_place(machine, to, result)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", [(count, _), (to, _)]) => {
                let count = self.read_place(machine, count, Type::Int(8))?;
                self.asm_shift(machine, stem, ty, Some(count), to)
            }
            ("shl" | "sal" | "shr" | "sar" | "rol" | "ror", [(to, _)]) => self.asm_shift(machine, stem, ty, None, to),
            ("mul", [(from, _)]) if ty == I64 => self.asm_multiply(machine, from),
            ("imul", [(from, _), (to, _)]) => {
                let (a, b) = (self.read_place(machine, to, ty)?, self.read_place(machine, from, ty)?);
                let result = self.fold_binary(ty, BinOp::Mul, a, b);
                (machine.carry, machine.zero) = (None, None);
                self.write_place(machine, to, result)
            }
            ("div", [(from, _)]) if ty == I64 => self.asm_divide(machine, from),
            _ => Err(refused()),
        }
    }

    /// A condition as `set` and `cmov` name it, of the flags that are known. Signed ones need flags that are not.
    fn asm_condition(&mut self, machine: &Machine, name: &str) -> Result<Operand, Reason> {
        let (flag, inverted) = match name {
            "c" | "b" | "nae" => (machine.carry, false),
            "nc" | "ae" | "nb" => (machine.carry, true),
            "z" | "e" => (machine.zero, false),
            "nz" | "ne" => (machine.zero, true),
            "be" | "na" | "a" | "nbe" => {
                let (carry, zero) = (machine.carry.ok_or_else(refused)?, machine.zero.ok_or_else(refused)?);
                (Some(self.fold_binary(I1, BinOp::Or, carry, zero)), matches!(name, "a" | "nbe"))
            }
            _ => return Err(refused()),
        };
        let flag = flag.ok_or_else(refused)?;
        Ok(if inverted { self.fold_binary(I1, BinOp::Xor, flag, constant(I1, 1)) } else { flag })
    }

    /// `xor %0, %0` clears a register that was never written.
    fn read_or_zero(&mut self, machine: &Machine, place: &Place, stem: &str, ty: Type) -> Result<Operand, Reason> {
        match *place {
            Place::Register(register) if stem == "xor" && machine.registers[register].is_none() => Ok(constant(ty, 0)),
            _ => self.read_place(machine, place, ty),
        }
    }

    fn set_zero(&mut self, machine: &mut Machine, result: Operand) {
        let ty = self.type_of(result);
        let zero = self.emit(I1, Op::IntCompare { predicate: IntPredicate::Eq, a: result, b: constant(ty, 0) });
        machine.zero = Some(zero);
    }

    fn below(&mut self, a: Operand, b: Operand) -> Operand {
        self.emit(I1, Op::IntCompare { predicate: IntPredicate::Ult, a, b })
    }

    fn asm_sum(&mut self, machine: &mut Machine, stem: &str, a: Operand, b: Operand) -> Result<Operand, Reason> {
        let ty = self.type_of(a);
        let carried = match stem {
            "adc" | "sbb" => machine.carry.ok_or_else(refused)?,
            _ => constant(I1, 0),
        };
        let carried = self.cast(CastOp::ZExt, carried, ty);
        let (result, first, second) = if matches!(stem, "add" | "adc") {
            let partial = self.fold_binary(ty, BinOp::Add, a, b);
            let total = self.fold_binary(ty, BinOp::Add, partial, carried);
            (total, self.below(partial, a), self.below(total, carried))
        } else {
            let partial = self.fold_binary(ty, BinOp::Sub, a, b);
            let total = self.fold_binary(ty, BinOp::Sub, partial, carried);
            (total, self.below(a, b), self.below(partial, carried))
        };
        machine.carry = Some(self.fold_binary(I1, BinOp::Or, first, second));
        self.set_zero(machine, result);
        Ok(result)
    }

    fn asm_unary(&mut self, machine: &mut Machine, stem: &str, ty: Type, a: Operand) -> Result<Operand, Reason> {
        let (zero, one) = (constant(ty, 0), constant(ty, 1));
        Ok(match stem {
            "not" => self.fold_binary(ty, BinOp::Xor, a, constant(ty, u64::MAX)),
            "bswap" if ty.bits() >= 32 => self.emit(ty, Op::Unary { op: UnOp::BSwap, a }),
            "neg" => self.asm_sum(machine, "sub", zero, a)?,
            "inc" | "dec" => {
                let op = if stem == "inc" { BinOp::Add } else { BinOp::Sub };
                let result = self.fold_binary(ty, op, a, one);
                self.set_zero(machine, result);
                result
            }
            _ => return Err(refused()),
        })
    }

    /// `bsf` and `bsr` of zero leave the destination as it was, or say so in a flag: unspecified here.
    fn asm_count(&mut self, machine: &mut Machine, stem: &str, ty: Type, a: Operand) -> Result<Operand, Reason> {
        (machine.carry, machine.zero) = (None, None);
        let op = match stem {
            "popcnt" => UnOp::CtPop,
            "bsf" | "tzcnt" => UnOp::CtTz,
            _ => UnOp::CtLz,
        };
        let count = self.emit(ty, Op::Unary { op, a });
        if matches!(stem, "bsf" | "bsr") {
            self.set_zero(machine, a);
        }
        Ok(match stem {
            "bsr" => self.fold_binary(ty, BinOp::Xor, count, constant(ty, u64::from(ty.bits() - 1))),
            _ => count,
        })
    }

    fn asm_shift(
        &mut self,
        machine: &mut Machine,
        stem: &str,
        ty: Type,
        count: Option<Operand>,
        to: &Place,
    ) -> Result<(), Reason> {
        (machine.carry, machine.zero) = (None, None);
        let a = self.read_place(machine, to, ty)?;
        let count = count.unwrap_or(constant(Type::Int(8), 1));
        let rotates = matches!(stem, "rol" | "ror");
        if !rotates && ty.bits() < 32 {
            return Err(refused());
        }
        let mask = constant(Type::Int(8), u64::from(ty.bits().max(32) - 1));
        let count = self.fold_binary(Type::Int(8), BinOp::And, count, mask);
        let amount = match ty.bits() {
            8 => count,
            _ => self.cast(CastOp::ZExt, count, ty),
        };
        let result = match stem {
            "rol" | "ror" => self.emit(ty, Op::FunnelShift { left: stem == "rol", hi: a, lo: a, amount }),
            "shr" => self.fold_binary(ty, BinOp::LShr, a, amount),
            "sar" => self.emit(ty, Op::binary(BinOp::AShr, a, amount)),
            _ => self.fold_binary(ty, BinOp::Shl, a, amount),
        };
        self.write_place(machine, to, result)
    }

    fn named(machine: &Machine, name: &str) -> Result<Place, Reason> {
        machine.named.get(name).map(|&register| Place::Register(register)).ok_or_else(refused)
    }

    /// `rdx:rax = rax * operand`.
    fn asm_multiply(&mut self, machine: &mut Machine, from: &Place) -> Result<(), Reason> {
        (machine.carry, machine.zero) = (None, None);
        let (low, high) = (Self::named(machine, "ax")?, Self::named(machine, "dx")?);
        let (a, b) = (self.read_place(machine, &low, I64)?, self.read_place(machine, from, I64)?);
        let zero = constant(I64, 0);
        let product = self.wide_binary(BinOp::Mul, 128, &[a, zero], &[b, zero])?;
        self.write_place(machine, &low, product[0])?;
        self.write_place(machine, &high, product[1])
    }

    /// Quotient and remainder of `rdx:rax`. (A quotient of more than 64 bits would be a fault; here it is cut.)
    fn asm_divide(&mut self, machine: &mut Machine, from: &Place) -> Result<(), Reason> {
        (machine.carry, machine.zero) = (None, None);
        let (low, high) = (Self::named(machine, "ax")?, Self::named(machine, "dx")?);
        let a = [self.read_place(machine, &low, I64)?, self.read_place(machine, &high, I64)?];
        let b = [self.read_place(machine, from, I64)?, constant(I64, 0)];
        let quotient = self.wide_binary(BinOp::UDiv, 128, &a, &b)?;
        let product = self.fold_binary(I64, BinOp::Mul, quotient[0], b[0]);
        let rest = self.fold_binary(I64, BinOp::Sub, a[0], product);
        self.write_place(machine, &low, quotient[0])?;
        self.write_place(machine, &high, rest)
    }

    fn asm_cpuid(&mut self, machine: &mut Machine) -> Result<(), Reason> {
        let i32 = Type::Int(32);
        let leaf = Self::named(machine, "ax")?;
        let leaf = self.read_place(machine, &leaf, i32)?;
        let part = match Self::named(machine, "cx") {
            Ok(place) => self.read_place(machine, &place, i32).unwrap_or(constant(i32, 0)),
            Err(_) => constant(i32, 0),
        };
        for (number, name) in (0..).zip(["ax", "bx", "cx", "dx"]) {
            if let Ok(place) = Self::named(machine, name) {
                let result = self.call_support("__ics_cpuid", &[leaf, part, constant(i32, number)], &[i32])?[0];
                self.write_place(machine, &place, result)?;
            }
        }
        Ok(())
    }

    fn asm_time_stamp(&mut self, machine: &mut Machine) -> Result<(), Reason> {
        let now = self.call_support("__ics_time_stamp", &[], &[I64])?[0];
        let high = self.fold_binary(I64, BinOp::LShr, now, constant(I64, 32));
        for (name, value) in [("ax", now), ("dx", high)] {
            if let Ok(place) = Self::named(machine, name) {
                let half = self.cut_limb(value, Type::Int(32));
                self.write_place(machine, &place, half)?;
            }
        }
        Ok(())
    }

    /// `rep movs` and `rep stos`, upwards.
    fn asm_string(&mut self, machine: &mut Machine, name: &str) -> Result<(), Reason> {
        let size = match name.as_bytes().last() {
            Some(b'b') => 1,
            Some(b'w') => 2,
            Some(b'l') => 4,
            _ => 8,
        };
        let (to, count) = (Self::named(machine, "di")?, Self::named(machine, "cx")?);
        let count_value = self.read_place(machine, &count, I64)?;
        let bytes = self.fold_binary(I64, BinOp::Mul, count_value, constant(I64, size));
        let target = self.read_place(machine, &to, I64)?;
        let address = self.cast(CastOp::Bitcast, target, Type::Ptr);
        if name.starts_with("movs") {
            let from = Self::named(machine, "si")?;
            let source = self.read_place(machine, &from, I64)?;
            let pointer = self.cast(CastOp::Bitcast, source, Type::Ptr);
            self.emit_void(Op::MemCopy { to: address, from: pointer, bytes, may_overlap: false });
            let behind = self.fold_binary(I64, BinOp::Add, source, bytes);
            self.write_place(machine, &from, behind)?;
        } else {
            let value = Self::named(machine, "ax")?;
            if size != 1 {
                return Err(refused());
            }
            let byte = self.read_place(machine, &value, Type::Int(8))?;
            self.emit_void(Op::MemSet { to: address, byte, bytes });
        }
        let behind = self.fold_binary(I64, BinOp::Add, target, bytes);
        self.write_place(machine, &to, behind)?;
        self.write_place(machine, &count, constant(I64, 0))
    }

    fn asm_atomic(&mut self, machine: &mut Machine, stem: &str, ty: Type, operands: &[Written]) -> Result<(), Reason> {
        let ordering = Ordering::SeqCst;
        let rmw = |body: &mut Self, op, address, value| body.emit(ty, Op::AtomicRmw { op, address, value, ordering });
        match (stem, operands) {
            ("xchg", [(a, _), (b, _)]) => {
                let (register, address) = match (a, b) {
                    (Place::Memory(address, _), other) | (other, Place::Memory(address, _)) => (other, *address),
                    _ => return Err(refused()),
                };
                let value = self.read_place(machine, register, ty)?;
                let old = rmw(self, RmwOp::Xchg, address, value);
                self.write_place(machine, register, old)
            }
            ("xadd", [(register, _), (Place::Memory(address, _), _)]) => {
                let value = self.read_place(machine, register, ty)?;
                let old = rmw(self, RmwOp::Add, *address, value);
                (machine.carry, machine.zero) = (None, None);
                self.write_place(machine, register, old)
            }
            ("cmpxchg", [(new, _), (Place::Memory(address, _), _)]) => {
                let accumulator = Self::named(machine, "ax")?;
                let expected = self.read_place(machine, &accumulator, ty)?;
                let new = self.read_place(machine, new, ty)?;
                let (address, success, failure) = (*address, ordering, ordering);
                let old = self.emit(ty, Op::CompareExchange { address, expected, new, success, failure });
                let done = self.emit(I1, Op::IntCompare { predicate: IntPredicate::Eq, a: old, b: expected });
                (machine.carry, machine.zero) = (None, Some(done));
                self.write_place(machine, &accumulator, old)
            }
            ("inc" | "dec", [(Place::Memory(address, _), _)]) => {
                let op = if stem == "inc" { BinOp::Add } else { BinOp::Sub };
                let kind = if stem == "inc" { RmwOp::Add } else { RmwOp::Sub };
                let old = rmw(self, kind, *address, constant(ty, 1));
                let new = self.fold_binary(ty, op, old, constant(ty, 1));
                machine.carry = None;
                self.set_zero(machine, new);
                Ok(())
            }
            ("add" | "sub" | "and" | "or" | "xor", [(from, _), (Place::Memory(address, _), _)]) => {
                let value = self.read_place(machine, from, ty)?;
                let (kind, op) = match stem {
                    "add" => (RmwOp::Add, BinOp::Add),
                    "sub" => (RmwOp::Sub, BinOp::Sub),
                    "and" => (RmwOp::And, BinOp::And),
                    "or" => (RmwOp::Or, BinOp::Or),
                    _ => (RmwOp::Xor, BinOp::Xor),
                };
                let old = rmw(self, kind, *address, value);
                let new = self.fold_binary(ty, op, old, value);
                machine.carry = None;
                self.set_zero(machine, new);
                Ok(())
            }
            _ => Err(refused()),
        }
    }
}

/// An operand: `$$5`, `$0`, `${0:w}`, `%eax`.
fn written(machine: &Machine, text: &str) -> Option<Written> {
    if let Some(number) = text.strip_prefix("$$") {
        let value = match number.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => number.parse::<i64>().ok()?.cast_unsigned(),
        };
        return Some((Place::Immediate(constant(I64, value)), None));
    }
    if let Some(inner) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
        let (number, modifier) = inner.split_once(':')?;
        let bits = match modifier {
            "b" => 8,
            "w" => 16,
            "k" => 32,
            "q" => 64,
            _ => return None,
        };
        return Some((machine.places.get(number.parse::<usize>().ok()?)?.clone(), Some(bits)));
    }
    if let Some(number) = text.strip_prefix('$') {
        let number = number.parse::<usize>().ok()?;
        let place = machine.places.get(number)?.clone();
        let told = if matches!(place, Place::Register(_)) { machine.widths.get(number).copied() } else { None };
        return Some((place, told));
    }
    let name = text.strip_prefix('%')?;
    let (stem, bits) = match name {
        "al" | "bl" | "cl" | "dl" => (format!("{}x", name.get(..1)?), 8),
        "eax" | "ebx" | "ecx" | "edx" | "esi" | "edi" => (name.get(1..)?.to_owned(), 32),
        "rax" | "rbx" | "rcx" | "rdx" | "rsi" | "rdi" => (name.get(1..)?.to_owned(), 64),
        _ => return None,
    };
    Some((Place::Register(*machine.named.get(&stem)?), Some(bits)))
}

/// An instruction's name without the letter for its width, and that width.
fn mnemonic(name: &str) -> Option<(&str, Option<u32>)> {
    const NAMES: &[&str] = &[
        "mov", "movabs", "xchg", "add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test", "not", "neg", "inc",
        "dec", "bswap", "bsf", "bsr", "popcnt", "lzcnt", "tzcnt", "shl", "sal", "shr", "sar", "rol", "ror", "mul",
        "imul", "div", "xadd", "cmpxchg",
    ];
    const CONDITIONS: &[&str] = &["a", "ae", "b", "be", "c", "e", "na", "nae", "nb", "nbe", "nc", "ne", "nz", "z"];
    let conditional = |name: &str| name.strip_prefix("cmov").is_some_and(|condition| CONDITIONS.contains(&condition));
    if NAMES.contains(&name) || name.starts_with("set") || conditional(name) {
        return Some((name, None));
    }
    let (stem, letter) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let bits = match letter {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    (NAMES.contains(&stem) || conditional(stem)).then_some((stem, Some(bits)))
}

/// The width of an operation: its own letter, else what a register says, the destination first.
fn width(suffix: Option<u32>, operands: &[Written]) -> Option<Type> {
    let told = operands.iter().rev().find_map(|(_, bits)| *bits);
    let memory = operands.iter().find_map(|(place, _)| match place {
        Place::Memory(_, ty) => Some(ty.bits()),
        Place::Register(_) | Place::Immediate(_) => None,
    });
    let bits = suffix.or(told).or(memory)?;
    Some(Type::Int(u8::try_from(bits).ok()?))
}

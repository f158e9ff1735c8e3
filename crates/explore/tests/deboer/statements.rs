//! Statements of generated programs.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, RmwOp, Type, UnOp};

use crate::deboer::fault::Fault;
use crate::deboer::generate::{FUNCTIONS, Generator};

/// What an operator works on.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Class {
    Integer,
    Float,
    Any,
}

fn class_of_binary(op: BinOp) -> Class {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::UDiv
        | BinOp::SDiv
        | BinOp::URem
        | BinOp::SRem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::LShr
        | BinOp::AShr
        | BinOp::UMin
        | BinOp::UMax
        | BinOp::SMin
        | BinOp::SMax
        | BinOp::UAddSat
        | BinOp::USubSat
        | BinOp::SAddSat
        | BinOp::SSubSat => Class::Integer,
        BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::CopySign
        | BinOp::FPow => Class::Float,
    }
}

fn class_of_unary(op: UnOp) -> Class {
    match op {
        UnOp::CtPop | UnOp::CtLz | UnOp::CtTz | UnOp::BSwap | UnOp::BitReverse | UnOp::Abs => Class::Integer,
        UnOp::Freeze => Class::Any,
        UnOp::FNeg
        | UnOp::FAbs
        | UnOp::FSqrt
        | UnOp::FFloor
        | UnOp::FCeil
        | UnOp::FTrunc
        | UnOp::FRint
        | UnOp::FNearbyInt
        | UnOp::FRound
        | UnOp::FRoundEven
        | UnOp::FSin
        | UnOp::FCos
        | UnOp::FExp
        | UnOp::FExp2
        | UnOp::FLog
        | UnOp::FLog2
        | UnOp::FLog10 => Class::Float,
    }
}

/// Functions that are symbols to a solver.
pub(crate) fn is_unknown(op: UnOp) -> bool {
    matches!(op, UnOp::FSin | UnOp::FCos | UnOp::FExp | UnOp::FExp2 | UnOp::FLog | UnOp::FLog2 | UnOp::FLog10)
}

/// Operators that make queries long.
fn is_hard(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::UDiv
            | BinOp::SDiv
            | BinOp::URem
            | BinOp::SRem
            | BinOp::Mul
            | BinOp::FRem
            | BinOp::FPow
            | BinOp::FDiv
            | BinOp::FMul
    )
}

type Writer = fn(&mut Generator);

/// Kinds of statements, each with how often it comes.
const KINDS: &[(u64, Writer)] = &[
    (20, Generator::binary),
    (9, Generator::unary),
    (12, Generator::cast),
    (8, Generator::compare),
    (5, Generator::overflow),
    (5, Generator::select),
    (4, Generator::funnel_shift),
    (10, Generator::load),
    (12, Generator::store),
    (5, Generator::copy),
    (3, Generator::fill),
    (4, Generator::atomic),
    (3, Generator::heap),
    (3, Generator::call),
    (2, Generator::engine),
    (6, Generator::control),
];

impl Generator {
    pub(crate) fn statement(&mut self) {
        if let Some(favoured) = self.favoured
            && self.random.chance(40)
        {
            match favoured {
                Fault::Binary(_) => return self.binary(),
                Fault::Unary(_) => return self.unary(),
                Fault::Cast(_) => return self.cast(),
                Fault::IntCompare(_) | Fault::FloatCompare(_) => return self.compare(),
                Fault::Overflow(_) => return self.overflow(),
                Fault::Method(_) => {}
            }
        }
        let mut roll = self.random.below(KINDS.iter().map(|(weight, _)| weight).sum());
        for (weight, write) in KINDS {
            if roll < *weight {
                return write(self);
            }
            roll -= weight;
        }
    }

    /// One of `all`, or half of the time what the favoured operation names.
    fn operation<T: Copy>(&mut self, all: &[T], named: impl Fn(Fault) -> Option<T>) -> T {
        match self.favoured.and_then(named) {
            Some(favoured) if self.random.chance(50) => favoured,
            _ => self.random.pick(all),
        }
    }

    fn integer(&mut self) -> Type {
        loop {
            let ty = self.ty();
            if matches!(ty, Type::Int(_)) {
                return ty;
            }
        }
    }

    fn float(&mut self) -> Type {
        self.random.pick(&[Type::F32, Type::F64])
    }

    fn of_class(&mut self, class: Class) -> Type {
        match class {
            Class::Integer => self.integer(),
            Class::Float => self.float(),
            Class::Any => self.ty(),
        }
    }

    fn binary(&mut self) {
        let op = self.operation(BinOp::ALL, |f| if let Fault::Binary(op) = f { Some(op) } else { None });
        let class = class_of_binary(op);
        if class == Class::Float && !self.profile.floats
            || is_hard(op) && !self.profile.hard && (op == BinOp::FPow || self.random.chance(90))
        {
            return;
        }
        let ty = self.of_class(class);
        let (a, mut b) = (self.operand(ty), self.operand(ty));
        // Most divisors are not zero.
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) && self.random.chance(85) {
            let one = if ty == Type::Int(1) { "true".to_owned() } else { format!("1:{ty}") };
            b = self.define(ty, format_args!("or {b}, {one}"));
        }
        self.compute(ty, format_args!("{op} {a}, {b}"));
    }

    fn unary(&mut self) {
        let op = self.operation(UnOp::ALL, |f| if let Fault::Unary(op) = f { Some(op) } else { None });
        let class = class_of_unary(op);
        if class == Class::Float && !self.profile.floats || is_unknown(op) && !self.profile.hard {
            return;
        }
        let ty = match op {
            UnOp::BSwap => self.random.pick(&[Type::Int(16), Type::Int(32), Type::Int(48), Type::Int(64)]),
            _ => self.of_class(class),
        };
        let a = self.operand(ty);
        self.compute(ty, format_args!("{op} {a}"));
    }

    fn cast(&mut self) {
        let op = self.operation(CastOp::ALL, |f| if let Fault::Cast(op) = f { Some(op) } else { None });
        let narrow = 1 + self.random.below(63) as u8;
        let wide = narrow + 1 + self.random.below(64 - u64::from(narrow)) as u8;
        let (mut small, mut large) = (Type::Int(narrow), Type::Int(wide));
        if self.random.chance(70) {
            let pairs = [(1, 8), (8, 32), (16, 32), (8, 64), (32, 64), (16, 64), (1, 32)];
            let (a, b) = self.random.pick(&pairs);
            (small, large) = (Type::Int(a), Type::Int(b));
        }
        let (integer, float) = (self.integer(), self.float());
        let (from, to) = match op {
            CastOp::Trunc => (large, small),
            CastOp::ZExt | CastOp::SExt => (small, large),
            CastOp::FpTrunc => (Type::F64, Type::F32),
            CastOp::FpExt => (Type::F32, Type::F64),
            CastOp::FpToUi | CastOp::FpToSi => (float, integer),
            CastOp::UiToFp | CastOp::SiToFp => (integer, float),
            CastOp::Bitcast => self.random.pick(&[
                (Type::F32, Type::Int(32)),
                (Type::Int(32), Type::F32),
                (Type::F64, Type::Int(64)),
                (Type::Int(64), Type::F64),
                (Type::Ptr, Type::Int(64)),
            ]),
        };
        let is_float = |ty| matches!(ty, Type::F32 | Type::F64);
        if !self.profile.floats && (is_float(from) || is_float(to)) {
            return;
        }
        let a = self.operand(from);
        self.compute(to, format_args!("{op} {a}"));
    }

    fn compare(&mut self) {
        let floats = match self.favoured {
            Some(Fault::FloatCompare(_)) => 90,
            Some(Fault::IntCompare(_)) => 10,
            _ => 40,
        };
        if self.profile.floats && self.random.chance(floats) {
            let favoured = |f| if let Fault::FloatCompare(p) = f { Some(p) } else { None };
            let (predicate, ty) = (self.operation(FloatPredicate::ALL, favoured), self.float());
            let (a, b) = (self.operand(ty), self.operand(ty));
            self.compute(Type::Int(1), format_args!("fcmp.{predicate} {a}, {b}"));
            return;
        }
        let predicate =
            self.operation(IntPredicate::ALL, |f| if let Fault::IntCompare(p) = f { Some(p) } else { None });
        let ty = if self.random.chance(10) { Type::Ptr } else { self.integer() };
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.compute(Type::Int(1), format_args!("icmp.{predicate} {a}, {b}"));
    }

    fn overflow(&mut self) {
        let op = self.operation(OverflowOp::ALL, |f| if let Fault::Overflow(op) = f { Some(op) } else { None });
        let ty = self.integer();
        if matches!(op, OverflowOp::UMul | OverflowOp::SMul) && !self.profile.hard {
            return;
        }
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.compute(Type::Int(1), format_args!("{op} {a}, {b}"));
    }

    fn select(&mut self) {
        let (condition, ty) = (self.operand(Type::Int(1)), self.ty());
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.compute(ty, format_args!("select {condition}, {a}, {b}"));
    }

    fn funnel_shift(&mut self) {
        let (name, ty) = (self.random.pick(&["fshl", "fshr"]), self.integer());
        if !ty.bits().is_power_of_two() && !self.profile.hard {
            return;
        }
        let (a, b, n) = (self.operand(ty), self.operand(ty), self.operand(ty));
        self.compute(ty, format_args!("{name} {a}, {b}, {n}"));
    }

    fn load(&mut self) {
        let ty = if self.random.chance(12) { Type::Ptr } else { self.ty() };
        if ty == Type::Ptr {
            let pointer = self.chosen_pointer();
            self.keep(Type::Ptr, &pointer);
            return;
        }
        let at = self.place(u64::from(ty.bytes()), false);
        self.compute(ty, format_args!("load [{at}]"));
    }

    fn store(&mut self) {
        let ty = self.ty();
        let (at, value) = (self.place(u64::from(ty.bytes()), true), self.operand(ty));
        self.line(format_args!("    store [{at}], {value}"));
    }

    /// A number of bytes, up to eight: mostly fixed, else by the input.
    fn count(&mut self) -> String {
        if self.random.chance(80) {
            return format!("{}:i64", self.random.below(9));
        }
        let any = self.operand(Type::Int(64));
        self.define(Type::Int(64), format_args!("and {any}, 3"))
    }

    fn copy(&mut self) {
        let name = if self.random.chance(75) { "memmove" } else { "memcpy" };
        let (from, to, n) = (self.place(8, false), self.place(8, true), self.count());
        self.line(format_args!("    {name} [{to}], [{from}], {n}"));
    }

    fn fill(&mut self) {
        let (to, byte, n) = (self.place(8, true), self.operand(Type::Int(8)), self.count());
        self.line(format_args!("    memset [{to}], {byte}, {n}"));
    }

    fn atomic(&mut self) {
        let op = self.random.pick(RmwOp::ALL);
        let ty = match op {
            RmwOp::FAdd | RmwOp::FSub => self.float(),
            _ => self.random.pick(&[Type::Int(8), Type::Int(16), Type::Int(32), Type::Int(64)]),
        };
        let is_float = matches!(ty, Type::F32 | Type::F64);
        if is_float && !self.profile.floats {
            return;
        }
        let (at, value) = (self.place(u64::from(ty.bytes()), true), self.operand(ty));
        if is_float || self.random.chance(60) {
            self.compute(ty, format_args!("rmw {op} seq_cst [{at}], {value}"));
        } else {
            let expected = self.operand(ty);
            self.compute(ty, format_args!("cmpxchg seq_cst acquire [{at}], {expected}, {value}"));
        }
    }

    fn call(&mut self) {
        if !self.may_call {
            return;
        }
        let (a, b, p) = (self.operand(Type::Int(32)), self.operand(Type::Int(64)), self.place(8, true));
        let callee = if self.random.chance(50) {
            format!("@h{}", self.random.below(FUNCTIONS))
        } else {
            let any = self.operand(Type::Int(64));
            let index = self.define(Type::Int(64), format_args!("and {any}, 3"));
            let at = self.define(Type::Ptr, format_args!("address @functions + {index}*8"));
            format!("*{}", self.define(Type::Ptr, format_args!("load [{at}]")))
        };
        self.compute(Type::Int(64), format_args!("call {callee}({a}, {b}, {p})"));
    }

    /// Operations of the engine.
    fn engine(&mut self) {
        let word = Type::Int(64);
        match self.random.below(if self.profile.engine_inputs { 3 } else { 1 }) {
            0 => {
                let (c, a, b) = (self.operand(word), self.operand(word), self.operand(word));
                self.compute(word, format_args!("call __ics_select({c}, {a}, {b})"));
            }
            1 => {
                let bits = self.random.pick(&[1, 7, 8, 13, 32, 64]);
                self.compute(word, format_args!("call __ics_input(@name, {bits}:i32)"));
            }
            _ => {
                let end = self.random.pick(&[12, 13, 15]);
                self.line(format_args!("    store [@in + 15], 0:i8"));
                self.compute(word, format_args!("call __ics_input_of_string(@name, @in + {end}, 32:i32)"));
            }
        }
    }

    fn control(&mut self) {
        if self.depth >= 2 {
            return;
        }
        if self.random.chance(75) { self.branch() } else { self.repeat() }
    }
}

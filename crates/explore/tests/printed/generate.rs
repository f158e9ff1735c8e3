//! Random conditions, in the shapes that programs give them.

use icsched_smt::{BinOp, CmpOp, Evaluation, FpOp, Term, TermPool};

use crate::deboer::random::Random;
use crate::printed::inputs::{BYTES, Inputs, Kind, float, limit, symbols};

/// Makes terms of one condition.
pub(crate) struct Generator<'a> {
    pool: &'a mut TermPool,
    random: &'a mut Random,
    symbols: Vec<(String, u32, Kind)>,
    /// What conditions will be evaluated for.
    inputs: &'a [Inputs],
    /// Whether a float becomes an integer: C leaves that undefined where it does not fit, and compilers fold it for
    /// constants.
    converts: bool,
}

const WIDTHS: [u32; 22] = [8, 8, 8, 16, 16, 32, 32, 32, 32, 32, 32, 64, 64, 64, 64, 2, 3, 12, 24, 33, 40, 128];
const COMPARISONS: [CmpOp; 6] = [CmpOp::Eq, CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle];

impl<'a> Generator<'a> {
    pub(crate) fn new(pool: &'a mut TermPool, random: &'a mut Random, inputs: &'a [Inputs]) -> Self {
        Self { pool, random, symbols: symbols(), inputs, converts: false }
    }

    /// Some conditions that are to hold together.
    pub(crate) fn conditions(&mut self) -> Vec<Term> {
        let count = if self.random.chance(60) { 1 } else { 2 + self.random.below(3) };
        (0..count).map(|_| self.condition(3)).collect()
    }

    fn condition(&mut self, depth: u32) -> Term {
        let kinds = if depth == 0 { 11 } else { 18 };
        match self.random.below(kinds) {
            0..=6 => self.comparison(),
            7 => self.float_comparison(),
            8 => self.string(),
            9 => self.interval(),
            10 => self.bit(),
            11 | 12 => self.connective(BinOp::And, depth),
            13 | 14 => self.connective(BinOp::Or, depth),
            15 => self.connective(BinOp::Xor, depth),
            16 => {
                let inner = self.condition(depth - 1);
                self.pool.not(inner)
            }
            _ => {
                let [c, a, b] = [(); 3].map(|()| self.condition(depth - 1));
                self.pool.ite(c, a, b)
            }
        }
    }

    fn connective(&mut self, op: BinOp, depth: u32) -> Term {
        let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
        self.pool.binary(op, a, b)
    }

    fn comparison(&mut self) -> Term {
        let width = self.random.pick(&WIDTHS);
        let op = self.random.pick(&COMPARISONS);
        let a = self.integer(width, 3);
        let b = match self.random.below(10) {
            0..=4 => self.near(a),
            5 | 6 => self.constant(width),
            _ => self.integer(width, 2),
        };
        if self.random.chance(50) { self.pool.cmp(op, a, b) } else { self.pool.cmp(op, b, a) }
    }

    fn float_comparison(&mut self) -> Term {
        let width = if self.random.chance(70) { 64 } else { 32 };
        let op = self.random.pick(&[FpOp::FEq, FpOp::FLt, FpOp::FLe, FpOp::FUno]);
        let (a, b) = (self.float(width, 2), self.float(width, 1));
        self.pool.fp(op, &[a, b])
    }

    /// Bytes of an input that are some text, or begin with it.
    fn string(&mut self) -> Term {
        let text = self.random.pick(&[&b"fast\0"[..], b"-v", b"a\xe9b\0", b"\"?\\\n\0", b"q\0", b"\x80\x90a"]);
        let base = self.random.pick(&["argv[1]", "argv[2]", "stdin", "data.txt"]);
        let mut all = Vec::new();
        for (&c, i) in text.iter().zip(0..BYTES) {
            let byte = self.pool.symbol(&format!("{base}[{i}]"), 8);
            let c = self.pool.constant(8, c.into());
            all.push(self.pool.cmp(CmpOp::Eq, byte, c));
        }
        let same = self.pool.and_all(&all);
        if self.random.chance(50) { same } else { self.pool.not(same) }
    }

    /// What compilers make of `low <= x && x < high`.
    fn interval(&mut self) -> Term {
        let width = self.random.pick(&[8, 8, 16, 32, 32, 64, 64]);
        let x = self.integer(width, 1);
        let (low, size) = (self.near(x), self.constant(width));
        let moved = self.pool.binary(BinOp::Sub, x, low);
        self.pool.cmp(CmpOp::Ult, moved, size)
    }

    fn bit(&mut self) -> Term {
        let width = self.random.pick(&WIDTHS);
        let x = self.integer(width, 2);
        let bit = self.random.below(u64::from(width)) as u32;
        self.pool.extract(x, bit, bit)
    }

    /// A number next to one that a term is for some input.
    fn near(&mut self, t: Term) -> Term {
        let width = self.pool.width(t);
        let input = self.random.below(self.inputs.len() as u64) as usize;
        let bits = self.pool.eval_with(t, &self.inputs[input].model(), &mut Evaluation::default());
        let bits = bits.wrapping_add(self.random.below(3).into()).wrapping_sub(1);
        self.pool.constant_wide(width, bits & (u128::MAX >> (128 - width)))
    }

    fn constant(&mut self, width: u32) -> Term {
        let bits = match self.random.below(6) {
            0 | 1 => self.random.below(12),
            2 => self.random.below(6).wrapping_neg(),
            3 => u64::from(self.random.pick(b"aAzZ09 qQ\0\xa0\xff")),
            4 => limit(self.random),
            _ => self.random.next() >> self.random.below(64),
        };
        let wide = if self.random.chance(50) { u128::from(bits) } else { i128::from(bits.cast_signed()) as u128 };
        self.pool.constant_wide(width, wide & (u128::MAX >> (128 - width)))
    }

    /// An input, cut or extended to a width.
    fn input(&mut self, width: u32) -> Term {
        let at = self.random.below(self.symbols.len() as u64) as usize;
        // Half of the inputs are bytes: others as often.
        let at = if self.random.chance(50) { self.symbols.len() - 1 - at % 20 } else { at };
        let (name, own, kind) = self.symbols[at].clone();
        let symbol = self.pool.symbol(&name, own);
        let symbol = if kind == Kind::Float && own == 32 { self.pool.fp(FpOp::FpToSi(32), &[symbol]) } else { symbol };
        self.fitted(symbol, width)
    }

    fn fitted(&mut self, t: Term, width: u32) -> Term {
        let own = self.pool.width(t);
        match own.cmp(&width) {
            std::cmp::Ordering::Equal => t,
            std::cmp::Ordering::Less if self.random.chance(50) => self.pool.zext(t, width),
            std::cmp::Ordering::Less => self.pool.sext(t, width),
            std::cmp::Ordering::Greater if self.random.chance(70) => self.pool.trunc(t, width),
            std::cmp::Ordering::Greater => {
                let lo = self.random.below(u64::from(own - width) + 1) as u32;
                self.pool.extract(t, lo + width - 1, lo)
            }
        }
    }

    fn integer(&mut self, width: u32, depth: u32) -> Term {
        if depth == 0 || self.random.chance(25) {
            return if self.random.chance(85) { self.input(width) } else { self.constant(width) };
        }
        match self.random.below(20) {
            0..=9 => self.binary(width, depth),
            10 => {
                let inner = self.integer(width, depth - 1);
                self.pool.not(inner)
            }
            11 | 12 => {
                let c = self.condition(0);
                let (a, b) = (self.integer(width, depth - 1), self.integer(width, depth - 1));
                self.pool.ite(c, a, b)
            }
            13..=15 => {
                let other = self.random.pick(&WIDTHS);
                let inner = self.integer(other, depth - 1);
                self.fitted(inner, width)
            }
            16 => {
                let c = self.condition(0);
                self.fitted(c, width)
            }
            17 => self.pieces(width),
            18 => self.table(width),
            _ => self.of_float(width),
        }
    }

    fn binary(&mut self, width: u32, depth: u32) -> Term {
        use BinOp::*;
        let op = self
            .random
            .pick(&[Add, Add, Add, Sub, Sub, Mul, Mul, And, And, Or, Xor, Shl, LShr, AShr, UDiv, SDiv, URem, SRem]);
        let a = self.integer(width, depth - 1);
        let b = if self.random.chance(60) { self.constant(width) } else { self.integer(width, depth - 1) };
        let b = match op {
            Shl | LShr | AShr if self.random.chance(80) => {
                let last = self.pool.constant(width, u64::from(width) - 1);
                self.pool.binary(if width.is_power_of_two() { And } else { URem }, b, last)
            }
            _ => b,
        };
        self.pool.binary(op, a, b)
    }

    /// Some bytes of inputs next to each other.
    fn pieces(&mut self, width: u32) -> Term {
        let base = self.random.pick(&["argv[1]", "stdin"]);
        let start = self.random.below(3) as usize;
        let count = self.random.pick(&[2, 3, 4]);
        let bytes: Vec<Term> = (start..start + count).map(|i| self.pool.symbol(&format!("{base}[{i}]"), 8)).collect();
        let word = bytes[1..].iter().fold(bytes[0], |low, &high| self.pool.concat(high, low));
        self.fitted(word, width)
    }

    /// An element of a table: of `toupper`, or of random bytes or numbers.
    fn table(&mut self, width: u32) -> Term {
        let is_upper = self.random.chance(50);
        let wide = is_upper || self.random.chance(50);
        let mut array = self.pool.const_array(if is_upper { 0 } else { 7 });
        for c in 0..if is_upper { 256 } else { 100u64 } {
            let value = if is_upper { (c as u8).to_ascii_uppercase().into() } else { self.random.below(256) };
            let at = self.pool.constant(64, if wide { 4 * c } else { c });
            let value = self.pool.constant(8, value);
            array = self.pool.store(array, at, value);
        }
        let index = self.integer(8, 1);
        let mut at = self.pool.zext(index, 64);
        if !wide {
            let byte = self.pool.select(array, at);
            return self.fitted(byte, width);
        }
        let four = self.pool.constant(64, 4);
        at = self.pool.binary(BinOp::Mul, at, four);
        let mut word = self.pool.select(array, at);
        for k in 1..4 {
            let k = self.pool.constant(64, k);
            let next = self.pool.binary(BinOp::Add, at, k);
            let byte = self.pool.select(array, next);
            word = self.pool.concat(byte, word);
        }
        self.fitted(word, width)
    }

    fn of_float(&mut self, width: u32) -> Term {
        let from = if self.random.chance(70) { 64 } else { 32 };
        let before = std::mem::replace(&mut self.converts, true);
        let x = self.float(from, 1);
        self.converts = before;
        match self.random.below(4) {
            0 => self.fitted(x, width),
            1 if width <= 64 => {
                let op = if self.random.chance(50) { FpOp::FpToUi(width) } else { FpOp::FpToSi(width) };
                self.pool.fp(op, &[x])
            }
            _ => {
                let to = self.random.pick(&[32, 64]);
                let number = self.pool.fp(FpOp::FpToSi(to), &[x]);
                self.fitted(number, width)
            }
        }
    }

    fn float(&mut self, width: u32, depth: u32) -> Term {
        if depth == 0 || self.random.chance(25) {
            return match self.random.below(4) {
                0 if self.converts => {
                    let small: f64 = self.random.pick(&[0.0, -1.5, 100.0]);
                    let bits = if width == 32 { (small as f32).to_bits().into() } else { small.to_bits() };
                    self.pool.constant(width, bits)
                }
                0 => {
                    let bits = float(self.random, width);
                    self.pool.constant(width, bits)
                }
                1 if width == 64 => self.pool.symbol("atof(argv[1])", 64),
                2 => {
                    let number = self.integer(32, 1);
                    self.pool
                        .fp(if self.random.chance(50) { FpOp::SiToFp(width) } else { FpOp::UiToFp(width) }, &[number])
                }
                _ if width == 64 => self.pool.symbol("((x + target / x) * 0.5)@2", 64),
                _ => self.pool.symbol("share@0", 32),
            };
        }
        let a = self.float(width, depth - 1);
        match self.random.below(10) {
            0..=4 => {
                let b = self.float(width, depth - 1);
                let op = self.random.pick(&[FpOp::FAdd, FpOp::FSub, FpOp::FMul, FpOp::FDiv]);
                self.pool.fp(op, &[a, b])
            }
            5 => {
                let other = self.float(96 - width, depth - 1);
                self.pool.fp(FpOp::FpToFp(width), &[other])
            }
            6 => self.integer(width, 1),
            7 => {
                let (c, b) = (self.condition(0), self.float(width, depth - 1));
                self.pool.ite(c, a, b)
            }
            _ => {
                let op =
                    self.random.pick(&[FpOp::FNeg, FpOp::FAbs, FpOp::FSqrt, FpOp::FFloor, FpOp::FCeil, FpOp::FTrunc]);
                self.pool.fp(op, &[a])
            }
        }
    }
}

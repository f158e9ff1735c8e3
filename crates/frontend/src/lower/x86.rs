//! The vector instructions of x86-64 that clang has no portable operation for (`llvm.x86.…`), lane by lane.
//!
//! Widths of 128 and 256 bits differ in the number of lanes only; what works within 128 bits does so in each half. Not
//! lowered: approximations (`rcpps`), encryption, string comparison, 512 bits.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, Op, Operand, Type, UnOp};
use smallvec::{SmallVec, smallvec};

use super::error::Reason;
use super::function::Body;
use super::shape::Operands;
use super::wide::constant;
use crate::llvm::Val;

const I1: Type = Type::Int(1);
const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);

impl<'m> Body<'_, 'm> {
    /// Lowers a call of `llvm.x86.NAME`.
    pub(crate) fn lower_x86(&mut self, inst: Val<'m>, name: &str, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let short = short_name(name);
        let result: SmallVec<[Type; 4]> = self.check(inst.ty())?.types().collect();
        let mut lanes: SmallVec<[Operands; 3]> = SmallVec::new();
        for &arg in args {
            lanes.push(self.operands(arg)?);
        }
        let immediate = args.last().and_then(|last| last.int_bits());
        let none = Operands::new();
        let (a, b, c) = (lanes.first().unwrap_or(&none), lanes.get(1).unwrap_or(&none), lanes.get(2).unwrap_or(&none));
        Ok(match (short, immediate) {
            ("min.ps" | "min.pd", _) => self.x86_extreme(FloatPredicate::Olt, a, b),
            ("max.ps" | "max.pd", _) => self.x86_extreme(FloatPredicate::Ogt, a, b),
            ("min.ss" | "min.sd", _) => first_of(self.x86_extreme(FloatPredicate::Olt, &a[..1], &b[..1]), a),
            ("max.ss" | "max.sd", _) => first_of(self.x86_extreme(FloatPredicate::Ogt, &a[..1], &b[..1]), a),
            ("cmp.ps" | "cmp.pd", Some(predicate)) => self.x86_compare(predicate, a, b),
            ("cmp.ss" | "cmp.sd", Some(predicate)) => first_of(self.x86_compare(predicate, &a[..1], &b[..1]), a),
            ("round.ps" | "round.pd", Some(mode)) => self.x86_round(mode, a),
            ("round.ss" | "round.sd", Some(mode)) => first_of(self.x86_round(mode, &b[..1]), a),
            ("movmsk.ps" | "movmsk.pd" | "pmovmskb", _) => smallvec![self.x86_signs(a)],
            ("ptestz" | "ptestc" | "ptestnzc" | "vtestz" | "vtestc", _) if !name.contains("vtest") => {
                smallvec![self.x86_test(short, a, b)]
            }
            ("blendvps" | "blendvpd" | "blendv.ps" | "blendv.pd" | "pblendvb", _) => self.x86_blend(a, b, c),
            ("pmadd.wd", _) => self.x86_multiply_add(true, false, a, b),
            ("pmadd.ub.sw", _) => self.x86_multiply_add(false, true, a, b),
            ("pmulh.w", _) => self.x86_each(a, b, |x, a, b| x.x86_high_product(true, a, b)),
            ("pmulhu.w", _) => self.x86_each(a, b, |x, a, b| x.x86_high_product(false, a, b)),
            ("pmul.hr.sw", _) => self.x86_each(a, b, Self::x86_rounded_product),
            ("pavg.b" | "pavg.w", _) => self.x86_each(a, b, Self::x86_average),
            ("psad.bw", _) => self.x86_differences(a, b),
            ("packssdw" | "packsswb", _) => self.x86_pack(true, a, b),
            ("packusdw" | "packuswb", _) => self.x86_pack(false, a, b),
            ("psign.b" | "psign.w" | "psign.d", _) => self.x86_each(a, b, Self::x86_sign),
            ("pshuf.b", _) => self.x86_shuffle(a, b),
            ("phadd.w" | "phadd.d", _) => self.x86_pairs(BinOp::Add, a, b),
            ("phsub.w" | "phsub.d", _) => self.x86_pairs(BinOp::Sub, a, b),
            ("phadd.sw", _) => self.x86_pairs(BinOp::SAddSat, a, b),
            ("phsub.sw", _) => self.x86_pairs(BinOp::SSubSat, a, b),
            ("hadd.ps" | "hadd.pd", _) => self.x86_pairs(BinOp::FAdd, a, b),
            ("hsub.ps" | "hsub.pd", _) => self.x86_pairs(BinOp::FSub, a, b),
            _ if short.starts_with("psl") || short.starts_with("psr") => self.x86_shift(short, a, args[1], b)?,
            _ if short.starts_with("cvt") => self.x86_convert(short, &result, a).ok_or_else(|| unknown(name))?,
            _ if short.starts_with("comi") || short.starts_with("ucomi") => {
                smallvec![self.x86_order(short, a[0], b[0]).ok_or_else(|| unknown(name))?]
            }
            _ if short.starts_with("crc32.") => self.x86_crc(&result, a[0], b[0]),
            _ if short.starts_with("addcarry.") => self.x86_carry(BinOp::Add, [a[0], b[0], c[0]]),
            _ if short.starts_with("subborrow.") => self.x86_carry(BinOp::Sub, [a[0], b[0], c[0]]),
            ("vzeroupper" | "vzeroall" | "clflush" | "clflushopt" | "clwb", _) => Operands::new(),
            ("stmxcsr", _) => {
                // All exceptions masked, rounding to nearest: as every thread starts.
                let (address, value) = (a[0], constant(I32, 0x1f80));
                self.emit_void(Op::Store { address, value, access: icsched_ir::Access::default() });
                Operands::new()
            }
            ("permd" | "permps", _) => self.x86_permute(a, b),
            ("vcvtps2ph", Some(0 | 4 | 8 | 12)) => self.x86_to_half(&result, a)?,
            ("rdtsc", _) => self.call_support("__ics_time_stamp", &[], &[I64])?,
            ("rdtscp", _) => {
                let mut both = self.call_support("__ics_time_stamp", &[], &[I64])?;
                both.push(constant(I32, 0));
                both
            }
            _ => return Err(unknown(name)),
        })
    }

    fn x86_each(
        &mut self,
        a: &[Operand],
        b: &[Operand],
        f: impl Fn(&mut Self, Operand, Operand) -> Operand,
    ) -> Operands {
        a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    fn op(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        let ty = self.type_of(a);
        self.fold_binary(ty, op, a, b)
    }

    fn resized(&mut self, signed: bool, a: Operand, ty: Type) -> Operand {
        let op = match self.type_of(a).bits() {
            bits if bits > ty.bits() => CastOp::Trunc,
            _ if signed => CastOp::SExt,
            _ => CastOp::ZExt,
        };
        self.cast(op, a, ty)
    }

    fn is(&mut self, predicate: IntPredicate, a: Operand, b: Operand) -> Operand {
        self.emit(I1, Op::IntCompare { predicate, a, b })
    }

    fn is_float(&mut self, predicate: FloatPredicate, a: Operand, b: Operand) -> Operand {
        self.emit(I1, Op::FloatCompare { predicate, a, b })
    }

    /// The second operand where the comparison fails, so for zeros and NaNs.
    fn x86_extreme(&mut self, predicate: FloatPredicate, a: &[Operand], b: &[Operand]) -> Operands {
        self.x86_each(a, b, |body, a, b| {
            let first = body.is_float(predicate, a, b);
            body.select(first, a, b)
        })
    }

    /// All bits of a lane are the comparison's result. Bit 4 of the predicate is about exceptions only.
    fn x86_compare(&mut self, predicate: u64, a: &[Operand], b: &[Operand]) -> Operands {
        use FloatPredicate::{False, Oeq, Oge, Ogt, Ole, Olt, One, Ord, True, Ueq, Uge, Ugt, Ule, Ult, Une, Uno};
        let predicates = [Oeq, Olt, Ole, Uno, Une, Uge, Ugt, Ord, Ueq, Ult, Ule, False, One, Oge, Ogt, True];
        let predicate = predicates[usize::try_from(predicate & 15).expect("below 16")];
        self.x86_each(a, b, |body, a, b| {
            let ty = body.type_of(a);
            let bits = Type::Int(u8::try_from(ty.bits()).expect("a float"));
            let result = body.is_float(predicate, a, b);
            let all = body.cast(CastOp::SExt, result, bits);
            body.cast(CastOp::Bitcast, all, ty)
        })
    }

    fn x86_order(&mut self, name: &str, a: Operand, b: Operand) -> Option<Operand> {
        let stem = name.trim_start_matches('u').strip_prefix("comi")?;
        let predicate = match stem.trim_end_matches(".ss").trim_end_matches(".sd") {
            "eq" => FloatPredicate::Oeq,
            "lt" => FloatPredicate::Olt,
            "le" => FloatPredicate::Ole,
            "gt" => FloatPredicate::Ogt,
            "ge" => FloatPredicate::Oge,
            "neq" => FloatPredicate::Une,
            _ => return None,
        };
        let result = self.is_float(predicate, a, b);
        Some(self.cast(CastOp::ZExt, result, I32))
    }

    fn x86_round(&mut self, mode: u64, a: &[Operand]) -> Operands {
        let op = match mode & 7 {
            0 => UnOp::FRoundEven,
            1 => UnOp::FFloor,
            2 => UnOp::FCeil,
            3 => UnOp::FTrunc,
            _ => UnOp::FNearbyInt,
        };
        a.iter()
            .map(|&a| {
                let ty = self.type_of(a);
                self.emit(ty, Op::Unary { op, a })
            })
            .collect()
    }

    /// The highest bits of all lanes.
    fn x86_signs(&mut self, a: &[Operand]) -> Operand {
        let mut all = constant(I32, 0);
        for (place, &lane) in (0..).zip(a) {
            let bits = self.as_int(lane);
            let ty = self.type_of(bits);
            let sign = self.op(BinOp::LShr, bits, constant(ty, u64::from(ty.bits() - 1)));
            let sign = self.resized(false, sign, I32);
            let placed = self.op(BinOp::Shl, sign, constant(I32, place));
            all = self.op(BinOp::Or, all, placed);
        }
        all
    }

    fn x86_test(&mut self, name: &str, a: &[Operand], b: &[Operand]) -> Operand {
        let (mut common, mut missing) = (constant(I64, 0), constant(I64, 0));
        for (&a, &b) in a.iter().zip(b) {
            let both = self.op(BinOp::And, a, b);
            common = self.op(BinOp::Or, common, both);
            let inverted = self.op(BinOp::Xor, a, constant(I64, u64::MAX));
            let only = self.op(BinOp::And, inverted, b);
            missing = self.op(BinOp::Or, missing, only);
        }
        let zero = constant(I64, 0);
        let result = match name {
            "ptestz" => self.is(IntPredicate::Eq, common, zero),
            "ptestc" => self.is(IntPredicate::Eq, missing, zero),
            _ => {
                let (x, y) = (self.is(IntPredicate::Ne, common, zero), self.is(IntPredicate::Ne, missing, zero));
                self.op(BinOp::And, x, y)
            }
        };
        self.cast(CastOp::ZExt, result, I32)
    }

    fn x86_blend(&mut self, a: &[Operand], b: &[Operand], mask: &[Operand]) -> Operands {
        let choices = a.iter().zip(b).zip(mask);
        choices
            .map(|((&a, &b), &mask)| {
                let bits = self.as_int(mask);
                let ty = self.type_of(bits);
                let second = self.is(IntPredicate::Slt, bits, constant(ty, 0));
                self.select(second, b, a)
            })
            .collect()
    }

    /// Sums of neighbouring products, twice as wide, or saturated.
    fn x86_multiply_add(&mut self, signed: bool, saturate: bool, a: &[Operand], b: &[Operand]) -> Operands {
        let mut results = Operands::new();
        for (a, b) in a.chunks(2).zip(b.chunks(2)) {
            let mut sum = constant(I32, 0);
            for (&a, &b) in a.iter().zip(b) {
                let (a, b) = (self.resized(signed, a, I32), self.resized(true, b, I32));
                let product = self.op(BinOp::Mul, a, b);
                sum = self.op(BinOp::Add, sum, product);
            }
            results.push(if saturate { self.x86_saturate(true, sum, Type::Int(16)) } else { sum });
        }
        results
    }

    fn x86_high_product(&mut self, signed: bool, a: Operand, b: Operand) -> Operand {
        let (a, b) = (self.resized(signed, a, I32), self.resized(signed, b, I32));
        let product = self.op(BinOp::Mul, a, b);
        let high = self.op(BinOp::LShr, product, constant(I32, 16));
        self.resized(false, high, Type::Int(16))
    }

    fn x86_rounded_product(&mut self, a: Operand, b: Operand) -> Operand {
        let (a, b) = (self.resized(true, a, I32), self.resized(true, b, I32));
        let product = self.op(BinOp::Mul, a, b);
        let shifted = self.op(BinOp::AShr, product, constant(I32, 14));
        let more = self.op(BinOp::Add, shifted, constant(I32, 1));
        let half = self.op(BinOp::AShr, more, constant(I32, 1));
        self.resized(false, half, Type::Int(16))
    }

    fn x86_average(&mut self, a: Operand, b: Operand) -> Operand {
        let ty = self.type_of(a);
        let (a, b) = (self.resized(false, a, I32), self.resized(false, b, I32));
        let sum = self.op(BinOp::Add, a, b);
        let more = self.op(BinOp::Add, sum, constant(I32, 1));
        let half = self.op(BinOp::LShr, more, constant(I32, 1));
        self.resized(false, half, ty)
    }

    fn x86_sign(&mut self, a: Operand, b: Operand) -> Operand {
        let ty = self.type_of(a);
        let zero = constant(ty, 0);
        let negated = self.op(BinOp::Sub, zero, a);
        let negative = self.is(IntPredicate::Slt, b, zero);
        let positive = self.is(IntPredicate::Sgt, b, zero);
        let kept = self.select(positive, a, zero);
        self.select(negative, negated, kept)
    }

    /// Sums of the distances of 8 bytes.
    fn x86_differences(&mut self, a: &[Operand], b: &[Operand]) -> Operands {
        let groups: Vec<(&[Operand], &[Operand])> = a.chunks(8).zip(b.chunks(8)).collect();
        let mut results = Operands::new();
        for (a, b) in groups {
            let mut sum = constant(I64, 0);
            for (&a, &b) in a.iter().zip(b) {
                let ty = self.type_of(a);
                let high = self.emit(ty, Op::binary(BinOp::UMax, a, b));
                let low = self.emit(ty, Op::binary(BinOp::UMin, a, b));
                let distance = self.op(BinOp::Sub, high, low);
                let distance = self.resized(false, distance, I64);
                sum = self.op(BinOp::Add, sum, distance);
            }
            results.push(sum);
        }
        results
    }

    /// A signed number as the nearest one of half its width.
    fn x86_saturate(&mut self, signed: bool, a: Operand, to: Type) -> Operand {
        let from = self.type_of(a);
        let (low, high) =
            if signed { ((to.mask() >> 1).wrapping_neg().wrapping_sub(1), to.mask() >> 1) } else { (0, to.mask()) };
        let above = self.emit(from, Op::binary(BinOp::SMax, a, constant(from, low)));
        let inside = self.emit(from, Op::binary(BinOp::SMin, above, constant(from, high)));
        self.cast(CastOp::Trunc, inside, to)
    }

    fn x86_pack(&mut self, signed: bool, a: &[Operand], b: &[Operand]) -> Operands {
        let bits = a.first().map_or(16, |&lane| self.type_of(lane).bits());
        let to = Type::Int(u8::try_from(bits / 2).expect("a lane"));
        let block = (128 / bits) as usize;
        let order: Vec<Operand> = a.chunks(block).zip(b.chunks(block)).flat_map(|(a, b)| [a, b].concat()).collect();
        order.into_iter().map(|lane| self.x86_saturate(signed, lane, to)).collect()
    }

    fn x86_shuffle(&mut self, a: &[Operand], indices: &[Operand]) -> Operands {
        let byte = Type::Int(8);
        let mut results = Operands::new();
        for (table, indices) in a.chunks(16).zip(indices.chunks(16)) {
            for &index in indices {
                let place = self.op(BinOp::And, index, constant(byte, 15));
                let mut chosen = table[0];
                for (number, &lane) in (1..).zip(&table[1..]) {
                    let here = self.is(IntPredicate::Eq, place, constant(byte, number));
                    chosen = self.select(here, lane, chosen);
                }
                let clear = self.is(IntPredicate::Slt, index, constant(byte, 0));
                results.push(self.select(clear, constant(byte, 0), chosen));
            }
        }
        results
    }

    /// Lanes by number.
    fn x86_permute(&mut self, a: &[Operand], indices: &[Operand]) -> Operands {
        let last = constant(I32, a.len() as u64 - 1);
        let mut results = Operands::new();
        for &index in indices {
            let place = self.op(BinOp::And, index, last);
            let mut chosen = a[0];
            for (number, &lane) in (1..).zip(&a[1..]) {
                let here = self.is(IntPredicate::Eq, place, constant(I32, number));
                chosen = self.select(here, lane, chosen);
            }
            results.push(chosen);
        }
        results
    }

    /// To half precision, to nearest even; lanes without a source are zero.
    fn x86_to_half(&mut self, to: &[Type], a: &[Operand]) -> Result<Operands, Reason> {
        let mut results = Operands::new();
        for (lane, &ty) in to.iter().enumerate() {
            match a.get(lane) {
                Some(&number) => results.extend(self.call_support("__truncsfhf2", &[number], &[ty])?),
                None => results.push(constant(ty, 0)),
            }
        }
        Ok(results)
    }

    /// Neighbours combined: those of the first operand, then those of the second, in each 128 bits.
    fn x86_pairs(&mut self, op: BinOp, a: &[Operand], b: &[Operand]) -> Operands {
        let bits = a.first().map_or(32, |&lane| self.type_of(lane).bits());
        let block = (128 / bits) as usize;
        let order: Vec<Operand> = a.chunks(block).zip(b.chunks(block)).flat_map(|(a, b)| [a, b].concat()).collect();
        let pairs = order.chunks(2).map(|pair| {
            let ty = self.type_of(pair[0]);
            self.emit(ty, Op::binary(op, pair[0], pair[1]))
        });
        pairs.collect()
    }

    /// Shifts by one count for all lanes (a number, or the low half of a vector), or by one for each (`v`). Too large
    /// counts give zero, or the sign.
    fn x86_shift(&mut self, name: &str, a: &[Operand], count: Val<'m>, b: &[Operand]) -> Result<Operands, Reason> {
        let op = match name.get(..4) {
            Some("psll") => BinOp::Shl,
            Some("psrl") => BinOp::LShr,
            Some("psra") => BinOp::AShr,
            _ => return Err(unknown(name)),
        };
        let stem = name.split('.').next().unwrap_or(name);
        let counts: Operands = match &stem[4..] {
            "v" => b.into(),
            "i" => SmallVec::from_elem(b[0], a.len()),
            "" => {
                let parts = self.parts(count)?;
                let low = self.bits_of(&parts)[0];
                SmallVec::from_elem(low, a.len())
            }
            _ => return Err(unknown(name)),
        };
        Ok(self.x86_each(a, &counts, |body, a, count| {
            let ty = body.type_of(a);
            let width = u64::from(ty.bits());
            let count_type = body.type_of(count);
            let fits = body.is(IntPredicate::Ult, count, constant(count_type, width));
            let largest = if op == BinOp::AShr { width - 1 } else { 0 };
            let inside = body.select(fits, count, constant(count_type, largest));
            let inside = body.resized(false, inside, ty);
            let shifted = body.emit(ty, Op::binary(op, a, inside));
            if op == BinOp::AShr { shifted } else { body.select(fits, shifted, constant(ty, 0)) }
        }))
    }

    /// Conversions between lanes of floats and integers; lanes without a source are zero.
    fn x86_convert(&mut self, name: &str, to: &[Type], a: &[Operand]) -> Option<Operands> {
        let truncates = name.starts_with("cvtt");
        let stem = name.trim_start_matches("cvtt").trim_start_matches("cvt").trim_start_matches('.');
        let stem = stem.trim_end_matches(".128");
        Some(match stem {
            "ps2dq" | "pd2dq" | "pd2.dq" | "ss2si" | "ss2si64" | "sd2si" | "sd2si64" | "pd2dq.256" | "ps2dq.256" => {
                (0..)
                    .zip(to)
                    .map(|(lane, &ty): (usize, _)| match a.get(lane) {
                        Some(&a) => self.x86_to_integer(truncates, a, ty),
                        None => constant(ty, 0),
                    })
                    .collect()
            }
            "pd2ps" => (0..)
                .zip(to)
                .map(|(lane, &ty): (usize, _)| match a.get(lane) {
                    Some(&a) => self.cast(CastOp::FpTrunc, a, ty),
                    None => constant(ty, 0),
                })
                .collect(),
            _ => return None,
        })
    }

    /// What does not fit becomes the most negative number.
    fn x86_to_integer(&mut self, truncates: bool, a: Operand, to: Type) -> Operand {
        let from = self.type_of(a);
        let whole = self.emit(from, Op::Unary { op: if truncates { UnOp::FTrunc } else { UnOp::FNearbyInt }, a });
        // Both bounds are powers of two, exact in either format.
        let exponent = u64::from(to.bits() - 1);
        let (bias, place, sign) = if from == Type::F32 { (127, 23, 31) } else { (1023, 52, 63) };
        let bound = (bias + exponent) << place;
        let (high, low) = (constant(from, bound), constant(from, bound | 1 << sign));
        let above = self.is_float(FloatPredicate::Oge, whole, low);
        let below = self.is_float(FloatPredicate::Olt, whole, high);
        let fits = self.op(BinOp::And, above, below);
        let safe = self.select(fits, whole, constant(from, 0));
        let number = self.emit(to, Op::Cast { op: CastOp::FpToSi, a: safe });
        self.select(fits, number, constant(to, 1 << exponent))
    }

    /// CRC-32C, bit by bit.
    fn x86_crc(&mut self, result: &[Type], crc: Operand, data: Operand) -> Operands {
        let bits = self.type_of(data).bits();
        let start = self.resized(false, crc, I64);
        let data = self.resized(false, data, I64);
        let mut crc = self.op(BinOp::Xor, start, data);
        for _ in 0..bits {
            let low = self.op(BinOp::And, crc, constant(I64, 1));
            let mask = self.op(BinOp::Sub, constant(I64, 0), low);
            let polynomial = self.op(BinOp::And, mask, constant(I64, 0x82f6_3b78));
            let rest = self.op(BinOp::LShr, crc, constant(I64, 1));
            crc = self.op(BinOp::Xor, rest, polynomial);
        }
        smallvec![self.resized(false, crc, result[0])]
    }

    /// `(carry out, result)` of a sum or difference with a carry in.
    fn x86_carry(&mut self, op: BinOp, [carry, a, b]: [Operand; 3]) -> Operands {
        let ty = self.type_of(a);
        let set = self.is(IntPredicate::Ne, carry, constant(Type::Int(8), 0));
        let carry = self.resized(false, set, ty);
        let partial = self.op(op, a, b);
        let total = self.op(op, partial, carry);
        let (first, second) = if op == BinOp::Add {
            (self.is(IntPredicate::Ult, partial, a), self.is(IntPredicate::Ult, total, carry))
        } else {
            (self.is(IntPredicate::Ult, a, b), self.is(IntPredicate::Ult, partial, carry))
        };
        let out = self.op(BinOp::Or, first, second);
        smallvec![self.resized(false, out, Type::Int(8)), total]
    }
}

fn unknown(name: &str) -> Reason {
    Reason(format!("llvm.x86.{name}"))
}

/// The name without instruction set and vector width.
fn short_name(name: &str) -> &str {
    let sets = ["sse.", "sse2.", "sse3.", "ssse3.", "sse41.", "sse42.", "avx.", "avx2."];
    let stem = sets.iter().find_map(|set| name.strip_prefix(set)).unwrap_or(name);
    stem.strip_suffix(".128").or_else(|| stem.strip_suffix(".256")).unwrap_or(stem)
}

/// A vector of which only the first lane was computed.
fn first_of(first: Operands, rest: &[Operand]) -> Operands {
    first.into_iter().take(1).chain(rest.iter().copied().skip(1)).collect()
}

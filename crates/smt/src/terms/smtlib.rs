//! Terms as an SMT-LIB 2 script: for queries with floats (the `z3` crate has no conversions from bits), for other
//! solvers, and for reading.
//!
//! All terms are bit vectors or arrays, truth values are one bit. `fp.to_ieee_bv` is used as Z3 and cvc5 understand it,
//! on numbers only: NaN results are built from bits, because SMT-LIB has just one NaN.

use std::fmt::Write as _;

use crate::terms::float;
use crate::terms::node::{BinOp, CmpOp, FpOp, Node, Sort, Term};
use crate::terms::pool::TermPool;

/// A script that declares symbols as `s<index>` and asserts conditions; without `check-sat`.
#[derive(Clone, Debug)]
pub struct Script {
    /// The commands, one per line.
    pub text: String,
    /// The declared symbols.
    pub symbols: Vec<Term>,
}

/// The term has an operator without counterpart in SMT-LIB: [`FpOp::FRem`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("SMT-LIB has no remainder of floats with truncated quotient")]
pub struct UnsupportedOperator;

/// The script that asserts each of the `Bv(1)` terms.
///
/// # Errors
///
/// When a term has an operator SMT-LIB lacks.
pub fn script(pool: &TermPool, assertions: &[Term]) -> Result<Script, UnsupportedOperator> {
    let mut script = Script { text: String::new(), symbols: Vec::new() };
    for t in pool.postorder(assertions, |_| false) {
        let sort = sort_text(pool.sort(t));
        let line = match pool.node(t) {
            Node::Symbol { .. } | Node::ArraySymbol { .. } => {
                script.symbols.push(t);
                format!("(declare-fun s{} () {sort})", t.index())
            }
            node => format!("(define-fun t{} () {sort} {})", t.index(), expression(pool, node)?),
        };
        script.text.push_str(&line);
        script.text.push('\n');
    }
    for &t in assertions {
        writeln!(script.text, "(assert (= {} #b1))", reference(pool, t)).expect("writing to a string does not fail");
    }
    Ok(script)
}

fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array => "(Array (_ BitVec 64) (_ BitVec 8))".to_owned(),
    }
}

fn reference(pool: &TermPool, t: Term) -> String {
    match pool.node(t) {
        Node::Symbol { .. } | Node::ArraySymbol { .. } => format!("s{}", t.index()),
        Node::Const { width, bits } => numeral(*width, *bits),
        _ => format!("t{}", t.index()),
    }
}

fn numeral(width: u32, bits: u128) -> String {
    format!("(_ bv{bits} {width})")
}

fn expression(pool: &TermPool, node: &Node) -> Result<String, UnsupportedOperator> {
    let name = |t: Term| reference(pool, t);
    Ok(match *node {
        Node::Const { width, bits } => numeral(width, bits),
        Node::Symbol { .. } | Node::ArraySymbol { .. } => unreachable!("symbols are declared, not defined"),
        Node::ConstArray { byte } => {
            format!("((as const {}) {})", sort_text(Sort::Array), numeral(8, u128::from(byte)))
        }
        Node::Not(a) => format!("(bvnot {})", name(a)),
        Node::Binary(op, a, b) => format!("({} {} {})", binary_name(op), name(a), name(b)),
        Node::Cmp(op, a, b) => bit(&format!("({} {} {})", comparison_name(op), name(a), name(b))),
        Node::Ite(c, a, b) => format!("(ite (= {} #b1) {} {})", name(c), name(a), name(b)),
        Node::ZExt { arg, width } => format!("((_ zero_extend {}) {})", width - pool.width(arg), name(arg)),
        Node::SExt { arg, width } => format!("((_ sign_extend {}) {})", width - pool.width(arg), name(arg)),
        Node::Extract { arg, hi, lo } => format!("((_ extract {hi} {lo}) {})", name(arg)),
        Node::Concat(a, b) => format!("(concat {} {})", name(a), name(b)),
        Node::Select(a, i) => format!("(select {} {})", name(a), name(i)),
        Node::Store(a, i, v) => format!("(store {} {} {})", name(a), name(i), name(v)),
        Node::FpUnary(op, a) => float_expression(op, pool.width(a), &name(a), &name(a))?,
        Node::FpBinary(op, a, b) => float_expression(op, pool.width(a), &name(a), &name(b))?,
    })
}

fn bit(condition: &str) -> String {
    format!("(ite {condition} #b1 #b0)")
}

fn binary_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "bvadd",
        BinOp::Sub => "bvsub",
        BinOp::Mul => "bvmul",
        BinOp::UDiv => "bvudiv",
        BinOp::SDiv => "bvsdiv",
        BinOp::URem => "bvurem",
        BinOp::SRem => "bvsrem",
        BinOp::And => "bvand",
        BinOp::Or => "bvor",
        BinOp::Xor => "bvxor",
        BinOp::Shl => "bvshl",
        BinOp::LShr => "bvlshr",
        BinOp::AShr => "bvashr",
    }
}

fn comparison_name(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "=",
        CmpOp::Ult => "bvult",
        CmpOp::Ule => "bvule",
        CmpOp::Slt => "bvslt",
        CmpOp::Sle => "bvsle",
    }
}

/// `(_ to_fp …)` for the float format of `width` bits.
fn to_fp(width: u32) -> &'static str {
    if width == 32 { "(_ to_fp 8 24)" } else { "(_ to_fp 11 53)" }
}

/// `bits` read as a float of `width` bits.
fn as_float(width: u32, bits: &str) -> String {
    format!("({} {bits})", to_fp(width))
}

fn float_expression(op: FpOp, width: u32, a: &str, b: &str) -> Result<String, UnsupportedOperator> {
    let (x, y) = (as_float(width, a), as_float(width, b));
    Ok(match op {
        FpOp::FRem => return Err(UnsupportedOperator),
        FpOp::FAdd => arithmetic(op, width, &format!("(fp.add RNE {x} {y})"), a, b),
        FpOp::FSub => arithmetic(op, width, &format!("(fp.sub RNE {x} {y})"), a, b),
        FpOp::FMul => arithmetic(op, width, &format!("(fp.mul RNE {x} {y})"), a, b),
        FpOp::FDiv => arithmetic(op, width, &format!("(fp.div RNE {x} {y})"), a, b),
        FpOp::FSqrt => arithmetic(op, width, &format!("(fp.sqrt RNE {x})"), a, b),
        FpOp::FFloor => arithmetic(op, width, &format!("(fp.roundToIntegral RTN {x})"), a, b),
        FpOp::FCeil => arithmetic(op, width, &format!("(fp.roundToIntegral RTP {x})"), a, b),
        FpOp::FTrunc => arithmetic(op, width, &format!("(fp.roundToIntegral RTZ {x})"), a, b),
        FpOp::FRoundEven => arithmetic(op, width, &format!("(fp.roundToIntegral RNE {x})"), a, b),
        FpOp::FNeg => format!("(bvxor {a} {})", numeral(width, crate::terms::bits::sign_bit(width))),
        FpOp::FAbs => format!("(bvand {a} {})", numeral(width, crate::terms::bits::mask(width - 1))),
        FpOp::FEq => bit(&format!("(fp.eq {x} {y})")),
        FpOp::FLt => bit(&format!("(fp.lt {x} {y})")),
        FpOp::FLe => bit(&format!("(fp.leq {x} {y})")),
        FpOp::FUno => bit(&format!("(or (fp.isNaN {x}) (fp.isNaN {y}))")),
        FpOp::FpToFp(to) => conversion(width, to, a, &x),
        FpOp::FpToSi(to) => to_integer(width, to, &x, true),
        FpOp::FpToUi(to) => to_integer(width, to, &x, false),
        FpOp::SiToFp(to) => format!("(fp.to_ieee_bv ({} RNE {a}))", to_fp(to)),
        FpOp::UiToFp(to) => {
            format!("(fp.to_ieee_bv ({} RNE {a}))", to_fp(to).replace("to_fp", "to_fp_unsigned"))
        }
    })
}

/// The bits of `result`, with the NaNs of [`FpOp`].
fn arithmetic(op: FpOp, width: u32, result: &str, a: &str, b: &str) -> String {
    let quiet = numeral(width, u128::from(float::quiet_bit(width)));
    let invalid = numeral(width, u128::from(float::default_nan(width)));
    let numbers = format!("(ite (fp.isNaN {result}) {invalid} (fp.to_ieee_bv {result}))");
    let second = if op.arity() == 2 {
        format!("(ite (fp.isNaN {}) (bvor {b} {quiet}) {numbers})", as_float(width, b))
    } else {
        numbers
    };
    format!("(ite (fp.isNaN {}) (bvor {a} {quiet}) {second})", as_float(width, a))
}

fn conversion(from: u32, to: u32, a: &str, x: &str) -> String {
    if from == to {
        return a.to_owned();
    }
    // A NaN keeps its sign and the high bits of its payload, and becomes quiet.
    let nan = if to > from {
        format!("(concat ((_ extract 31 31) {a}) #b11111111111 ((_ extract 22 0) {a}) (_ bv0 29))")
    } else {
        format!("(concat ((_ extract 63 63) {a}) #b11111111 ((_ extract 51 29) {a}))")
    };
    let quiet = numeral(to, u128::from(float::quiet_bit(to)));
    format!("(ite (fp.isNaN {x}) (bvor {nan} {quiet}) (fp.to_ieee_bv ({} RNE {x})))", to_fp(to))
}

fn to_integer(from: u32, width: u32, x: &str, is_signed: bool) -> String {
    let magnitude = 2f64.powi(width as i32 - i32::from(is_signed));
    let limit = |value: f64| {
        let bits = if from == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
        as_float(from, &numeral(from, bits))
    };
    let least = limit(if is_signed { -magnitude } else { 0.0 });
    let rounded = format!("(fp.roundToIntegral RTZ {x})");
    let in_range = format!("(and (fp.geq {rounded} {least}) (fp.lt {rounded} {}))", limit(magnitude));
    let (name, beyond) = if is_signed {
        ("fp.to_sbv", crate::terms::bits::sign_bit(width))
    } else {
        ("fp.to_ubv", crate::terms::bits::mask(width))
    };
    format!("(ite {in_range} ((_ {name} {width}) RTZ {x}) {})", numeral(width, beyond))
}

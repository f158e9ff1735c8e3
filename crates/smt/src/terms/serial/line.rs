//! One node as a line of text, and back with all checks.

use crate::terms::node::{BinOp, CmpOp, FpOp, MAX_WIDTH, Node, Sort, Term};
use crate::terms::pool::TermPool;

const BINARY: [(BinOp, &str); 13] = [
    (BinOp::Add, "add"),
    (BinOp::Sub, "sub"),
    (BinOp::Mul, "mul"),
    (BinOp::UDiv, "udiv"),
    (BinOp::SDiv, "sdiv"),
    (BinOp::URem, "urem"),
    (BinOp::SRem, "srem"),
    (BinOp::And, "and"),
    (BinOp::Or, "or"),
    (BinOp::Xor, "xor"),
    (BinOp::Shl, "shl"),
    (BinOp::LShr, "lshr"),
    (BinOp::AShr, "ashr"),
];

const COMPARISONS: [(CmpOp, &str); 5] =
    [(CmpOp::Eq, "eq"), (CmpOp::Ult, "ult"), (CmpOp::Ule, "ule"), (CmpOp::Slt, "slt"), (CmpOp::Sle, "sle")];

const FLOATS: [(FpOp, &str); 16] = [
    (FpOp::FAdd, "add"),
    (FpOp::FSub, "sub"),
    (FpOp::FMul, "mul"),
    (FpOp::FDiv, "div"),
    (FpOp::FRem, "rem"),
    (FpOp::FNeg, "neg"),
    (FpOp::FAbs, "abs"),
    (FpOp::FSqrt, "sqrt"),
    (FpOp::FFloor, "floor"),
    (FpOp::FCeil, "ceil"),
    (FpOp::FTrunc, "trunc"),
    (FpOp::FRoundEven, "round"),
    (FpOp::FEq, "eq"),
    (FpOp::FLt, "lt"),
    (FpOp::FLe, "le"),
    (FpOp::FUno, "uno"),
];

fn name_of<T: PartialEq + Copy>(table: &[(T, &'static str)], op: T) -> &'static str {
    table.iter().find(|(o, _)| *o == op).expect("the table lists all operators").1
}

fn float_name(op: FpOp) -> String {
    match op {
        FpOp::FpToFp(width) => format!("fp-to-fp:{width}"),
        FpOp::FpToSi(width) => format!("fp-to-si:{width}"),
        FpOp::FpToUi(width) => format!("fp-to-ui:{width}"),
        FpOp::SiToFp(width) => format!("si-to-fp:{width}"),
        FpOp::UiToFp(width) => format!("ui-to-fp:{width}"),
        _ => name_of(&FLOATS, op).to_owned(),
    }
}

pub(super) fn write(pool: &TermPool, node: &Node, position: impl Fn(Term) -> u32) -> String {
    let head = match *node {
        Node::Const { width, bits } => return format!("c {width} {bits}"),
        Node::Symbol { id, width } => return format!("s {width} {}", pool.name(id)),
        Node::ArraySymbol { id } => return format!("a {}", pool.name(id)),
        Node::ConstArray { byte } => return format!("k {byte}"),
        Node::Not(_) => "not".to_owned(),
        Node::Binary(op, ..) => name_of(&BINARY, op).to_owned(),
        Node::Cmp(op, ..) => name_of(&COMPARISONS, op).to_owned(),
        Node::Ite(..) => "ite".to_owned(),
        Node::ZExt { width, .. } => format!("zext {width}"),
        Node::SExt { width, .. } => format!("sext {width}"),
        Node::Extract { hi, lo, .. } => format!("ext {hi} {lo}"),
        Node::Concat(..) => "cat".to_owned(),
        Node::Select(..) => "sel".to_owned(),
        Node::Store(..) => "sto".to_owned(),
        Node::FpUnary(op, _) | Node::FpBinary(op, ..) => format!("fp {}", float_name(op)),
    };
    node.children().fold(head, |line, child| format!("{line} {}", position(child)))
}

/// The words of a line that are left, and what they may refer to.
struct Words<'a> {
    rest: std::str::SplitWhitespace<'a>,
    terms: &'a [Term],
}

impl<'a> Words<'a> {
    fn word(&mut self) -> Result<&'a str, &'static str> {
        self.rest.next().ok_or("too few words")
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, &'static str> {
        self.word()?.parse().map_err(|_| "not a number in range")
    }

    fn width(&mut self) -> Result<u32, &'static str> {
        self.number().and_then(checked_width)
    }

    fn any(&mut self) -> Result<Term, &'static str> {
        let position: usize = self.number()?;
        self.terms.get(position).copied().ok_or("an operand that isn't an earlier node")
    }

    /// A bit vector.
    fn bits(&mut self, pool: &TermPool) -> Result<Term, &'static str> {
        let t = self.any()?;
        if pool.sort(t) == Sort::Array { Err("an array where a bit vector should be") } else { Ok(t) }
    }

    fn sized(&mut self, pool: &TermPool, width: u32) -> Result<Term, &'static str> {
        let t = self.bits(pool)?;
        if pool.width(t) == width { Ok(t) } else { Err("an operand of the wrong width") }
    }

    fn array(&mut self, pool: &TermPool) -> Result<Term, &'static str> {
        let t = self.any()?;
        if pool.sort(t) == Sort::Array { Ok(t) } else { Err("a bit vector where an array should be") }
    }
}

fn checked_width(width: u32) -> Result<u32, &'static str> {
    if (1..=MAX_WIDTH).contains(&width) { Ok(width) } else { Err("a width out of range") }
}

pub(super) fn read(pool: &mut TermPool, line: &str, terms: &[Term]) -> Result<Term, &'static str> {
    let (head, rest) = line.split_once(' ').ok_or("too few words")?;
    match head {
        "s" => {
            let (width, name) = rest.split_once(' ').ok_or("too few words")?;
            let width = width.parse().map_err(|_| "not a number in range").and_then(checked_width)?;
            return Ok(pool.imported_symbol(name, width));
        }
        "a" => return Ok(pool.imported_array_symbol(rest)),
        _ => {}
    }
    let mut words = Words { rest: rest.split_whitespace(), terms };
    let term = read_operator(pool, head, &mut words)?;
    if words.rest.next().is_some() { Err("too many words") } else { Ok(term) }
}

fn read_operator(pool: &mut TermPool, head: &str, words: &mut Words<'_>) -> Result<Term, &'static str> {
    if let Some(&(op, _)) = BINARY.iter().find(|(_, name)| *name == head) {
        let a = words.bits(pool)?;
        let b = words.sized(pool, pool.width(a))?;
        return Ok(pool.binary(op, a, b));
    }
    if let Some(&(op, _)) = COMPARISONS.iter().find(|(_, name)| *name == head) {
        let a = words.bits(pool)?;
        let b = words.sized(pool, pool.width(a))?;
        return Ok(pool.cmp(op, a, b));
    }
    match head {
        "c" => {
            let width = words.width()?;
            Ok(pool.constant_wide(width, words.number()?))
        }
        "k" => Ok(pool.const_array(words.number()?)),
        "not" => {
            let a = words.bits(pool)?;
            Ok(pool.not(a))
        }
        "ite" => {
            let (c, a, b) = (words.sized(pool, 1)?, words.any()?, words.any()?);
            if pool.sort(a) == pool.sort(b) { Ok(pool.ite(c, a, b)) } else { Err("arms of different sorts") }
        }
        "zext" | "sext" => {
            let (width, a) = (words.width()?, words.bits(pool)?);
            if pool.width(a) > width {
                return Err("an extension to fewer bits");
            }
            Ok(if head == "zext" { pool.zext(a, width) } else { pool.sext(a, width) })
        }
        "ext" => {
            let (hi, lo, a) = (words.number()?, words.number()?, words.bits(pool)?);
            if lo <= hi && hi < pool.width(a) { Ok(pool.extract(a, hi, lo)) } else { Err("bits out of range") }
        }
        "cat" => {
            let (a, b) = (words.bits(pool)?, words.bits(pool)?);
            checked_width(pool.width(a) + pool.width(b))?;
            Ok(pool.concat(a, b))
        }
        "sel" => {
            let (array, index) = (words.array(pool)?, words.sized(pool, 64)?);
            Ok(pool.select(array, index))
        }
        "sto" => {
            let (array, index, byte) = (words.array(pool)?, words.sized(pool, 64)?, words.sized(pool, 8)?);
            Ok(pool.store(array, index, byte))
        }
        "fp" => read_float(pool, words),
        _ => Err("an unknown operator"),
    }
}

fn read_float(pool: &mut TermPool, words: &mut Words<'_>) -> Result<Term, &'static str> {
    let op = float_of(words.word()?).ok_or("an unknown float operator")?;
    let a = words.bits(pool)?;
    let width = pool.width(a);
    if !op.accepts(width) {
        return Err("an operand of the wrong width");
    }
    if op.arity() == 1 {
        return Ok(pool.fp(op, &[a]));
    }
    let b = words.sized(pool, width)?;
    Ok(pool.fp(op, &[a, b]))
}

fn float_of(name: &str) -> Option<FpOp> {
    let Some((name, width)) = name.split_once(':') else {
        return FLOATS.iter().find(|(_, n)| *n == name).map(|&(op, _)| op);
    };
    let width = width.parse().ok()?;
    match name {
        "fp-to-fp" => Some(FpOp::FpToFp(width)),
        "fp-to-si" => Some(FpOp::FpToSi(width)),
        "fp-to-ui" => Some(FpOp::FpToUi(width)),
        "si-to-fp" => Some(FpOp::SiToFp(width)),
        "ui-to-fp" => Some(FpOp::UiToFp(width)),
        _ => None,
    }
}

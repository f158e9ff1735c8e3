//! Instructions and terminators from text.

use smallvec::SmallVec;

use super::constant::Read;
use super::cursor::{Cursor, Parsed};
use super::lexer::Kind;
use super::reader::Body;
use super::scope::Definition;
use crate::entity::ValueId;
use crate::inst::{
    Access, BinOp, Callee, CastOp, Const, Edge, FloatPredicate, IntPredicate, NoWrap, Op, Operand, Ordering,
    OverflowOp, RmwOp, ScaledIndex, Terminator, UnOp,
};
use crate::intrinsic::Intrinsic;
use crate::types::Type;

const BIT: Option<Type> = Some(Type::Int(1));
const BYTE: Option<Type> = Some(Type::Int(8));
const WORD: Option<Type> = Some(Type::Int(64));
const POINTER: Option<Type> = Some(Type::Ptr);

/// A line of a block.
pub(super) enum Statement {
    Inst { results: SmallVec<[ValueId; 1]>, op: Op },
    End(Terminator),
}

/// An operand whose constant may still lack a type.
type Untyped<'t, 's> = Result<Operand, Read<'t, 's>>;

/// Reads an instruction with its results, or a terminator; not its location.
pub(super) fn statement<'s>(body: &mut Body<'_, 's>, cursor: &mut Cursor<'_, 's>) -> Parsed<Statement> {
    let mut definitions = Vec::new();
    if body.scope.eat_value(&mut cursor.clone()).is_some() {
        definitions.push(body.scope.definition(cursor)?);
        while cursor.eat(',') {
            definitions.push(body.scope.definition(cursor)?);
        }
        cursor.expect('=')?;
    }
    let place = cursor.token();
    let name = cursor.word("an operation")?;
    if definitions.is_empty()
        && let Some(terminator) = body.terminator(cursor, name)?
    {
        return Ok(Statement::End(terminator));
    }
    let result = definitions.first().and_then(|d: &Definition<'_, '_>| body.scope.ty(d.value));
    let mut inferred = Vec::new();
    let Some(op) = body.op(cursor, name, result, &mut inferred)? else {
        return Err(place.error(format!("`{name}` is not an operation")));
    };
    let mut inferred = inferred.into_iter();
    let results = definitions.into_iter().map(|d| body.scope.define(d, inferred.next()));
    Ok(Statement::Inst { results: results.collect::<Parsed<_>>()?, op })
}

impl<'s> Body<'_, 's> {
    fn read_operand<'t>(&self, cursor: &mut Cursor<'t, 's>, offsets: bool) -> Parsed<Untyped<'t, 's>> {
        if let Some(value) = self.scope.eat_value(cursor) {
            return Ok(Ok(Operand::Value(value)));
        }
        match self.reader.constant(cursor, offsets)? {
            Some(Read::Const(constant)) => Ok(Ok(Operand::Const(constant))),
            Some(literal @ Read::Literal(_)) => Ok(Err(literal)),
            None => cursor.error("expected an operand"),
        }
    }

    fn finish(operand: Untyped<'_, '_>, expected: Option<Type>) -> Parsed<Operand> {
        match operand {
            Ok(operand) => Ok(operand),
            Err(Read::Const(constant)) => Ok(Operand::Const(constant)),
            Err(Read::Literal(literal)) => match expected {
                Some(ty) => literal.with_type(ty).map(Operand::Const),
                None => Err(literal.untyped()),
            },
        }
    }

    fn operand(&self, cursor: &mut Cursor<'_, 's>, expected: Option<Type>) -> Parsed<Operand> {
        let operand = self.read_operand(cursor, true)?;
        Self::finish(operand, expected)
    }

    /// `, operand`
    fn next_operand(&self, cursor: &mut Cursor<'_, 's>, expected: Option<Type>) -> Parsed<Operand> {
        cursor.expect(',')?;
        self.operand(cursor, expected)
    }

    /// `[address]`
    fn address(&self, cursor: &mut Cursor<'_, 's>) -> Parsed<Operand> {
        cursor.expect('[')?;
        let operand = self.operand(cursor, POINTER)?;
        cursor.expect(']')?;
        Ok(operand)
    }

    fn type_of(&self, operand: Operand) -> Option<Type> {
        match operand {
            Operand::Value(value) => self.scope.ty(value),
            Operand::Const(constant) => Some(constant.ty()),
        }
    }

    /// `N` operands of one type: `ty`, or else the first type that one of them shows.
    fn uniform<const N: usize>(
        &self,
        cursor: &mut Cursor<'_, 's>,
        ty: Option<Type>,
    ) -> Parsed<([Operand; N], Option<Type>)> {
        let mut read = Vec::with_capacity(N);
        for at in 0..N {
            if at > 0 {
                cursor.expect(',')?;
            }
            read.push(self.read_operand(cursor, true)?);
        }
        let shown = || read.iter().find_map(|o| o.as_ref().ok().and_then(|&o| self.type_of(o)));
        let ty = ty.or_else(shown);
        let operands = read.into_iter().map(|o| Self::finish(o, ty)).collect::<Parsed<Vec<_>>>()?;
        Ok((operands.try_into().expect("N were read"), ty))
    }

    /// The operation called `name`; `inferred` gets the types of its results as far as operands tell. `None` when there
    /// is no such operation.
    fn op(
        &mut self,
        cursor: &mut Cursor<'_, 's>,
        name: &str,
        result: Option<Type>,
        inferred: &mut Vec<Type>,
    ) -> Parsed<Option<Op>> {
        if let Some(op) = BinOp::from_name(name) {
            let no_wrap = NoWrap { unsigned: cursor.eat_word("nuw"), signed: cursor.eat_word("nsw") };
            let ([a, b], ty) = self.uniform(cursor, result)?;
            inferred.extend(ty);
            return Ok(Some(Op::Binary { op, no_wrap, a, b }));
        }
        if let Some(op) = UnOp::from_name(name) {
            let ([a], ty) = self.uniform(cursor, result)?;
            inferred.extend(ty);
            return Ok(Some(Op::Unary { op, a }));
        }
        if let Some(op) = CastOp::from_name(name) {
            return Ok(Some(Op::Cast { op, a: self.operand(cursor, None)? }));
        }
        if let Some(op) = self.comparison(cursor, name)? {
            inferred.extend(BIT);
            return Ok(Some(op));
        }
        if let Some(op) = self.memory(cursor, name, result, inferred)? {
            return Ok(Some(op));
        }
        Ok(Some(match name {
            "select" => {
                let condition = self.operand(cursor, BIT)?;
                cursor.expect(',')?;
                let ([a, b], ty) = self.uniform(cursor, result)?;
                inferred.extend(ty);
                Op::Select { condition, a, b }
            }
            "fshl" | "fshr" => {
                let ([hi, lo, amount], ty) = self.uniform(cursor, result)?;
                inferred.extend(ty);
                Op::FunnelShift { left: name == "fshl", hi, lo, amount }
            }
            "address" => {
                inferred.extend(POINTER);
                self.address_sum(cursor)?
            }
            "call" => self.call(cursor, inferred)?,
            "trap" => Op::Trap,
            "unsupported" => Op::Unsupported { text: cursor.text()? },
            _ => return Ok(None),
        }))
    }

    fn comparison(&self, cursor: &mut Cursor<'_, 's>, name: &str) -> Parsed<Option<Op>> {
        let int = name.strip_prefix("icmp.").and_then(IntPredicate::from_name);
        let float = name.strip_prefix("fcmp.").and_then(FloatPredicate::from_name);
        let overflow = OverflowOp::from_name(name);
        if int.is_none() && float.is_none() && overflow.is_none() {
            return Ok(None);
        }
        let ([a, b], _) = self.uniform(cursor, None)?;
        let int = int.map(|predicate| Op::IntCompare { predicate, a, b });
        let float = float.map(|predicate| Op::FloatCompare { predicate, a, b });
        Ok(int.or(float).or(overflow.map(|op| Op::Overflow { op, a, b })))
    }

    fn memory(
        &self,
        cursor: &mut Cursor<'_, 's>,
        name: &str,
        result: Option<Type>,
        inferred: &mut Vec<Type>,
    ) -> Parsed<Option<Op>> {
        Ok(Some(match name {
            "load" => {
                let access = access(cursor);
                Op::Load { address: self.address(cursor)?, access }
            }
            "store" => {
                let access = access(cursor);
                let address = self.address(cursor)?;
                Op::Store { address, value: self.next_operand(cursor, None)?, access }
            }
            "alloca" => {
                inferred.extend(POINTER);
                self.alloca(cursor)?
            }
            "rmw" => {
                let op = named(cursor, "an operation", RmwOp::from_name)?;
                let ordering = named(cursor, "an ordering", Ordering::from_name)?;
                let address = self.address(cursor)?;
                cursor.expect(',')?;
                let ([value], ty) = self.uniform(cursor, result)?;
                inferred.extend(ty);
                Op::AtomicRmw { op, address, value, ordering }
            }
            "cmpxchg" => {
                let success = named(cursor, "an ordering", Ordering::from_name)?;
                let failure = named(cursor, "an ordering", Ordering::from_name)?;
                let address = self.address(cursor)?;
                cursor.expect(',')?;
                let ([expected, new], ty) = self.uniform(cursor, result)?;
                inferred.extend(ty);
                Op::CompareExchange { address, expected, new, success, failure }
            }
            "fence" => Op::Fence { ordering: named(cursor, "an ordering", Ordering::from_name)? },
            "memcpy" | "memmove" => {
                let to = self.address(cursor)?;
                cursor.expect(',')?;
                let from = self.address(cursor)?;
                let bytes = self.next_operand(cursor, WORD)?;
                Op::MemCopy { to, from, bytes, may_overlap: name == "memmove" }
            }
            "memset" => {
                let to = self.address(cursor)?;
                let byte = self.next_operand(cursor, BYTE)?;
                Op::MemSet { to, byte, bytes: self.next_operand(cursor, WORD)? }
            }
            "va_start" => Op::VaStart { list: self.address(cursor)? },
            "va_copy" => {
                let to = self.address(cursor)?;
                cursor.expect(',')?;
                Op::VaCopy { to, from: self.address(cursor)? }
            }
            _ => return Ok(None),
        }))
    }

    /// `alloca SIZE [x COUNT] [align N]`
    fn alloca(&self, cursor: &mut Cursor<'_, 's>) -> Parsed<Op> {
        let size = cursor.number("a size")?;
        let count = match cursor.eat_word("x") {
            true => self.operand(cursor, WORD)?,
            false => Operand::Const(Const::int(Type::Int(64), 1)),
        };
        let align = if cursor.eat_word("align") { cursor.number("an alignment")? } else { 1 };
        Ok(Op::Alloca { size, count, align })
    }

    /// `BASE + 8 + INDEX*4 of 16`; a number without `*` is an offset, an index without `*` has scale 1.
    fn address_sum(&self, cursor: &mut Cursor<'_, 's>) -> Parsed<Op> {
        let base = self.address_part(cursor)?;
        let base = Self::finish(base, POINTER)?;
        let mut offset = 0_i64;
        let mut indices = SmallVec::new();
        while cursor.is_punct('+') || cursor.is_punct('-') {
            // A minus belongs to the number behind it.
            cursor.eat('+');
            let place = cursor.token();
            let part = self.address_part(cursor)?;
            if cursor.eat('*') {
                let index = Self::finish(part, WORD)?;
                let scale = self.number(cursor)?;
                let elements = match cursor.eat_word("of") {
                    true if cursor.eat_word("any") => Some(ScaledIndex::NOT_NEGATIVE),
                    true => Some(cursor.number("a number of elements")?),
                    false if cursor.eat_word("forward") => Some(ScaledIndex::FORWARD),
                    false => None,
                };
                indices.push(ScaledIndex { index, scale, elements });
                continue;
            }
            match part {
                Err(Read::Literal(literal)) => {
                    let sum = offset.checked_add(literal.offset()?);
                    offset = sum.ok_or_else(|| place.error("the offset has more than 64 bits"))?;
                }
                part => indices.push(ScaledIndex::new(Self::finish(part, WORD)?, 1)),
            }
        }
        Ok(Op::Address { base, offset, indices })
    }

    fn address_part<'t>(&self, cursor: &mut Cursor<'t, 's>) -> Parsed<Untyped<'t, 's>> {
        if !cursor.eat('(') {
            return self.read_operand(cursor, false);
        }
        let part = self.read_operand(cursor, true)?;
        cursor.expect(')')?;
        Ok(part)
    }

    fn number(&self, cursor: &mut Cursor<'_, 's>) -> Parsed<i64> {
        match self.reader.constant(cursor, false)? {
            Some(Read::Literal(literal)) => literal.offset(),
            _ => cursor.error("expected a number before this"),
        }
    }

    fn call(&self, cursor: &mut Cursor<'_, 's>, inferred: &mut Vec<Type>) -> Parsed<Op> {
        let mut params: &[Option<Type>] = &[];
        let callee = if cursor.eat('*') {
            Callee::Indirect(self.operand(cursor, POINTER)?)
        } else if matches!(cursor.peek(), Kind::Word(_)) {
            Callee::Intrinsic(named(cursor, "an intrinsic", Intrinsic::from_name)?)
        } else {
            let func = self.reader.function_name(cursor)?;
            let function = &self.reader.program.functions[func];
            inferred.extend(&function.results);
            params = &self.reader.param_types[func];
            Callee::Direct(func)
        };
        cursor.expect('(')?;
        let args = self.arguments(cursor, params)?;
        Ok(Op::Call { callee, args })
    }

    /// Operands up to the closing parenthesis.
    fn arguments(&self, cursor: &mut Cursor<'_, 's>, params: &[Option<Type>]) -> Parsed<Vec<Operand>> {
        let mut args = Vec::new();
        while !cursor.eat(')') {
            if !args.is_empty() {
                cursor.expect(',')?;
            }
            args.push(self.operand(cursor, params.get(args.len()).copied().flatten())?);
        }
        Ok(args)
    }

    fn edge(&self, cursor: &mut Cursor<'_, 's>) -> Parsed<Edge> {
        let place = cursor.token();
        let label = cursor.word("a label")?;
        let Some(&target) = self.labels.get(label) else {
            return Err(place.error(format!("there is no block {label}")));
        };
        if !cursor.eat('(') {
            return Ok(Edge { target, args: SmallVec::new() });
        }
        let params: Vec<Option<Type>> = self.params[target].iter().map(|&p| self.scope.ty(p)).collect();
        Ok(Edge { target, args: self.arguments(cursor, &params)?.into() })
    }

    fn terminator(&self, cursor: &mut Cursor<'_, 's>, name: &str) -> Parsed<Option<Terminator>> {
        Ok(Some(match name {
            "jump" => Terminator::Jump(self.edge(cursor)?),
            "branch" => {
                let condition = self.operand(cursor, BIT)?;
                cursor.expect(',')?;
                let then_edge = self.edge(cursor)?;
                cursor.expect(',')?;
                Terminator::Branch { condition, then_edge, else_edge: self.edge(cursor)? }
            }
            "return" => {
                let results = &self.reader.program.functions[self.func].results;
                let mut values = SmallVec::new();
                let ends = |cursor: &Cursor<'_, 's>| cursor.end_of_line().is_ok() || cursor.is_word("at");
                while !ends(cursor) {
                    if !values.is_empty() {
                        cursor.expect(',')?;
                    }
                    values.push(self.operand(cursor, results.get(values.len()).copied())?);
                }
                Terminator::Return(values)
            }
            "unreachable" => Terminator::Unreachable,
            "unsupported_end" => Terminator::Unsupported { text: cursor.text()? },
            _ => return Ok(None),
        }))
    }
}

fn access(cursor: &mut Cursor<'_, '_>) -> Access {
    let volatile = cursor.eat_word("volatile");
    let atomic = match cursor.peek() {
        Kind::Word(word) => Ordering::from_name(word),
        _ => None,
    };
    if atomic.is_some() {
        cursor.bump();
    }
    Access { volatile, atomic }
}

/// A word from one of the name tables.
fn named<T>(cursor: &mut Cursor<'_, '_>, what: &str, from_name: impl Fn(&str) -> Option<T>) -> Parsed<T> {
    let place = cursor.token();
    let word = cursor.word(what)?;
    from_name(word).ok_or_else(|| place.error(format!("`{word}` is not {what}")))
}

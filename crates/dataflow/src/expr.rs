//! Expressions over what registers hold, hash-consed: `v17#2 + 8`.
//!
//! The [symbols](crate::symbol) of an expression are registers of frames, and of activations that these have called.
//! So an expression has a value in every concrete state that has these frames. Sums with a constant have one form:
//! equal addresses have equal ids.

use std::sync::Arc;

use icsched_ir::{BinOp, CastOp, FuncId, GlobalId, IdVec, IntPredicate, OverflowOp, Type, UnOp};
use icsched_ir::{Program, ProgramPoint, entity_id};
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::fold::{self, mask};
use crate::symbol::{CallPath, FrameIndex, PathId, Paths, Symbol};

entity_id!(
    /// An expression of one [`ExprPool`].
    ExprId, "e"
);

/// What an expression is made of. Operations are those of the IR, on integers and pointers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the operand names are those of the IR's operations")]
pub enum Expr {
    /// A number, or a pointer with a literal address.
    Constant {
        width: u32,
        bits: u64,
    },
    /// The address of a global that is not thread-local.
    Global(GlobalId),
    /// The address of a function.
    Function(FuncId),
    /// What a register holds.
    Symbol {
        symbol: Symbol,
        width: u32,
    },
    /// `base + offset`, wrapping; `base` is neither a constant nor a sum of this kind.
    Sum {
        base: ExprId,
        offset: u64,
    },
    Binary {
        op: BinOp,
        a: ExprId,
        b: ExprId,
    },
    Unary {
        op: UnOp,
        a: ExprId,
    },
    Cast {
        op: CastOp,
        width: u32,
        a: ExprId,
    },
    Compare {
        predicate: IntPredicate,
        a: ExprId,
        b: ExprId,
    },
    Overflow {
        op: OverflowOp,
        a: ExprId,
        b: ExprId,
    },
    Select {
        condition: ExprId,
        a: ExprId,
        b: ExprId,
    },
}

#[derive(Clone, Debug)]
struct Facts {
    width: u32,
    depth: u32,
    size: u32,
    /// Sorted, each once.
    symbols: Arc<[Symbol]>,
}

/// Owner of expressions: equal ones have the same id.
#[derive(Debug)]
pub struct ExprPool {
    nodes: IdVec<ExprId, Expr>,
    facts: IdVec<ExprId, Facts>,
    known: FxHashMap<Expr, ExprId>,
    paths: Paths,
}

impl Default for ExprPool {
    fn default() -> Self {
        Self { nodes: IdVec::new(), facts: IdVec::new(), known: FxHashMap::default(), paths: Paths::default() }
    }
}

impl ExprPool {
    /// What an expression is.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id]
    }

    /// Its width in bits.
    pub fn width(&self, id: ExprId) -> u32 {
        self.facts[id].width
    }

    /// The registers that occur in it, sorted, each once.
    pub fn symbols(&self, id: ExprId) -> &[Symbol] {
        &self.facts[id].symbols
    }

    /// Adds the registers that occur in an expression, with their widths; some more than once.
    pub(crate) fn add_symbols(&self, id: ExprId, found: &mut Vec<(Symbol, u32)>) {
        if let Expr::Symbol { symbol, width } = self.nodes[id] {
            found.push((symbol, width));
        } else if !self.symbols(id).is_empty() {
            Self::operands(self.nodes[id]).into_iter().flatten().for_each(|operand| self.add_symbols(operand, found));
        }
    }

    /// The bits of a constant.
    pub fn as_constant(&self, id: ExprId) -> Option<u64> {
        match self.nodes[id] {
            Expr::Constant { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// The register that an expression is, if it is one.
    pub fn as_symbol(&self, id: ExprId) -> Option<Symbol> {
        match self.nodes[id] {
            Expr::Symbol { symbol, .. } => Some(symbol),
            _ => None,
        }
    }

    pub(crate) fn constant(&mut self, width: u32, bits: u64) -> ExprId {
        let bits = bits & mask(width);
        self.intern(Expr::Constant { width, bits })
    }

    pub(crate) fn symbol(&mut self, symbol: Symbol, width: u32) -> ExprId {
        self.intern(Expr::Symbol { symbol, width })
    }

    /// An expression as it is: for addresses of globals and functions.
    pub(crate) fn intern(&mut self, expr: Expr) -> ExprId {
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let facts = self.facts_of(expr);
        let id = self.nodes.push(expr);
        self.facts.push(facts);
        self.known.insert(expr, id);
        id
    }

    /// `a + offset`.
    pub(crate) fn add(&mut self, a: ExprId, offset: u64) -> ExprId {
        let width = self.width(a);
        let (base, sum) = match self.nodes[a] {
            Expr::Constant { bits, .. } => return self.constant(width, bits.wrapping_add(offset)),
            Expr::Sum { base, offset: first } => (base, first.wrapping_add(offset) & mask(width)),
            _ => (a, offset & mask(width)),
        };
        if sum == 0 { base } else { self.intern(Expr::Sum { base, offset: sum }) }
    }

    /// `a op b`; `None` for what has no expression: floating point, and what is too large.
    pub(crate) fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinOp::{Add, And, Mul, Or, Sub, Xor};
        if fold::is_float(op) {
            return None;
        }
        let width = self.width(a);
        let commutes = matches!(op, Add | Mul | And | Or | Xor);
        let (a, b) = if commutes && (self.as_constant(a).is_some() || self.as_constant(b).is_none() && b < a) {
            (b, a)
        } else {
            (a, b)
        };
        let constant = self.as_constant(b);
        if let (Some(x), Some(y)) = (self.as_constant(a), constant)
            && let Some(bits) = fold::binary(op, width, x, y)
        {
            return Some(self.constant(width, bits));
        }
        match (op, constant) {
            (Add, Some(y)) => return Some(self.add(a, y)),
            (Sub, Some(y)) => return Some(self.add(a, y.wrapping_neg())),
            (Sub, None) if a == b => return Some(self.constant(width, 0)),
            (Mul, Some(1)) => return Some(a),
            _ => {}
        }
        self.checked(Expr::Binary { op, a, b })
    }

    pub(crate) fn cast(&mut self, op: CastOp, to: Type, a: ExprId) -> Option<ExprId> {
        let (from, width) = (self.width(a), to.bits());
        match op {
            CastOp::Bitcast => return Some(a),
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt if from == width => return Some(a),
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt => {}
            CastOp::FpTrunc | CastOp::FpExt | CastOp::FpToUi | CastOp::FpToSi | CastOp::UiToFp | CastOp::SiToFp => {
                return None;
            }
        }
        match self.as_constant(a) {
            Some(bits) => Some(self.constant(width, fold::cast(op, from, bits))),
            None => self.checked(Expr::Cast { op, width, a }),
        }
    }

    pub(crate) fn compare(&mut self, predicate: IntPredicate, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => {
                let holds = predicate.holds(self.width(a), x, y);
                Some(self.constant(1, u64::from(holds)))
            }
            _ => self.checked(Expr::Compare { predicate, a, b }),
        }
    }

    pub(crate) fn select(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        match self.as_constant(condition) {
            Some(bits) => Some(if bits != 0 { a } else { b }),
            None if a == b => Some(a),
            None if self.width(a) == 1 && self.as_constant(a) == Some(1) && self.as_constant(b) == Some(0) => {
                Some(condition)
            }
            None => self.checked(Expr::Select { condition, a, b }),
        }
    }

    /// An operation as it is, unless it is too large.
    pub(crate) fn checked(&mut self, expr: Expr) -> Option<ExprId> {
        if let Some(&id) = self.known.get(&expr) {
            return Some(id);
        }
        let facts = self.facts_of(expr);
        (facts.depth <= BUDGETS.expr_depth
            && facts.size <= BUDGETS.expr_size
            && facts.symbols.len() <= BUDGETS.expr_symbols)
            .then(|| self.intern(expr))
    }

    /// Splits `base + offset`; the offset is 0 for what is no sum.
    pub fn split_sum(&self, id: ExprId) -> (ExprId, u64) {
        match self.nodes[id] {
            Expr::Sum { base, offset } => (base, offset),
            _ => (id, 0),
        }
    }

    /// The expression with its symbols replaced; `None` if one has no replacement, or the result is too large.
    pub(crate) fn substitute(&mut self, id: ExprId, replacement: &dyn Fn(Symbol) -> Option<ExprId>) -> Option<ExprId> {
        if self.symbols(id).is_empty() {
            return Some(id);
        }
        let again = |pool: &mut Self, x: ExprId| pool.substitute(x, replacement);
        match self.nodes[id] {
            Expr::Constant { .. } | Expr::Global(_) | Expr::Function(_) => Some(id),
            Expr::Symbol { symbol, width } => replacement(symbol).filter(|&e| self.width(e) == width),
            Expr::Sum { base, offset } => again(self, base).map(|base| self.add(base, offset)),
            Expr::Binary { op, a, b } => {
                let (a, b) = (again(self, a)?, again(self, b)?);
                self.binary(op, a, b)
            }
            Expr::Unary { op, a } => {
                let a = again(self, a)?;
                self.checked(Expr::Unary { op, a })
            }
            Expr::Cast { op, width, a } => {
                let a = again(self, a)?;
                self.cast(op, Type::Int(u8::try_from(width).ok()?), a)
            }
            Expr::Compare { predicate, a, b } => {
                let (a, b) = (again(self, a)?, again(self, b)?);
                self.compare(predicate, a, b)
            }
            Expr::Overflow { op, a, b } => {
                let (a, b) = (again(self, a)?, again(self, b)?);
                self.checked(Expr::Overflow { op, a, b })
            }
            Expr::Select { condition, a, b } => {
                let (condition, a, b) = (again(self, condition)?, again(self, a)?, again(self, b)?);
                self.select(condition, a, b)
            }
        }
    }

    fn operands(expr: Expr) -> [Option<ExprId>; 3] {
        match expr {
            Expr::Constant { .. } | Expr::Global(_) | Expr::Function(_) | Expr::Symbol { .. } => [None; 3],
            Expr::Sum { base: a, .. } | Expr::Unary { a, .. } | Expr::Cast { a, .. } => [Some(a), None, None],
            Expr::Binary { a, b, .. } | Expr::Compare { a, b, .. } | Expr::Overflow { a, b, .. } => {
                [Some(a), Some(b), None]
            }
            Expr::Select { condition, a, b } => [Some(condition), Some(a), Some(b)],
        }
    }

    fn facts_of(&self, expr: Expr) -> Facts {
        let parts: Vec<&Facts> = Self::operands(expr).into_iter().flatten().map(|e| &self.facts[e]).collect();
        let width = match expr {
            Expr::Constant { width, .. } | Expr::Symbol { width, .. } | Expr::Cast { width, .. } => width,
            Expr::Global(_) | Expr::Function(_) => 64,
            Expr::Compare { .. } | Expr::Overflow { .. } => 1,
            Expr::Sum { .. } | Expr::Unary { .. } | Expr::Binary { .. } => parts[0].width,
            Expr::Select { .. } => parts[1].width,
        };
        let depth = parts.iter().map(|p| p.depth + 1).max().unwrap_or(0);
        let size = 1 + parts.iter().map(|p| p.size).sum::<u32>();
        let mut symbols: Vec<Symbol> = parts.iter().flat_map(|p| p.symbols.iter().copied()).collect();
        if let Expr::Symbol { symbol, .. } = expr {
            symbols.push(symbol);
        }
        symbols.sort_unstable();
        symbols.dedup();
        Facts { width, depth, size, symbols: symbols.into() }
    }

    /// The activation that a symbol can be about.
    pub fn path(&self, id: PathId) -> &CallPath {
        self.paths.get(id)
    }

    /// A symbol of an activation of `func`, for the frame that has made it by `call`.
    pub(crate) fn called(&mut self, frame: FrameIndex, call: ProgramPoint, func: FuncId, symbol: Symbol) -> Symbol {
        self.paths.called(frame, call, func, symbol)
    }

    /// How many calls lead from the frame to the activation of a symbol.
    pub(crate) fn call_depth(&self, symbol: Symbol) -> usize {
        symbol.inside.map_or(0, |inside| self.path(inside).calls.len())
    }

    /// The call of a frame's function that has made the activation of a symbol, or one further out.
    pub(crate) fn call_of(&self, symbol: Symbol) -> Option<ProgramPoint> {
        symbol.inside.map(|inside| self.path(inside).calls[0])
    }

    /// A symbol as text: `v3#0` for register `v3` of frame 0.
    ///
    /// `v3(+5>work)#0` is that of `work` when instruction 5 of the frame's function called it last.
    pub fn describe_symbol(&self, program: &Program, symbol: Symbol) -> String {
        self.paths.describe(program, symbol)
    }

    /// The expression as text: constants in decimal, `&name`, and [symbols](Self::describe_symbol).
    pub fn describe(&self, program: &Program, id: ExprId) -> String {
        let text = |e| self.describe(program, e);
        match self.nodes[id] {
            Expr::Constant { width: 1, bits } => bits.to_string(),
            Expr::Constant { width, bits } => fold::signed(width, bits).to_string(),
            Expr::Global(global) => format!("&{}", program.globals[global].name),
            Expr::Function(func) => program.functions[func].name.clone(),
            Expr::Symbol { symbol, .. } => self.describe_symbol(program, symbol),
            Expr::Sum { base, offset } => format!("{}{:+}", text(base), fold::signed(self.width(id), offset)),
            Expr::Binary { op, a, b } => format!("{op:?}({}, {})", text(a), text(b)),
            Expr::Unary { op, a } => format!("{op:?}({})", text(a)),
            Expr::Cast { op, width, a } => format!("{op:?}{width}({})", text(a)),
            Expr::Compare { predicate, a, b } => format!("{predicate:?}({}, {})", text(a), text(b)),
            Expr::Overflow { op, a, b } => format!("{op:?}Overflows({}, {})", text(a), text(b)),
            Expr::Select { condition, a, b } => format!("Select({}, {}, {})", text(condition), text(a), text(b)),
        }
    }
}

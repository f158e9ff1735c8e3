//! Objects of which nobody knows but the activation that made them.
//!
//! An object is *private* at a point if its address was stored nowhere, and handed to nobody who keeps it, on any way
//! from where it was made to there. Then no memory leads to it, and no value is its address but those that were
//! computed from the result of the call that made it.

use std::cell::RefCell;

use icsched_externals::{ArgEffect, ResultEffect, Row};
use icsched_ir::{Callee, CastOp, FuncId, Intrinsic, Op, Origin, Program, Terminator, UnOp, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::Code;
use super::flow::{Point, Structure, is_among, is_behind};

/// What a function does with an argument.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Handed {
    /// It stores it somewhere, or hands it to somebody who does.
    is_kept: bool,
    /// Its result may be computed from it.
    comes_back: bool,
}

const KEPT: Handed = Handed { is_kept: true, comes_back: true };

/// Answers for one program. What functions do with their arguments is found once.
pub(super) struct Fresh<'t, 'm, 'p> {
    pub(super) code: &'t Code<'m, 'p>,
    handed: RefCell<FxHashMap<(FuncId, usize), Handed>>,
}

impl<'t, 'm, 'p> Fresh<'t, 'm, 'p> {
    pub(super) fn new(code: &'t Code<'m, 'p>) -> Self {
        Self { code, handed: RefCell::default() }
    }

    fn program(&self) -> &'p Program {
        self.code.program
    }

    /// Whether a call makes a new object, of numbers alone: an allocation of the C library.
    pub(super) fn is_allocation(&self, callee: FuncId) -> bool {
        let function = &self.program().functions[callee];
        let is_library = function.origin == Origin::Model || function.is_declaration();
        let is_plain = |row: &&Row| (0..row.parameters()).all(|at| row.argument(at) == ArgEffect::Value);
        let row = icsched_externals::lookup(function.library_name()).filter(is_plain);
        is_library && row.is_some_and(|row| row.result() == ResultEffect::Fresh)
    }

    /// The values that are computed from a pointer behind its definition, itself among them. O(instructions, times the
    /// length of chains).
    pub(super) fn aliases(&self, func: FuncId, structure: &Structure, of: ValueId) -> FxHashSet<ValueId> {
        let function = &self.program().functions[func];
        let mut found = FxHashSet::from_iter([of]);
        loop {
            let before = found.len();
            for &block in structure.cfg.reverse_postorder() {
                let body = &function.blocks[block];
                for inst in &body.insts {
                    if self.passes_on(&inst.op, &found) {
                        found.extend(inst.results.iter().copied());
                    }
                }
                for edge in body.terminator.edges() {
                    let params = &function.blocks[edge.target].params;
                    let is_behind = is_behind(structure, of, (edge.target, 0));
                    let passed = params.iter().zip(&edge.args).filter(|(_, arg)| is_among(&found, **arg) && is_behind);
                    let passed: Vec<ValueId> = passed.map(|(&param, _)| param).collect();
                    found.extend(passed);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether an instruction's result is computed from one of these pointers.
    fn passes_on(&self, op: &Op, from: &FxHashSet<ValueId>) -> bool {
        match op {
            Op::Address { base, .. } => is_among(from, *base),
            Op::Select { a, b, .. } => is_among(from, *a) || is_among(from, *b),
            Op::Unary { op: UnOp::Freeze, a } | Op::Cast { op: CastOp::Bitcast, a } => is_among(from, *a),
            Op::Call { callee: Callee::Direct(callee), args } => {
                let handed = args.iter().enumerate().filter(|(_, arg)| is_among(from, **arg));
                handed.into_iter().any(|(at, _)| self.handed(*callee, at).comes_back)
            }
            _ => false,
        }
    }

    /// Where some pointers to one object get to where others may find them. Returns are not among these places.
    pub(super) fn escapes(&self, func: FuncId, of: &FxHashSet<ValueId>) -> Vec<Point> {
        let function = &self.program().functions[func];
        let mut found = Vec::new();
        for (block, body) in function.blocks.iter() {
            for (at, inst) in body.insts.iter().enumerate() {
                if self.escapes_in(&inst.op, of) {
                    found.push((block, at + 1));
                }
            }
        }
        found
    }

    fn escapes_in(&self, op: &Op, of: &FxHashSet<ValueId>) -> bool {
        match op {
            Op::Load { .. }
            | Op::IntCompare { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::Select { .. }
            | Op::Unary { op: UnOp::Freeze, .. }
            | Op::Cast { op: CastOp::Bitcast, .. } => false,
            Op::Store { value, .. } => is_among(of, *value),
            Op::Address { indices, .. } => indices.iter().any(|index| is_among(of, index.index)),
            Op::Call { callee: Callee::Direct(callee), args } => {
                args.iter().enumerate().any(|(at, arg)| is_among(of, *arg) && self.handed(*callee, at).is_kept)
            }
            Op::Call { callee: Callee::Intrinsic(i), args } => args.iter().any(|arg| is_among(of, *arg)) && keeps(*i),
            _ => {
                let mut uses = false;
                op.for_each_operand(|operand| uses |= is_among(of, operand));
                uses
            }
        }
    }

    /// What a function does with an argument. A function that is being looked at keeps what it hands to itself.
    fn handed(&self, func: FuncId, at: usize) -> Handed {
        if let Some(&known) = self.handed.borrow().get(&(func, at)) {
            return known;
        }
        self.handed.borrow_mut().insert((func, at), KEPT);
        let found = self.look_at_argument(func, at);
        self.handed.borrow_mut().insert((func, at), found);
        found
    }

    fn look_at_argument(&self, func: FuncId, at: usize) -> Handed {
        let function = &self.program().functions[func];
        let is_library = function.origin == Origin::Model || function.is_declaration();
        if let Some(row) = icsched_externals::lookup(function.library_name()).filter(|_| is_library) {
            let keeps = |effect| matches!(effect, ArgEffect::Retains | ArgEffect::Calls | ArgEffect::StoresPointer);
            // Whom it calls may be told of any of them.
            let calls = (0..row.parameters()).any(|other| row.argument(other) == ArgEffect::Calls);
            let is_kept = keeps(row.argument(at)) || calls;
            return Handed { is_kept, comes_back: row.result() == ResultEffect::Argument(at) };
        }
        let Some(&param) = function.params.get(at).filter(|_| !function.is_declaration()) else { return KEPT };
        let structure = self.code.structure(func);
        let aliases = self.aliases(func, &structure, param);
        let returns = function.blocks.values().filter_map(|block| match &block.terminator {
            Terminator::Return(values) => Some(values),
            _ => None,
        });
        let comes_back = returns.flatten().any(|&value| is_among(&aliases, value));
        Handed { is_kept: !self.escapes(func, &aliases).is_empty(), comes_back }
    }
}

/// Whether an operation of the engine keeps a pointer that it is given.
const fn keeps(intrinsic: Intrinsic) -> bool {
    !matches!(
        intrinsic,
        Intrinsic::Free
            | Intrinsic::MemCopy
            | Intrinsic::MemMove
            | Intrinsic::MemSet
            | Intrinsic::StringEnd
            | Intrinsic::HostRead
            | Intrinsic::HostWrite
            | Intrinsic::NotHeld
    )
}

//! What two threads are compared by: their common frames, and what is known to be equal.

use icsched_ir::{ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;

use crate::expr::{ExprId, ExprPool};
use crate::reaching::walk::Walk;
use crate::state::{Relation, RelationKind};
use crate::structure::Structure;
use crate::symbol::Symbol;

/// One thread's frames from the outermost that both have in common, down to where it waits or runs.
pub(super) struct Way<'w> {
    /// The first frame's position in the thread's stack.
    pub(super) first: usize,
    pub(super) frames: Vec<(InstanceId, ProgramPoint)>,
    pub(super) walk: &'w Walk,
}

impl Way<'_> {
    /// Whether a symbol is of another frame than this, or a register that is defined where the thread is.
    pub(super) fn is_seen(&self, structure: &Structure, depth: usize, symbol: &Symbol) -> bool {
        let is_here = symbol.frame as usize == self.first + depth;
        let point = self.frames[depth].1;
        let is_defined = |value| structure.is_defined_at(value, point.block, point.inst as usize);
        !is_here || symbol.own_register().is_none_or(is_defined)
    }

    pub(super) fn is_last(&self, depth: usize) -> bool {
        depth + 1 == self.frames.len()
    }
}

/// What is the same for two threads in a frame that both have.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Same {
    Register(ValueId),
    /// A register of an activation that has returned, and its width. The symbol's frame means nothing.
    Inside(Symbol, u32),
}

/// What is known to be equal for two threads: expressions of the first one's registers, and of the other one's.
pub(super) struct Equal(Vec<(ExprId, ExprId)>);

impl Equal {
    /// What some relations say of two threads.
    pub(super) fn between(relations: &[Relation], (a, b): (usize, usize)) -> Self {
        let is_it = |r: &&Relation| r.kind == RelationKind::Equal && r.a.0 == a && r.b.0 == b;
        Self(relations.iter().filter(is_it).map(|r| (r.a.1, r.b.1)).collect())
    }

    /// Whether an expression of the first thread and one of the other are equal by that.
    pub(super) fn makes_equal(&self, pool: &mut ExprPool, a: ExprId, b: ExprId) -> bool {
        let symbols: Vec<(Symbol, ExprId)> =
            self.0.iter().filter_map(|&(x, y)| pool.as_symbol(x).map(|symbol| (symbol, y))).collect();
        let other = |symbol: Symbol| symbols.iter().find(|s| s.0 == symbol).map(|s| s.1);
        self.0.contains(&(a, b)) || pool.substitute(a, &other) == Some(b)
    }
}

impl Way<'_> {
    /// The registers of what a frame has called that something is said of, each once, with their widths.
    pub(super) fn named_inside(&self, pool: &ExprPool, depth: usize) -> Vec<(Symbol, u32)> {
        let definitions = &self.walk.definitions;
        let mut found: Vec<(Symbol, u32)> = Vec::new();
        let registers = definitions.registers.iter().flat_map(|frame| frame.values().copied());
        for e in registers.chain(definitions.places.iter().map(|known| known.value)) {
            if pool.symbols(e).iter().any(|s| s.inside.is_some()) {
                pool.add_symbols(e, &mut found);
            }
        }
        found.retain(|(s, _)| s.inside.is_some() && s.frame as usize == self.first + depth);
        found.sort_unstable();
        found.dedup();
        found
    }
}

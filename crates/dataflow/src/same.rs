//! What two threads that are in step have the same of, besides registers of their frames: parameters, by what is known to be equal otherwise, and
//! registers of activations that have returned.

use icsched_ir::{BlockId, Definition, EntityId as _, ValueId};

use crate::agreement::Agreement;
use crate::alignment::Way;
use crate::analysis::Analysis;
use crate::expr::{ExprId, ExprPool};
use crate::state::{Relation, RelationKind};
use crate::symbol::{CallPath, FrameIndex, Symbol};

/// What is the same for two threads in a frame that both have.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Same {
    Register(ValueId),
    /// A register of an activation that has returned, and its width. The symbol's frame means nothing.
    Inside(Symbol, u32),
}

/// What is known to be equal for two threads: expressions of the first one's registers, and of the other one's.
pub(crate) struct Equal(Vec<(ExprId, ExprId)>);

impl Equal {
    /// What some relations say of two threads.
    pub(crate) fn between(relations: &[Relation], (a, b): (usize, usize)) -> Self {
        let is_it = |r: &&Relation| r.kind == RelationKind::Equal && r.a.0 == a && r.b.0 == b;
        Self(relations.iter().filter(is_it).map(|r| (r.a.1, r.b.1)).collect())
    }

    /// Whether an expression of the first thread and one of the other are equal by that.
    fn makes_equal(&self, pool: &mut ExprPool, a: ExprId, b: ExprId) -> bool {
        let symbols: Vec<(Symbol, ExprId)> =
            self.0.iter().filter_map(|&(x, y)| pool.as_symbol(x).map(|symbol| (symbol, y))).collect();
        let other = |symbol: Symbol| symbols.iter().find(|s| s.0 == symbol).map(|s| s.1);
        self.0.contains(&(a, b)) || pool.substitute(a, &other) == Some(b)
    }
}

impl Way<'_> {
    /// The registers of what a frame has called that something is said of, each once, with their widths.
    fn named_inside(&self, pool: &ExprPool, depth: usize) -> Vec<(Symbol, u32)> {
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

impl Analysis<'_, '_> {
    /// Which parameters of a frame are the same in both threads.
    pub(crate) fn same_params(&mut self, ways: &[Way<'_>; 2], depth: usize, known: &Equal) -> Vec<bool> {
        let function = &self.program.functions[ways[0].frames[depth].1.func];
        let same = |&param: &ValueId| {
            let [a, b] = [0, 1].map(|side: usize| {
                let position = ways[side].first + depth;
                let frame = FrameIndex::try_from(position).expect("stacks are short");
                let held = ways[side].walk.solutions[position].register(param);
                held.unwrap_or_else(|| self.pool.symbol(Symbol::new(frame, param), function.values[param].ty.bits()))
            });
            known.makes_equal(&mut self.pool, a, b)
        };
        function.params.iter().map(same).collect()
    }

    /// The registers of what a frame has called that are the same in both threads, of those that anything is said of.
    pub(crate) fn same_inside(&mut self, ways: &[Way<'_>; 2], at: usize, found: &Agreement) -> Vec<(Symbol, u32)> {
        let structure = self.structure(ways[0].frames[at].1.func);
        let points = [ways[0].frames[at].1, ways[1].frames[at].1];
        let mut same = Vec::new();
        for (symbol, width) in ways[0].named_inside(&self.pool, at) {
            let Some(path) = symbol.inside.map(|path| self.pool.path(path).clone()) else { continue };
            let (call, calls) = (path.calls[0], &path.calls);
            let is_before = points.iter().all(|&p| structure.is_before(call, p));
            let is_defined = self.always_executes(&path, symbol.value);
            if !is_before || !is_defined || !found.is_same_inside(calls, symbol.value) {
                continue;
            }
            let definition = Some((call.block, call.inst as usize));
            let goes_on = [(0, 1), (1, 0)].iter().any(|&sides| self.comes_back(ways, sides, at, definition));
            if !goes_on {
                same.push((symbol, width));
            }
        }
        same
    }

    /// Whether a register of an activation was defined, however it was passed through.
    fn always_executes(&mut self, path: &CallPath, value: ValueId) -> bool {
        let structure = self.structure(path.func);
        let defined = match structure.definition(value) {
            Some(Definition::Argument(_)) => Some(BlockId::from_index(0)),
            Some(Definition::Parameter(block, _) | Definition::Inst(block, _)) => Some(block),
            None => None,
        };
        let calls = path.calls.iter().skip(1).map(|call| (call.func, Some(call.block)));
        calls.chain([(path.func, defined)]).all(|(func, block)| {
            let structure = self.structure(func);
            let mut blocks = self.program.functions[func].blocks.iter();
            blocks.all(|(end, body)| {
                let returns = crate::context::returned(&body.terminator).is_some() && structure.cfg.is_reachable(end);
                !returns || block.is_some_and(|block| structure.dominators.dominates(block, end))
            })
        })
    }
}

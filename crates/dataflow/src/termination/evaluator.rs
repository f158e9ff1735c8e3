//! The state in which one round is evaluated.

use icsched_ir::{BlockId, IdVec, ValueId};
use icsched_smt::{Term, TermPool};
use rustc_hash::FxHashMap;

use super::memory::Memory;
use super::round::{Fact, Round};
use super::scope::Scope;
use super::value::Val;

/// Evaluates one round.
pub(super) struct Evaluator<'e, 'a> {
    pub(super) scope: &'e Scope<'a>,
    pub(super) memory: &'e Memory,
    pub(super) pool: &'e mut TermPool,
    /// Tells the unknown values of several rounds apart.
    pub(super) number: usize,
    pub(super) round: Round,
    /// What holds if a block is executed.
    pub(super) reached: IdVec<BlockId, Option<Term>>,
    /// What holds if control takes the edges that end a block.
    pub(super) edges: IdVec<BlockId, Vec<Term>>,
    /// What cells hold behind a block, or within the one that is evaluated.
    pub(super) cells: IdVec<BlockId, Vec<Val>>,
    pub(super) now: Vec<Val>,
    pub(super) unspecified: usize,
    pub(super) depth: usize,
}

impl<'e, 'a> Evaluator<'e, 'a> {
    pub(super) fn new(scope: &'e Scope<'a>, memory: &'e Memory, pool: &'e mut TermPool, number: usize) -> Self {
        let function = scope.function;
        let round = Round {
            begins: Vec::new(),
            values: IdVec::filled(None, function.values.len()),
            outside: FxHashMap::default(),
            facts: Vec::new(),
            steps: Vec::new(),
            exits: Vec::new(),
            links: Vec::new(),
            accesses: Vec::new(),
        };
        let blocks = function.blocks.len();
        Self {
            scope,
            memory,
            pool,
            number,
            round,
            reached: IdVec::filled(None, blocks),
            edges: IdVec::filled(Vec::new(), blocks),
            cells: IdVec::filled(Vec::new(), blocks),
            now: Vec::new(),
            unspecified: 0,
            depth: 0,
        }
    }

    /// A value of which nothing is known.
    pub(super) fn unknown(&mut self, value: ValueId) -> Val {
        let bits = self.scope.function.values[value].ty.bits();
        let name = format!("{value}.{}", self.number);
        let symbol = self.pool.symbol(&name, bits);
        Val::new(self.pool, symbol)
    }

    /// A name for a value that is another one at each place.
    pub(super) fn unspecified(&mut self, bits: u32) -> Val {
        self.unspecified += 1;
        let symbol = self.pool.symbol(&format!("any{}.{}", self.unspecified, self.number), bits);
        Val::new(self.pool, symbol)
    }

    /// Notes what holds if `block` is executed, for it would do something undefined otherwise.
    pub(super) fn assume(&mut self, block: BlockId, holds: Term) {
        self.note(block, Fact { holds, is_of_sum: false, is_of_branch: false });
    }

    /// The same of a number that the round depends on: it is what it is in C.
    pub(super) fn assume_sound(&mut self, block: BlockId, val: Val) {
        self.note(block, Fact { holds: val.sound, is_of_sum: true, is_of_branch: false });
    }

    /// The same of a condition that decides where control goes.
    pub(super) fn assume_decided(&mut self, block: BlockId, condition: Val) {
        self.note(block, Fact { holds: condition.sound, is_of_sum: true, is_of_branch: true });
    }

    fn note(&mut self, block: BlockId, fact: Fact) {
        let Fact { holds, .. } = fact;
        if self.pool.is_true(holds) {
            return;
        }
        let reached = self.reached[block].unwrap_or_else(|| self.pool.bool(true));
        let not = self.pool.not(reached);
        let holds = self.pool.or_all(&[not, holds]);
        self.round.facts.push(Fact { holds, ..fact });
    }
}

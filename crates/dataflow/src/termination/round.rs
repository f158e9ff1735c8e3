//! What one round of a loop or a recursion does, as terms over what it begins with.

use icsched_ir::{BlockId, FuncId, IdVec, ValueId};
use icsched_smt::{Term, TermPool};
use rustc_hash::FxHashMap;

use super::value::{Origin, Val, Walk};

/// A load or a store.
#[derive(Copy, Clone, Debug)]
pub(super) struct Access {
    pub(super) block: BlockId,
    pub(super) at: usize,
    pub(super) address: Val,
    pub(super) bits: u32,
    pub(super) is_store: bool,
}

/// How a round goes on with the next one.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// What holds if it does: a truth value.
    pub(super) taken: Term,
    /// What the next round begins with.
    pub(super) params: Vec<Val>,
    /// What [cells](Memory::cells) hold then.
    pub(super) cells: Vec<Val>,
    /// The function whose body the next round is, in a recursion.
    pub(super) callee: Option<FuncId>,
    /// How many of the round's facts are known by then. Those of what a recursion does behind its call may never come
    /// to hold.
    pub(super) facts: usize,
}

/// Something that holds in a round that does nothing undefined.
#[derive(Copy, Clone, Debug)]
pub(super) struct Fact {
    pub(super) holds: Term,
    /// Whether it says that a sum that the round depends on is what it is in C: has not overflowed, though a processor
    /// would go on.
    pub(super) is_of_sum: bool,
    /// Whether it is about what decides a branch, and not about what is done on the way.
    pub(super) is_of_branch: bool,
}

/// Which facts of a round are known.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// Those about what decides branches: few, and enough for a loop that counts.
    Branches,
    /// All of them.
    All,
    /// All but those that say that sums are what they are in C.
    WithoutSums,
}

impl Known {
    pub(super) fn has(self, fact: &Fact) -> bool {
        match self {
            Self::Branches => fact.is_of_branch,
            Self::All => true,
            Self::WithoutSums => !fact.is_of_sum,
        }
    }
}

/// What a round begins with.
#[derive(Clone, Debug)]
pub(super) struct Beginning {
    /// Parameters of the header.
    pub(super) params: Vec<Val>,
    /// What cells hold.
    pub(super) cells: Vec<Val>,
}

/// One round.
#[derive(Debug)]
pub(super) struct Round {
    /// What it begins with: parameters of the header, then cells.
    pub(super) begins: Vec<Val>,
    /// What is known of the values that it computes.
    pub(super) values: IdVec<ValueId, Option<Val>>,
    /// Of those that are computed outside, as far as they were asked for.
    pub(super) outside: FxHashMap<ValueId, Val>,
    /// What holds in a round that does nothing undefined.
    pub(super) facts: Vec<Fact>,
    /// The ways to go on.
    pub(super) steps: Vec<Step>,
    /// What holds if the round leaves the loop, or comes to something of which nobody knows where it leads; one for
    /// each edge.
    pub(super) exits: Vec<Term>,
    /// The loads that a walk goes on by: block and index.
    pub(super) links: Vec<(BlockId, usize)>,
    /// What is loaded and stored.
    pub(super) accesses: Vec<Access>,
}

impl Round {
    /// Whether it depends on what sums are in C.
    pub(super) fn has_sums(&self) -> bool {
        self.facts.iter().any(|fact| fact.is_of_sum)
    }

    /// What is known of a round by the time of a step.
    pub(super) fn known_at(&self, step: &Step, known: Known) -> impl Iterator<Item = Term> {
        self.facts[..step.facts].iter().filter(move |fact| known.has(fact)).map(|fact| fact.holds)
    }
}

impl Step {
    /// What the next round begins with at an index: parameters of the header, then cells.
    pub(super) fn state(&self, at: usize) -> Option<Val> {
        self.params.iter().chain(&self.cells).nth(at).copied()
    }

    /// What the next round begins with, where walks begin anew.
    pub(super) fn beginning(&self, pool: &mut TermPool) -> Beginning {
        let moved = pool.bool(false);
        let begin = |(at, val): (usize, &Val)| match val.fixed {
            true => *val,
            false => Val { walk: Walk::From { origin: Origin::State(at), moved }, ..*val },
        };
        let states = self.params.iter().chain(&self.cells).enumerate().map(begin);
        let mut params: Vec<Val> = states.collect();
        let cells = params.split_off(self.params.len());
        Beginning { params, cells }
    }
}

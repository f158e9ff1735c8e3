//! What follows from what is known at the end of a path.

use icsched_smt::{Answer, Term};
use rustc_hash::FxHashSet;

use crate::questions::Asker;
use crate::valid_facts::Implied;

/// What follows from what holds in all executions that come to the end.
pub(super) struct Consequences {
    pub(super) conditions: Vec<Term>,
    pub(super) known: FxHashSet<Term>,
    implied: Implied,
}

impl Consequences {
    pub(super) fn of(conditions: Vec<Term>) -> Self {
        let known = conditions.iter().copied().collect();
        Self { conditions, known, implied: Implied::default() }
    }

    pub(super) fn contain(&mut self, asker: &mut Asker, condition: Term) -> bool {
        if self.known.contains(&condition) {
            return true;
        }
        let follows = self.implied.holds(condition, || {
            let negated = asker.pool().not(condition);
            asker.check(&self.conditions, negated) == Answer::Unsat
        });
        if follows {
            self.known.insert(condition);
        }
        follows
    }
}

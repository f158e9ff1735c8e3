//! Incremental solvers, each with the conditions of a path asserted one above the other.

use std::cmp::Reverse;

use z3::Solver as RawSolver;

use crate::budgets::BUDGETS;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;
use crate::z3_backend::limits::Limits;
use crate::z3_backend::translate::Translator;

/// What Z3 knows of one pool's terms.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) pool: u64,
    pub(super) translator: Translator,
    /// The last used one first.
    pub(super) stacks: Vec<Stack>,
}

/// An incremental solver and what is asserted in it, one level per constraint.
#[derive(Debug)]
pub(super) struct Stack {
    pub(super) solver: RawSolver,
    asserted: Vec<Term>,
    /// Those in force; Z3 takes longer to be told than to answer many a question.
    limits: Option<Limits>,
}

impl Session {
    pub(super) fn new(pool: u64) -> Self {
        Session { pool, translator: Translator::default(), stacks: Vec::new() }
    }

    /// A solver in which `constraints` are asserted and nothing else.
    pub(super) fn assert_path(&mut self, pool: &TermPool, constraints: &[Term]) -> &mut Stack {
        let at = self.nearest(constraints);
        self.stacks[..=at].rotate_right(1);
        self.stacks[0].assert_path(&mut self.translator, pool, constraints);
        &mut self.stacks[0]
    }

    /// The stack with the longest common prefix, if most of it is. Another one is better left as it is, for a query
    /// that goes on with it; then a new stack, or the one that was not used for the longest time.
    fn nearest(&mut self, constraints: &[Term]) -> usize {
        let common = self.stacks.iter().enumerate().map(|(at, stack)| (stack.common(constraints), at));
        let best = common.max_by_key(|&(kept, at)| (kept, Reverse(at)));
        match best {
            Some((kept, at)) if 2 * kept >= self.stacks[at].asserted.len() => at,
            _ => {
                if self.stacks.len() < BUDGETS.z3.stacks {
                    self.stacks.push(Stack::new());
                }
                self.stacks.len() - 1
            }
        }
    }
}

impl Stack {
    fn new() -> Self {
        Stack { solver: incremental_solver(), asserted: Vec::new(), limits: None }
    }

    pub(super) fn set_limits(&mut self, limits: Limits) {
        if self.limits != Some(limits) {
            limits.set(&self.solver);
            self.limits = Some(limits);
        }
    }

    /// How many of the first constraints are asserted.
    fn common(&self, constraints: &[Term]) -> usize {
        self.asserted.iter().zip(constraints).take_while(|(a, b)| a == b).count()
    }

    /// Makes the assertion stack equal to `constraints`, keeping the common prefix.
    fn assert_path(&mut self, translator: &mut Translator, pool: &TermPool, constraints: &[Term]) {
        let kept = self.common(constraints);
        let surplus = self.asserted.len() - kept;
        if surplus > 0 {
            self.solver.pop(u32::try_from(surplus).expect("fewer than 2^32 constraints fit in memory"));
            self.asserted.truncate(kept);
        }
        for &constraint in &constraints[kept..] {
            let formula = translator.formula(pool, constraint);
            self.solver.push();
            self.solver.assert(&formula);
            self.asserted.push(constraint);
        }
    }
}

fn incremental_solver() -> RawSolver {
    RawSolver::new_for_logic("QF_ABV").expect("Z3 knows the logic QF_ABV")
}

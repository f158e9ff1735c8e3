//! Input constraints in disjunctive normal form, and their simplification.
//!
//! Paths with the same schedule are merged, so a schedule's constraint is a disjunction of path preconditions. All
//! steps below keep it equivalent, up to inputs that it may include anyway; they only make it shorter.

use icsched_smt::{Answer, Solver, Term, TermPool};

use crate::budgets::BUDGETS;

/// A conjunction of conditions: sorted, each once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Conjunction(Vec<Term>);

impl Conjunction {
    /// The conjunction of these conditions.
    pub fn new(mut conditions: Vec<Term>) -> Self {
        conditions.sort_unstable();
        conditions.dedup();
        Self(conditions)
    }

    /// The conditions.
    pub fn conditions(&self) -> &[Term] {
        &self.0
    }

    fn without(&self, position: usize) -> Self {
        let mut rest = self.0.clone();
        rest.remove(position);
        Self(rest)
    }
}

/// A disjunction of conjunctions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Disjunction {
    disjuncts: Vec<Conjunction>,
}

impl Disjunction {
    /// Adds a disjunct.
    pub fn add(&mut self, conjunction: Conjunction) {
        if !self.disjuncts.contains(&conjunction) {
            self.disjuncts.push(conjunction);
        }
    }

    /// Adds all disjuncts of another.
    pub fn add_all(&mut self, other: &Self) {
        other.disjuncts.iter().for_each(|conjunction| self.add(conjunction.clone()));
    }

    /// As one term.
    pub fn term(&self, pool: &mut TermPool) -> Term {
        let parts: Vec<Term> = self.disjuncts.iter().map(|c| pool.and_all(&c.0)).collect();
        pool.or_all(&parts)
    }

    /// The disjuncts.
    pub fn disjuncts(&self) -> &[Conjunction] {
        &self.disjuncts
    }

    /// A shorter disjunction, equivalent but for inputs in `anyway`, which it may include. Asks
    /// O(disjuncts * conditions) queries at most, few of which the back end has to answer, and no more when `is_over`.
    pub fn simplify(
        &mut self,
        (pool, solver): (&mut TermPool, &mut dyn Solver),
        anyway: &Disjunction,
        is_over: &dyn Fn() -> bool,
    ) {
        let most = solver.statistics().solved + BUDGETS.queries_per_constraint;
        let mut asking = Asking { pool: &mut *pool, solver, most, is_over };
        for conjunction in &mut self.disjuncts {
            asking.drop_implied(conjunction);
        }
        self.resolve(asking.pool);
        if self.disjuncts.len() <= BUDGETS.disjuncts_tested {
            self.widen(&mut asking, anyway);
        }
        self.resolve(pool);
    }

    /// `P && b || P && !b` is `P`; a disjunct that another one is part of goes.
    fn resolve(&mut self, pool: &mut TermPool) {
        while let Some((first, second, merged)) = self.find_pair(pool) {
            self.disjuncts.remove(first.max(second));
            self.disjuncts.remove(first.min(second));
            self.add(merged);
        }
    }

    fn find_pair(&self, pool: &mut TermPool) -> Option<(usize, usize, Conjunction)> {
        for (i, a) in self.disjuncts.iter().enumerate() {
            for (j, b) in self.disjuncts.iter().enumerate() {
                if i == j {
                    continue;
                }
                if a.0.iter().all(|c| b.0.binary_search(c).is_ok()) {
                    return Some((i, j, a.clone()));
                }
                for position in 0..a.0.len() {
                    let negated = pool.not(a.0[position]);
                    let Ok(at) = b.0.binary_search(&negated) else { continue };
                    let rest = a.without(position);
                    if b.without(at).0.iter().all(|c| rest.0.binary_search(c).is_ok()) && a.0.len() == b.0.len() {
                        return Some((i, j, rest));
                    }
                }
            }
        }
        None
    }

    /// Drops a condition from a disjunct where what it excludes is covered by the other disjuncts or `anyway`.
    fn widen(&mut self, asking: &mut Asking<'_>, anyway: &Disjunction) {
        let elsewhere = anyway.term(asking.pool);
        let elsewhere = asking.pool.not(elsewhere);
        for i in 0..self.disjuncts.len() {
            let mut position = 0;
            while position < self.disjuncts[i].0.len()
                && self.disjuncts[i].0.len() <= BUDGETS.conditions_tested
                && asking.goes_on()
            {
                let pool = &mut *asking.pool;
                let rest = self.disjuncts[i].without(position);
                let mut others = vec![elsewhere];
                for (j, other) in self.disjuncts.iter().enumerate() {
                    if i != j {
                        let term = pool.and_all(&other.0);
                        others.push(pool.not(term));
                    }
                }
                others.push(pool.not(self.disjuncts[i].0[position]));
                let outside = pool.and_all(&others);
                if asking.is_impossible(&rest.0, outside) {
                    self.disjuncts[i] = rest;
                } else {
                    position += 1;
                }
            }
        }
        self.disjuncts.sort();
        self.disjuncts.dedup();
    }
}

/// What questions are asked with, and how long.
struct Asking<'a> {
    pool: &'a mut TermPool,
    solver: &'a mut dyn Solver,
    /// How many questions the back end may have answered by then.
    most: u64,
    is_over: &'a dyn Fn() -> bool,
}

impl Asking<'_> {
    fn goes_on(&self) -> bool {
        self.solver.statistics().solved < self.most && !(self.is_over)()
    }

    fn is_impossible(&mut self, conditions: &[Term], and: Term) -> bool {
        self.solver.check(self.pool, conditions, and) == Answer::Unsat
    }

    /// Drops conditions that follow from the others, later ones first.
    fn drop_implied(&mut self, conjunction: &mut Conjunction) {
        if conjunction.0.len() > BUDGETS.conditions_tested {
            return;
        }
        for position in (0..conjunction.0.len()).rev() {
            let rest = conjunction.without(position);
            let otherwise = self.pool.not(conjunction.0[position]);
            if !rest.0.is_empty() && self.goes_on() && self.is_impossible(&rest.0, otherwise) {
                *conjunction = rest;
            }
        }
    }
}

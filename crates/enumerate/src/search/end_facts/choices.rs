//! Which addresses places hold one of at the end of a path, and which of them are not the same.

use icsched_facts::{BUDGETS as OF_FACTS, Bounds, Held, Place, Shape};
use icsched_smt::{Answer, CmpOp, Node, Term};
use rustc_hash::FxHashMap;

use super::finder::Finder;
use super::found::Found;
use crate::budgets::BUDGETS;

/// Finds choices, and differences between addresses.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    finder.choices(&mut end.shape, end.addresses.iter(), &end.consequences.conditions);
    finder.distinct(&mut end.shape, end.addresses.iter(), &end.consequences.conditions);
}

impl Finder<'_> {
    /// Says which addresses places hold one of, under some conditions.
    fn choices<'n>(
        &mut self,
        shape: &mut Shape,
        addresses: impl Iterator<Item = &'n (Place, Term)>,
        conditions: &[Term],
    ) {
        let mut known: FxHashMap<Term, Option<Vec<Held>>> = FxHashMap::default();
        let (mut chosen, mut tries) = (0, BUDGETS.computed_addresses);
        for &(place, term) in addresses {
            let found = known.entry(term).or_insert_with(|| {
                let few = chosen < BUDGETS.chosen_addresses && !self.is_late();
                let found = if few { self.chosen(term, conditions, &mut tries) } else { None };
                chosen += usize::from(found.is_some());
                found
            });
            match found.as_deref() {
                Some([]) | None => {}
                Some(&[only]) => shape.hold(place, only),
                Some(choices) => drop(shape.choices.insert(place, choices.to_vec())),
            }
        }
    }

    /// Says which places that hold one of a few addresses do not hold the same, under some conditions.
    fn distinct<'n>(
        &mut self,
        shape: &mut Shape,
        addresses: impl Iterator<Item = &'n (Place, Term)>,
        conditions: &[Term],
    ) {
        let terms: FxHashMap<Place, Term> = addresses.copied().collect();
        let pairs: Vec<(Place, Place)> = shape.overlapping().collect();
        for pair in pairs {
            let (Some(&a), Some(&b)) = (terms.get(&pair.0), terms.get(&pair.1)) else { continue };
            if a == b || self.is_late() {
                continue;
            }
            let same = self.asker.pool().cmp(CmpOp::Eq, a, b);
            if self.asker.check(conditions, same) == Answer::Unsat {
                shape.differences.entry(pair).or_insert(Bounds::nonzero(64));
            }
        }
    }

    /// The constants that a term may be under some conditions, if they are few. `tries` is how many more terms may be
    /// looked at of which it is not plain that they are one of a few.
    fn chosen(&mut self, term: Term, conditions: &[Term], tries: &mut usize) -> Option<Vec<Held>> {
        let addresses = &self.ending.left.addresses;
        let mut candidates = addresses.candidates(self.asker.pool(), term);
        if candidates.is_empty() && *tries > 0 {
            candidates = self.computed(term, conditions, tries)?;
        }
        if candidates.is_empty() {
            return None;
        }
        let mut guards = Vec::new();
        for &(bits, _) in &candidates {
            let pool = self.asker.pool();
            let constant = pool.constant(64, bits);
            guards.push(pool.cmp(CmpOp::Eq, term, constant));
        }
        let pool = self.asker.pool();
        let any = pool.or_all(&guards);
        let none = pool.not(any);
        if self.asker.check(conditions, none) != Answer::Unsat {
            return None;
        }
        let guarded = candidates.into_iter().zip(guards);
        let possible = guarded.filter(|&(_, guard)| self.asker.check(conditions, guard) != Answer::Unsat);
        let mut held: Vec<Held> = possible.map(|((_, held), _)| held).collect();
        held.sort_unstable();
        (held.len() <= OF_FACTS.choices && held.iter().any(Held::points)).then_some(held)
    }

    /// The addresses that a term is under some conditions which one unknown number says: an element of an array; none
    /// if they are many.
    fn computed(&mut self, term: Term, conditions: &[Term], tries: &mut usize) -> Option<Vec<(u64, Held)>> {
        let pool = self.asker.pool();
        if pool.width(term) != 64 || matches!(pool.node(term), Node::Symbol { .. }) || pool.only_symbol(term).is_none()
        {
            return None;
        }
        *tries -= 1;
        let mut found = Vec::new();
        let mut others = conditions.to_vec();
        loop {
            let always = self.asker.pool().bool(true);
            let Some(model) = self.asker.model(&others, always).ok()? else { break };
            let pool = self.asker.pool();
            let bits = pool.eval(term, &model);
            if found.len() == OF_FACTS.choices {
                return None;
            }
            found.push((bits, self.ending.left.addresses.held(bits)?));
            let constant = pool.constant(64, bits);
            others.push(pool.ne(term, constant));
        }
        Some(found)
    }
}

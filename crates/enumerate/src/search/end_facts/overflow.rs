//! What is known because sums have not overflowed.

use icsched_explore::sums::MAX_PLACES;
use icsched_facts::EndState;
use icsched_machine::state_place::StatePlace;
use icsched_smt::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::reasoning::is_simple;
use crate::budgets::BUDGETS;
use crate::engine::{Engine, Path};

/// That the sums have not overflowed that numbers at the end of a path were computed from, by number. In the first
/// epoch nothing happens that C leaves undefined, so a number is one that the program may depend on, or it does not
/// matter which one it is. But it may matter that it is equal to another one: only what counts for all places where a
/// number is does for one of them.
pub(in crate::search) fn sums(engine: &mut Engine, path: &Path, left: &EndState) -> FxHashMap<Term, Vec<Term>> {
    if engine.is_entry() || path.trace.sums.is_empty() {
        return FxHashMap::default();
    }
    let (mut terms, mut places): (Vec<(Term, usize)>, Vec<StatePlace>) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    for &(place, term) in &left.numbers {
        if places.len() == MAX_PLACES {
            break;
        }
        if !seen.insert(term) || !is_simple(engine.pool(), term) {
            continue;
        }
        let equal: Option<Vec<StatePlace>> = left.shape.equal_to(place).map(|place| left.find(place)).collect();
        let Some(equal) = equal.filter(|equal| places.len() + equal.len() <= MAX_PLACES) else { continue };
        places.extend(&equal);
        terms.push((term, equal.len()));
    }
    let mut behind = engine.sums_behind(path, &places).into_iter();
    let mut common = FxHashMap::default();
    for (term, count) in terms {
        let all: Vec<Vec<Term>> = behind.by_ref().take(count).collect();
        let Some((first, others)) = all.split_first() else { continue };
        let is_common = |condition: &&Term| others.iter().all(|other| other.contains(condition));
        let mut conditions: Vec<Term> = first.iter().filter(is_common).copied().collect();
        conditions.retain(|&condition| is_simple(engine.pool(), condition));
        conditions.sort_unstable();
        conditions.dedup();
        conditions.truncate(BUDGETS.sums_without_overflow);
        if !conditions.is_empty() {
            common.insert(term, conditions);
        }
    }
    common
}

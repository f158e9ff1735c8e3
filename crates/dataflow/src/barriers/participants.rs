//! Whether no more threads ever wait at a barrier than it expects. Then all of them take part in each of its rounds.
//!
//! Only threads that can get to a wait at some barrier count: the thread that runs `main`, and those that creations
//! make. A creation that is executed once makes one thread. One in a loop makes as many as the loop has iterations, if
//! the loop runs once or its threads come in [generations](crate::patterns::generations).

use icsched_ir::LoopForest;
use icsched_pointsto::InstanceId;

use crate::creations::Creation;
use crate::icfg::EdgeKind;
use crate::patterns::counted::{Bound, counted};
use crate::patterns::generations::comes_in_generations;
use crate::patterns::once::{is_called_once, is_executed_once};
use crate::place::Place;
use crate::state::Count;
use crate::view::ProgramView;

/// How many threads a creation makes at most.
enum Made {
    /// This many.
    Number(u64),
    /// What the variable holds, less this, if that is not negative.
    UpTo(Place, u64),
}

/// Whether at most `count` threads wait at barriers.
pub(crate) fn are_all_expected(view: &mut ProgramView<'_, '_>, count: Count) -> bool {
    let creations = std::rc::Rc::clone(&view.creations);
    let arrives = |view: &ProgramView<'_, '_>, i: InstanceId| view.interference.may_arrive(i);
    let raw = view.points_to.instances().ids().any(|i| {
        arrives(view, i)
            && view.icfg.incoming(i).any(|(_, e)| e.kind != EdgeKind::Call)
            && !view.icfg.edges(i).iter().any(|e| view.creations.replaces(i, e.at))
    });
    // Threads that are created in another way are not counted.
    let constructors = &view.program.constructors;
    let before_main = constructors.iter().any(|&f| view.points_to.instances_of(f).iter().any(|&i| arrives(view, i)));
    if before_main || raw || view.points_to.called_from_outside().any(|i| arrives(view, i)) {
        return false;
    }
    let main = view.program.main.and_then(|f| view.points_to.shared_instance(f));
    let mut number = u64::from(main.is_some_and(|i| arrives(view, i)));
    let mut variable: Option<(Place, u64)> = None;
    let waiting: Vec<&Creation> = creations.all.iter().filter(|c| c.starts.iter().any(|&i| arrives(view, i))).collect();
    for creation in &waiting {
        // Of what waits in several generations some rounds were without those of the others.
        let is_alone = number == 0 && waiting.len() == 1;
        if !is_alone && !is_called_once(view, creation.from, 0) {
            return false;
        }
        match made(view, creation) {
            Some(Made::Number(n)) => number = number.saturating_add(n),
            Some(Made::UpTo(place, less)) if variable.is_none() => variable = Some((place, less)),
            _ => return false,
        }
    }
    match (count, variable) {
        (Count::Constant(expected), None) => number <= expected,
        // With less than one expected the barrier is not initialised at all.
        (Count::Place(place), Some((bound, less))) => {
            place.base == bound.base && place.offset == bound.offset && number <= less && less <= 1
        }
        _ => false,
    }
}

fn made(view: &mut ProgramView<'_, '_>, creation: &Creation) -> Option<Made> {
    if is_executed_once(view, creation.from, creation.at.block) {
        return Some(Made::Number(1));
    }
    let func = view.points_to.instances()[creation.from].func;
    let loops = LoopForest::new(&view.structure(func).cfg);
    let around = loops.get(loops.innermost(creation.at.block)?);
    // The header tests, and a creation is behind the test.
    let counted = counted(view, func, around).filter(|c| c.start <= 1 && creation.at.block != around.header)?;
    let alone = is_called_once(view, creation.from, 0) || comes_in_generations(view, creation);
    match counted.bound {
        _ if !alone => None,
        Bound::Number(bits) => Some(Made::Number(bits.checked_sub(counted.start)?)),
        Bound::Variable(place) => Some(Made::UpTo(place, counted.start)),
    }
}

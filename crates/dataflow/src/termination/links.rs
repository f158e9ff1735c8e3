//! The links that a loop follows: `p = p->next`.

use std::collections::BTreeSet;

use icsched_ir::Op;
use icsched_pointsto::{Location, ModRef, ObjectId, ObjectKind, Offsets};

use super::round::Round;
use super::scope::Scope;
use crate::budgets::BUDGETS;

/// Bytes of a pointer.
pub(super) const POINTER: u64 = 8;

/// The links that a loop follows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Links {
    /// Where they are, ascending.
    pub(super) places: Vec<(ObjectId, Offsets)>,
    /// The objects that they are in, ascending.
    pub(super) objects: Vec<ObjectId>,
}

impl Links {
    /// What walks of these rounds read, in all instances of their functions. `None` where that is not known, or not
    /// memory of the program.
    pub(super) fn read_by(modref: &ModRef<'_>, rounds: &[(&Scope<'_>, &Round)]) -> Option<Self> {
        let points_to = modref.points_to();
        let mut places: BTreeSet<(ObjectId, Offsets)> = BTreeSet::new();
        let loads = rounds.iter().flat_map(|(scope, round)| round.links.iter().map(move |&at| (scope, at)));
        for (scope, (block, at)) in loads {
            let Op::Load { address, .. } = scope.function.blocks[block].insts[at].op else { return None };
            for &instance in points_to.instances_of(scope.func) {
                let info = points_to.accessible(&points_to.pointer_info_in(instance, address));
                places.extend(info.locations.iter().map(|l| (l.object, l.offsets)));
            }
        }
        let mut objects: Vec<ObjectId> = places.iter().map(|place| place.0).collect();
        objects.dedup();
        let is_own = |&object: &ObjectId| {
            let kind = points_to.objects()[object].kind;
            matches!(kind, ObjectKind::Heap { .. } | ObjectKind::Global(_) | ObjectKind::Stack { .. })
        };
        let is_known = !places.is_empty() && places.len() <= BUDGETS.link_places && objects.iter().all(is_own);
        is_known.then(|| Self { places: places.into_iter().collect(), objects })
    }

    /// Whether a pointer that is written at these places may be such a link.
    pub(super) fn may_be_at(&self, places: &[Location]) -> bool {
        let overlaps = |place: &Location| {
            let start = self.places.partition_point(|link| link.0 < place.object);
            let of_object = self.places[start..].iter().take_while(|link| link.0 == place.object);
            of_object.into_iter().any(|link| link.1.overlaps(POINTER, place.offsets, POINTER))
        };
        places.iter().any(overlaps)
    }

    /// Whether all of these places are of such links.
    pub(super) fn are_at(&self, places: &[Location]) -> bool {
        !places.is_empty() && places.iter().all(|p| self.places.binary_search(&(p.object, p.offsets)).is_ok())
    }
}

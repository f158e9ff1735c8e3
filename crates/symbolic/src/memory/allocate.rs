//! Objects that are allocated in a run that begins in the middle of the program, of a size that nobody knows.
//!
//! Where accesses are not asked to be inside of objects, only what an object holds matters, not where it ends: it is
//! kept as the objects of the initial state are ([`unknown`](super::unknown)), from a root of its own, and no size has
//! to be chosen. Its bytes are no bytes of the initial state: they are zero or anything, and no pointer of the initial
//! state points there.

use icsched_smt::Term;

use super::array::SymArray;
use crate::domain::SymbolicDomain;
use crate::initial::discovery::Discovery;
use crate::initial::root::{Fresh, RootId, RootName, number};
use icsched_machine::domain::AllocationSite;
use icsched_machine::memory::{Heap, ObjectId, UNKNOWN_SIZE};

impl SymbolicDomain {
    /// A new object of unknown size, allocated by an instruction of the program; none where accesses are checked.
    /// O(objects that it has allocated on the path).
    pub(crate) fn allocate_unsized(
        &mut self,
        heap: &mut Heap<Self>,
        by: AllocationSite,
        fresh: Fresh,
    ) -> Option<ObjectId> {
        let origins = self.origins.as_deref_mut().filter(|origins| !origins.memory_checks)?;
        let known = origins.allocated.get(&by).map_or(&[][..], |roots| roots);
        let mut free = known.iter().filter(|&&root| heap.initial(number(root)).is_none());
        let root = free.next().copied();
        let root = root.unwrap_or_else(|| self.allocated_root(by));
        // What one path has made of it may hold anything may do so on the others.
        let root_of = self.origins().get_mut(root);
        root_of.fresh = root_of.fresh.or(Some(fresh)).map(|old| if fresh == Fresh::Any { fresh } else { old });
        Some(heap.add_initial(number(root), UNKNOWN_SIZE, SymArray::of_root(root)))
    }

    /// A root for one more object of unknown size that an instruction allocates.
    pub(crate) fn allocated_root(&mut self, by: AllocationSite) -> RootId {
        let places = if self.origins().from_entry { self.heap_places(by) } else { [].into() };
        let origins = self.origins();
        let name = origins.unique("allocated".to_owned());
        let root = origins.root(RootName::Variable(name.clone(), None), places, 0);
        origins.discover(|| Discovery::Allocated { root, site: by, fresh: None, name });
        origins.allocated.entry(by).or_default().push(root);
        origins.unsized_roots.insert(number(root));
        root
    }

    /// Says that an object of unknown size that was allocated on the path holds anything; whether it is one, and was
    /// not written.
    pub(crate) fn forget_contents(&mut self, heap: &Heap<Self>, object: ObjectId) -> bool {
        let Some(contents) = heap.contents_of(object).and_then(SymArray::unknown) else { return false };
        let (root, is_untouched) = (contents.root, contents.is_untouched());
        let root = self.origins().get_mut(root);
        if !is_untouched || root.fresh.is_none() {
            return false;
        }
        root.fresh = Some(Fresh::Any);
        true
    }

    /// What bytes hold of a root that was allocated on a path: nothing is known of what may hold anything.
    pub(crate) fn fresh_value(&mut self, root: RootId, bytes: u32) -> Option<Term> {
        let fresh = self.origins().get(root).fresh?;
        (fresh == Fresh::Zero).then(|| self.pool.constant(8 * bytes, 0))
    }
}

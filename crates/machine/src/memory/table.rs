//! All objects by id.

use super::object::Object;
use super::tree::{Tree, Visit};
use crate::values::Values;

/// Objects below a node of the tree.
const FANOUT: usize = 32;

/// A place for an object that shares no line of the processor's cache with another one.
#[repr(align(128))]
pub(super) struct Slot<D: Values>(Option<Object<D>>);

impl<D: Values> Clone for Slot<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Objects by index, cheap to clone in a domain whose states fork.
pub(super) enum Table<D: Values> {
    /// In a domain whose states do not fork.
    Flat(Vec<Slot<D>>),
    Shared(Tree<Object<D>, FANOUT>),
}

impl<D: Values> Clone for Table<D> {
    fn clone(&self) -> Self {
        match self {
            Table::Flat(objects) => Table::Flat(objects.clone()),
            Table::Shared(objects) => Table::Shared(objects.clone()),
        }
    }
}

impl<D: Values> Default for Table<D> {
    fn default() -> Self {
        if D::SYMBOLIC { Table::Shared(Tree::default()) } else { Table::Flat(Vec::new()) }
    }
}

impl<D: Values> Table<D> {
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Object<D>> {
        match self {
            Table::Flat(objects) => objects.get(index)?.0.as_ref(),
            Table::Shared(objects) => objects.get(index),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Object<D>> {
        match self {
            Table::Flat(objects) => objects.get_mut(index)?.0.as_mut(),
            Table::Shared(objects) => objects.get_mut(index),
        }
    }

    pub(super) fn set(&mut self, index: usize, object: Object<D>) {
        match self {
            Table::Flat(objects) => {
                if objects.len() <= index {
                    objects.resize_with(index + 1, || Slot(None));
                }
                objects[index] = Slot(Some(object));
            }
            Table::Shared(objects) => objects.set(index, object),
        }
    }

    /// Visits the objects of two tables side by side, until told to stop: [`Tree::compare`].
    pub(super) fn compare(&self, other: &Self, skips_shared: bool, visit: &mut Visit<'_, Object<D>>) {
        match (self, other) {
            (Table::Shared(a), Table::Shared(b)) => {
                a.compare(b, skips_shared, visit);
            }
            _ => {
                let _ = (0..self.len().max(other.len())).all(|i| visit(i, self.get(i), other.get(i)));
            }
        }
    }

    /// One more than the largest index, of a table that is flat.
    fn len(&self) -> usize {
        match self {
            Table::Flat(objects) => objects.len(),
            Table::Shared(_) => 0,
        }
    }

    /// Indices and objects, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Object<D>)> {
        let (flat, shared) = match self {
            Table::Flat(objects) => (Some(objects), None),
            Table::Shared(objects) => (None, Some(objects)),
        };
        let flat = flat.into_iter().flat_map(|o| o.iter().enumerate().filter_map(|(i, o)| Some((i, o.0.as_ref()?))));
        flat.chain(shared.into_iter().flat_map(Tree::iter))
    }
}

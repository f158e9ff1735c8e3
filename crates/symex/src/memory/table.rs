//! All objects by id.

use super::object::Object;
use super::tree::Tree;
use crate::domain::Domain;

/// Objects below a node of the tree.
const FANOUT: usize = 32;

/// Objects by index, cheap to clone in a domain whose states fork.
pub(super) enum Table<D: Domain> {
    /// In a domain whose states do not fork.
    Flat(Vec<Option<Object<D>>>),
    Shared(Tree<Object<D>, FANOUT>),
}

impl<D: Domain> Clone for Table<D> {
    fn clone(&self) -> Self {
        match self {
            Table::Flat(objects) => Table::Flat(objects.clone()),
            Table::Shared(objects) => Table::Shared(objects.clone()),
        }
    }
}

impl<D: Domain> Default for Table<D> {
    fn default() -> Self {
        if D::SYMBOLIC { Table::Shared(Tree::default()) } else { Table::Flat(Vec::new()) }
    }
}

impl<D: Domain> Table<D> {
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Object<D>> {
        match self {
            Table::Flat(objects) => objects.get(index)?.as_ref(),
            Table::Shared(objects) => objects.get(index),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Object<D>> {
        match self {
            Table::Flat(objects) => objects.get_mut(index)?.as_mut(),
            Table::Shared(objects) => objects.get_mut(index),
        }
    }

    pub(super) fn set(&mut self, index: usize, object: Object<D>) {
        match self {
            Table::Flat(objects) => {
                if objects.len() <= index {
                    objects.resize_with(index + 1, || None);
                }
                objects[index] = Some(object);
            }
            Table::Shared(objects) => objects.set(index, object),
        }
    }

    /// Visits the objects of two tables side by side, until told to stop: [`Tree::compare`].
    pub(super) fn compare(
        &self,
        other: &Self,
        skips_shared: bool,
        visit: &mut dyn FnMut(usize, Option<&Object<D>>, Option<&Object<D>>) -> bool,
    ) {
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
        let flat = flat.into_iter().flat_map(|o| o.iter().enumerate().filter_map(|(i, o)| Some((i, o.as_ref()?))));
        flat.chain(shared.into_iter().flat_map(Tree::iter))
    }
}

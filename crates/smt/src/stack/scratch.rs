//! Memory that tactics keep between queries about one pool.

use std::any::{Any, TypeId};

use rustc_hash::FxHashMap;

/// One value of each type that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Scratch(FxHashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Scratch {
    /// The value of a type: the default one the first time, later as it was left.
    pub(crate) fn of<T: Any + Send + Sync + Default>(&mut self) -> &mut T {
        let value = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        value.downcast_mut().expect("values are kept by their types")
    }
}

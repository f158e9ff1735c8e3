//! An append-only sequence that is cheap to clone.

use std::rc::Rc;

const CHUNK: usize = 128;

/// Items in order of arrival. Cloning costs one reference count per 128 items; the first push after it copies at most
/// 128 items.
#[derive(Clone, Debug)]
pub struct Log<T> {
    chunks: Vec<Rc<Vec<T>>>,
    len: usize,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T: Clone> Log<T> {
    /// Appends an item.
    pub fn push(&mut self, item: T) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Rc::new(Vec::with_capacity(CHUNK)));
        }
        let last = self.chunks.last_mut().expect("a chunk with room was just made sure of");
        Rc::make_mut(last).push(item);
        self.len += 1;
    }
}

impl<T> Log<T> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The item at this position.
    pub fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    /// All items, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.chunks.iter().flat_map(|c| c.iter())
    }
}

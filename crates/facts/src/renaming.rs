//! Other names for objects and threads: the same fact is said of `heap[0]` in one shape, and of `heap[1]` in another.

use crate::place::{Held, Node, Place};

/// Other names for objects from the heap, and for threads.
pub struct Renaming<'a> {
    /// Objects, some of which have none.
    pub heap: &'a dyn Fn(u32) -> Option<u32>,
    /// Threads.
    pub thread: &'a dyn Fn(u32) -> u32,
}

impl<'a> Renaming<'a> {
    /// Threads keep theirs.
    pub fn of_heap(heap: &'a dyn Fn(u32) -> Option<u32>) -> Self {
        Self { heap, thread: &|thread| thread }
    }

    /// What a thread is called.
    pub fn thread(&self, thread: u32) -> u32 {
        (self.thread)(thread)
    }

    /// What an object is called.
    pub fn node(&self, node: Node) -> Option<Node> {
        Some(match node {
            Node::Global(_) => node,
            Node::ThreadLocal(global, thread) => Node::ThreadLocal(global, self.thread(thread)),
            Node::Thread(thread) => Node::Thread(self.thread(thread)),
            Node::Local(thread, depth, value) => Node::Local(self.thread(thread), depth, value),
            Node::Heap(number) => Node::Heap((self.heap)(number)?),
        })
    }

    /// What a place is called.
    pub fn place(&self, place: Place) -> Option<Place> {
        Some(match place {
            Place::Memory(node, at, size) => Place::Memory(self.node(node)?, at, size),
            Place::Register(thread, depth, value) => Place::Register(self.thread(thread), depth, value),
        })
    }

    /// What a place holds.
    pub fn held(&self, held: Held) -> Option<Held> {
        Some(match held {
            Held::Address(node, offset) => Held::Address(self.node(node)?, offset),
            Held::Bits(_) | Held::Same(_) => held,
        })
    }
}

//! Whether facts that were read from a file can be about a state at all: a file can be changed by anyone.

use icsched_ir::{CallStack, EntityId as _, GlobalId, Program, ValueId};
use icsched_machine::memory::ADDRESS_SPACE;

use crate::place::{Held, Node, Place};
use crate::shape::Shape;

impl Shape {
    /// Whether all that it is about may be there: threads, frames and values of these stacks, variables of the program,
    /// and `objects` that points-to analysis knows. Linear in the size of the shape, up to logarithms.
    pub fn fits(&self, program: &Program, stacks: &[CallStack], objects: usize) -> bool {
        let there = There { program, stacks, heap: self.heap.len() };
        let is_held = |held: &Held| match *held {
            Held::Address(node, _) => there.has_node(node),
            Held::Bits(_) | Held::Same(_) => true,
        };
        self.heap.iter().all(|object| object.index() < objects)
            && self.waits.iter().all(|&thread| there.has_thread(thread))
            && self.bytes.pages().all(|(node, start, ..)| there.has_node(node) && start < ADDRESS_SPACE)
            && self.words.values().all(|(size, held)| (1..=8).contains(size) && is_held(held))
            && self.registers.values().all(|(width, held)| (1..=64).contains(width) && is_held(held))
            && self.places().into_iter().all(|place| there.has_place(place))
            && self.kinds_are_well_formed(&|place| there.width(place))
    }
}

/// What there is where an epoch begins.
struct There<'a> {
    program: &'a Program,
    stacks: &'a [CallStack],
    heap: usize,
}

impl There<'_> {
    fn has_place(&self, place: Place) -> bool {
        match place {
            Place::Memory(node, at, size) => self.has_node(node) && at < ADDRESS_SPACE && (1..=8).contains(&size),
            Place::Register(thread, depth, value) => self.has_value(thread, depth, value),
        }
    }

    fn has_node(&self, node: Node) -> bool {
        let has_global = |global: GlobalId| self.program.globals.get(global).is_some();
        match node {
            Node::Global(global) => has_global(global),
            Node::ThreadLocal(global, thread) => has_global(global) && self.has_thread(thread),
            Node::Thread(thread) => self.has_thread(thread),
            Node::Local(thread, depth, value) => self.has_value(thread, depth, value),
            Node::Heap(number) => (number as usize) < self.heap,
        }
    }

    fn has_thread(&self, thread: u32) -> bool {
        (thread as usize) < self.stacks.len()
    }

    fn has_value(&self, thread: u32, depth: u32, value: ValueId) -> bool {
        self.bits(thread, depth, value).is_some()
    }

    /// The bits of a place that is there.
    fn width(&self, place: Place) -> Option<u32> {
        match place {
            Place::Memory(_, _, size) => Some(8 * u32::from(size)),
            Place::Register(thread, depth, value) => self.bits(thread, depth, value),
        }
    }

    fn bits(&self, thread: u32, depth: u32, value: ValueId) -> Option<u32> {
        let func = self.stacks.get(thread as usize)?.0.get(depth as usize)?.func;
        Some(self.program.functions.get(func)?.values.get(value)?.ty.bits())
    }
}

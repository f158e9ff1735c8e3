//! Which numbers in memory the program indexes arrays with.

use std::collections::BTreeSet;

use icsched_ir::{Op, Origin, Program, ValueId};
use icsched_pointsto::PointsTo;

use crate::place::{Node, Place};
use crate::shape::Shape;
use crate::sources::{Source, Sources};

/// The numbers in variables and objects from the heap that the program computes addresses of elements from.
#[derive(Clone, Default, Debug)]
pub struct Indices(BTreeSet<(Source, u8)>);

impl Indices {
    /// O(instructions of the program's functions).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut found = BTreeSet::new();
        for (id, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
            let sources = Sources::new(points_to, id, function);
            for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
                if let Op::Address { indices, .. } = &inst.op {
                    found.extend(indices.iter().flat_map(|index| sources.of_elements(index.index)));
                }
            }
        }
        Self(found)
    }

    /// Whether a place of a shape is one of them; or the variable of another function may be, which has the same name
    /// there.
    pub(crate) fn contain(&self, shape: &Shape, place: Place) -> bool {
        let Place::Memory(node, at, size) = place else { return false };
        let source = match node {
            Node::Global(global) => Some(Source::Global(global, at)),
            Node::Heap(number) => shape.heap.get(number as usize).map(|&site| Source::Heap(site, at)),
            Node::Local(_, _, value) => return self.contain_local(value, at, 8 * size),
            Node::ThreadLocal(..) | Node::Thread(_) => None,
        };
        source.is_some_and(|source| self.0.contains(&(source, 8 * size)))
    }

    fn contain_local(&self, value: ValueId, at: u64, width: u8) -> bool {
        let is_it = |source: &Source| matches!(*source, Source::Local(_, of, from) if (of, from) == (value, at));
        self.0.iter().any(|(source, bits)| *bits == width && is_it(source))
    }
}

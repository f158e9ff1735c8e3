//! What parts objects have, as the program points to them.

use std::collections::BTreeMap;

use icsched_ir::GlobalId;
use icsched_pointsto::{ObjectId as Abstract, ObjectKind, Offsets, PointsTo};
use rustc_hash::FxHashMap;

use super::{Locks, Node, Shape};

/// Most fields of an object that are told apart.
const MAX_FIELDS: usize = 64;

/// How often numbers in fields of an object are given up before all numbers in it are.
const PATIENCE: u32 = 4;

/// Where the fields of objects begin, by what points-to analysis calls the objects: single offsets that pointers of the program have.
#[derive(Clone, Default, Debug)]
pub struct Fields {
    starts: BTreeMap<Abstract, Vec<u64>>,
    globals: FxHashMap<GlobalId, Abstract>,
}

impl Fields {
    /// O(places that pointers may point to, up to logarithms).
    pub fn new(points_to: &PointsTo) -> Self {
        let mut fields = Self::default();
        for (object, offsets) in points_to.places() {
            let Offsets::Exact(at) = offsets else { continue };
            fields.starts.entry(object).or_default().extend(u64::try_from(at));
        }
        for starts in fields.starts.values_mut() {
            starts.sort_unstable();
            starts.dedup();
        }
        fields.starts.retain(|_, starts| starts.len() <= MAX_FIELDS);
        let of_global = |(id, object): (Abstract, &icsched_pointsto::Object)| match object.kind {
            ObjectKind::Global(global) => Some((global, id)),
            _ => None,
        };
        fields.globals = points_to.objects().iter().filter_map(of_global).collect();
        fields
    }

    /// The number of the field of a node that a byte is in; 0 where there are none, or too many.
    fn number(&self, shape: &Shape, node: Node, at: u64) -> u64 {
        let object = match node {
            Node::Global(global) | Node::ThreadLocal(global, _) => self.globals.get(&global),
            Node::Heap(number) => shape.heap.get(number as usize),
            Node::Thread(_) | Node::Local(..) => None,
        };
        let starts = object.and_then(|object| self.starts.get(object));
        starts.map_or(0, |starts| starts.partition_point(|&start| start <= at) as u64)
    }
}

/// How what gets weaker again and again is widened further.
#[derive(Debug)]
pub struct Widening<'a> {
    /// What is in locks is not given up.
    pub locks: &'a Locks,
    /// What is given up together.
    pub fields: &'a Fields,
    /// How often numbers in objects were given up.
    pub losses: &'a mut BTreeMap<Node, u32>,
}

/// What is given up together.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Part {
    /// Four bytes.
    Word(u64),
    /// A field.
    Field(u64),
}

impl Widening<'_> {
    /// The part of a node that a byte is in, unless it is in a lock.
    pub(super) fn part(&self, shape: &Shape, node: Node, at: u64) -> Part {
        let is_worn = self.losses.get(&node).is_some_and(|&times| times >= PATIENCE);
        Part::Field(if is_worn { 0 } else { self.fields.number(shape, node, at) })
    }
}

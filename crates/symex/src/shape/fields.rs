//! What parts objects have, as the program points to them.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Those of elements of arrays in them: start and stride.
    rows: BTreeMap<Abstract, BTreeSet<(u64, u64)>>,
    globals: FxHashMap<GlobalId, Abstract>,
}

impl Fields {
    /// O(places that pointers may point to, up to logarithms).
    pub fn new(points_to: &PointsTo) -> Self {
        let mut fields = Self::default();
        for (object, offsets) in points_to.places() {
            match offsets {
                Offsets::Exact(at) => fields.starts.entry(object).or_default().extend(u64::try_from(at)),
                Offsets::Strided { start, stride } => {
                    fields.rows.entry(object).or_default().insert((start, stride));
                }
            }
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

    /// Whether some bytes of a node are in one field that begins with them: nothing else that is pointed to begins behind their first.
    pub(super) fn has(&self, shape: &Shape, node: Node, at: u64, bytes: u8) -> bool {
        let Some(object) = self.object(shape, node) else { return false };
        let behind = at + 1..at + u64::from(bytes);
        let begins = self.starts.get(object).is_some_and(|starts| {
            let from = starts.partition_point(|&start| start < at);
            starts.get(from) == Some(&at) && starts.get(from + 1).is_none_or(|next| !behind.contains(next))
        });
        // The first of a row that is not in front of `behind`.
        let first = |&(start, stride): &(u64, u64)| behind.start + (start + stride - behind.start % stride) % stride;
        let is_in_none =
            |rows: &BTreeSet<_>| rows.len() <= MAX_FIELDS && rows.iter().all(|row| !behind.contains(&first(row)));
        begins && self.rows.get(object).is_none_or(is_in_none)
    }

    fn object<'a>(&'a self, shape: &'a Shape, node: Node) -> Option<&'a Abstract> {
        match node {
            Node::Global(global) | Node::ThreadLocal(global, _) => self.globals.get(&global),
            Node::Heap(number) => shape.heap.get(number as usize),
            Node::Thread(_) | Node::Local(..) => None,
        }
    }

    /// The number of the field of a node that a byte is in; 0 where there are none, or too many.
    fn number(&self, shape: &Shape, node: Node, at: u64) -> u64 {
        let starts = self.object(shape, node).and_then(|object| self.starts.get(object));
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

#[cfg(test)]
mod tests {
    use icsched_ir::EntityId as _;

    use super::super::{Bounds, Place};
    use super::*;

    #[test]
    fn a_number_in_a_field_of_its_own_is_not_known_in_parts() {
        let (object, global) = (Abstract::from_index(3), GlobalId::from_index(0));
        let node = Node::Global(global);
        let mut fields = Fields {
            starts: [(object, vec![0, 4, 5, 8])].into(),
            rows: BTreeMap::new(),
            globals: [(global, object)].into_iter().collect(),
        };
        let known = |at: u64| {
            let mut shape = Shape::default();
            shape.bounds.insert(Place::Memory(node, at, 4), Bounds { width: 32, least: 0, greatest: 9 });
            shape.bytes = (at + 1..at + 4).map(|at| ((node, at), 0)).collect();
            shape
        };
        let left = |fields: &Fields, at| {
            let mut shape = known(at);
            shape.forget_parts(fields);
            shape.bytes.len()
        };
        assert_eq!([0, 8].map(|at| left(&fields, at)), [0, 0]);
        assert_eq!(left(&fields, 4), 3, "a flag is behind the first byte");
        assert_eq!(left(&fields, 12), 3, "nobody knows what is there");
        fields.rows.insert(object, [(0, 8), (4, 8)].into());
        assert_eq!(left(&fields, 8), 0);
        fields.rows.insert(object, [(0, 8), (1, 8)].into());
        assert_eq!(left(&fields, 8), 3, "a flag is behind the first byte of each element");
        fields.rows.insert(object, [(0, 1)].into());
        assert_eq!(left(&fields, 0), 3, "it may be a string");
    }
}

//! What parts objects have, as the program points to them.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::GlobalId;
use icsched_pointsto::{ObjectId as Abstract, ObjectKind, Offsets, Piece, PointsTo};
use rustc_hash::FxHashMap;

use super::{Locks, Node, Shape};

/// Most fields of an object that are told apart.
const MAX_FIELDS: usize = 64;

/// How often numbers in fields of an object are given up before all numbers in it are.
const PATIENCE: u32 = 4;

/// From how many bytes on numbers that are known, and that a loop may write anywhere among, are a table.
const TABLE: usize = 1 << 10;

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
        let of_global = |(id, object): (Abstract, &icsched_pointsto::Object)| match object.kind {
            ObjectKind::Global(global) => Some((global, id)),
            _ => None,
        };
        fields.globals = points_to.objects().iter().filter_map(of_global).collect();
        fields
    }

    /// Fields of one variable.
    #[cfg(test)]
    pub(super) fn of_global(global: GlobalId, starts: &[u64]) -> Self {
        let object = icsched_ir::EntityId::from_index(0);
        let starts = [(object, starts.to_vec())].into();
        Self { starts, globals: [(global, object)].into_iter().collect(), ..Self::default() }
    }

    /// Whether some bytes of a node are in one field, or element of an array, that begins with them: nothing else that is pointed to begins
    /// behind their first.
    pub(super) fn has(&self, shape: &Shape, node: Node, at: u64, bytes: u8) -> bool {
        let Some(object) = self.object(shape, node) else { return false };
        let behind = at + 1..at + u64::from(bytes);
        let starts = self.starts.get(object).map_or(&[][..], Vec::as_slice);
        let rows = || self.rows.get(object).into_iter().flatten();
        if starts.len() > MAX_FIELDS || rows().count() > MAX_FIELDS {
            return false;
        }
        let begins = starts.binary_search(&at).is_ok() || rows().any(|&row| next_in(row, at) == at);
        let next = starts.partition_point(|&start| start < behind.start);
        begins
            && starts.get(next).is_none_or(|next| !behind.contains(next))
            && rows().all(|&row| !behind.contains(&next_in(row, behind.start)))
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
        starts
            .filter(|starts| starts.len() <= MAX_FIELDS)
            .map_or(0, |starts| starts.partition_point(|&start| start <= at) as u64)
    }
}

impl Shape {
    /// Forgets the numbers of tables that some code may write anywhere in, as far as points-to analysis tells, but for those in locks. Two
    /// buffers that change places would lose what they hold one after the other. O(bytes of each object and pieces of it).
    pub fn forget_tables<'p>(&mut self, fields: &Fields, locks: &Locks, written: impl Iterator<Item = &'p Piece>) {
        let mut pieces: BTreeMap<Abstract, BTreeSet<Piece>> = BTreeMap::new();
        written.for_each(|&piece| _ = pieces.entry(piece.object).or_default().insert(piece));
        let nodes: BTreeSet<Node> = self.bytes.nodes().collect();
        for node in nodes {
            let Some(pieces) = fields.object(self, node).and_then(|object| pieces.get(object)) else { continue };
            let locks = locks.of_node(self, node);
            let is_written = |at: u64| pieces.iter().any(|piece| contains(piece, at)) && !locks.contain(at);
            let table: Vec<u64> = self.bytes.of(node).map(|(at, _)| at).filter(|&at| is_written(at)).collect();
            if table.len() >= TABLE {
                table.into_iter().for_each(|at| self.bytes.remove(&(node, at)));
            }
        }
    }
}

/// Whether a byte at an offset is in one of the places that a piece may be, of which there are more than one.
fn contains(piece: &Piece, at: u64) -> bool {
    match piece.offsets {
        Offsets::Exact(_) => false,
        Offsets::Strided { start, stride } => {
            let behind = (at % stride + stride - start) % stride;
            piece.bytes.is_none_or(|bytes| behind < bytes)
        }
    }
}

/// The first of the offsets `start`, `start + stride`, ... that is not in front of another one.
const fn next_in((start, stride): (u64, u64), at: u64) -> u64 {
    let from = if at < start { start } else { at };
    from + (start + stride - from % stride) % stride
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
        fields.rows.insert(object, [(12, 40)].into());
        assert_eq!([12, 52].map(|at| left(&fields, at)), [0, 0], "elements of an array");
        assert_eq!(left(&fields, 32), 3);
        fields.starts.insert(object, (0..=MAX_FIELDS as u64).map(|n| 1000 + n).collect());
        assert_eq!(left(&fields, 12), 3, "there are too many fields");
    }

    #[test]
    fn tables_that_are_written_anywhere_are_forgotten() {
        let (object, global) = (Abstract::from_index(3), GlobalId::from_index(0));
        let node = Node::Global(global);
        let fields = Fields { globals: [(global, object)].into_iter().collect(), ..Fields::default() };
        let left = |size: u64, offsets: Offsets| {
            let mut shape = Shape { bytes: (0..size).map(|at| ((node, at), 0)).collect(), ..Shape::default() };
            let piece = Piece { object, offsets, bytes: Some(4) };
            shape.forget_tables(&fields, &Locks::default(), [piece].iter());
            shape.bytes.len()
        };
        let (every, other) = (Offsets::strided(0, 4), Offsets::strided(4, 8));
        assert_eq!(left(1 << 10, every), 0);
        assert_eq!(left(1 << 11, other), 1 << 10, "numbers between them stay");
        assert_eq!(left((1 << 10) - 1, every), (1 << 10) - 1, "it is no table");
        assert_eq!(left(1 << 11, Offsets::Exact(0)), 1 << 11, "that is one place");
    }
}

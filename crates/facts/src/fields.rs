//! What parts objects have, as the program points to them.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{FuncId, Op, Program, Type};
use icsched_pointsto::{ObjectId as Abstract, Offsets, Piece, PointsTo};

use crate::budgets::BUDGETS;
use crate::locks::{Locks, Places};
use crate::place::Node;
use crate::shape::Shape;
use crate::variables::Variables;

/// Where the fields of objects begin, by what points-to analysis calls the objects: single offsets that pointers of the
/// program have.
#[derive(Clone, Default, Debug)]
pub struct Fields {
    starts: BTreeMap<Abstract, Vec<u64>>,
    /// Those of elements of arrays in them: start and stride.
    rows: BTreeMap<Abstract, BTreeSet<(u64, u64)>>,
    /// Where numbers of eight bytes are read.
    long: BTreeMap<Abstract, BTreeSet<Offsets>>,
    variables: Variables,
}

/// What runs as each thread's activation at a depth.
pub type Activations = BTreeMap<(u32, u32), FuncId>;

/// What is known, before the program runs, of the nodes of one epoch's shapes.
#[derive(Copy, Clone, Debug)]
pub struct Parts<'a> {
    /// Where their fields begin.
    pub fields: &'a Fields,
    /// Where the objects in them are that are synchronised on.
    pub locks: &'a Locks,
    /// Whose local variables some of them are.
    pub activations: &'a Activations,
}

impl Fields {
    /// O(places that pointers may point to, and those that numbers of eight bytes are read from, up to logarithms).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut fields = Self { variables: Variables::new(points_to), ..Self::default() };
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
        for (id, instance) in points_to.instances().iter() {
            let function = &program.functions[instance.func];
            for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
                let (Op::Load { address, .. } | Op::AtomicRmw { address, .. }) = inst.op else { continue };
                if inst.results.first().is_some_and(|&read| function.values[read].ty == Type::Int(64)) {
                    for place in &points_to.pointer_info_in(id, address).locations {
                        fields.long.entry(place.object).or_default().insert(place.offsets);
                    }
                }
            }
        }
        fields
    }

    /// Fields of one variable.
    #[cfg(test)]
    pub(crate) fn of_global(global: icsched_ir::GlobalId, starts: &[u64]) -> Self {
        let object = icsched_ir::EntityId::from_index(0);
        let long = [(object, [Offsets::Exact(0)].into())].into();
        let starts = [(object, starts.to_vec())].into();
        let variables = Variables { globals: [(global, object)].into_iter().collect(), ..Variables::default() };
        Self { starts, long, variables, ..Self::default() }
    }

    fn starts(&self, object: Abstract) -> &[u64] {
        self.starts.get(&object).map_or(&[], Vec::as_slice)
    }
}

/// Of which nothing is known.
#[cfg(test)]
impl Default for Parts<'_> {
    fn default() -> Self {
        static NONE: std::sync::LazyLock<(Fields, Locks, Activations)> = std::sync::LazyLock::new(Default::default);
        let (fields, locks, activations) = &*NONE;
        Self { fields, locks, activations }
    }
}

impl<'a> Parts<'a> {
    /// What points-to analysis calls a node: none for the table of threads, several for a variable of a function with
    /// several instances.
    fn objects(&self, shape: &'a Shape, node: Node) -> &'a [Abstract] {
        let variables = &self.fields.variables;
        match node {
            Node::Global(global) | Node::ThreadLocal(global, _) => variables.global(global),
            Node::Heap(number) => shape.heap.get(number as usize).map_or(&[], std::slice::from_ref),
            Node::Local(thread, depth, value) => {
                self.activations.get(&(thread, depth)).map_or(&[], |&func| variables.local(func, value))
            }
            Node::Thread(_) => &[],
        }
    }

    /// Where the objects in a node are that are synchronised on.
    pub(crate) fn locks(&self, shape: &Shape, node: Node) -> Places {
        self.locks.of(self.objects(shape, node))
    }

    /// Whether some bytes of a node are in one field, or element of an array, that begins with them: nothing else that
    /// is pointed to begins behind their first.
    fn has_field(&self, shape: &Shape, node: Node, at: u64, bytes: u8) -> bool {
        let objects = self.objects(shape, node);
        let behind = at + 1..at + u64::from(bytes);
        let rows = |object: &Abstract| self.fields.rows.get(object).into_iter().flatten().copied();
        let are_many = |object: &Abstract| {
            self.fields.starts(*object).len() > BUDGETS.fields || rows(object).count() > BUDGETS.fields
        };
        let begins = |object: &Abstract| {
            self.fields.starts(*object).binary_search(&at).is_ok() || rows(object).any(|row| next_in(row, at) == at)
        };
        let is_one = |object: &Abstract| {
            let starts = self.fields.starts(*object);
            let next = starts.partition_point(|&start| start < behind.start);
            starts.get(next).is_none_or(|next| !behind.contains(next))
                && rows(object).all(|row| !behind.contains(&next_in(row, behind.start)))
        };
        !objects.iter().any(are_many) && objects.iter().any(begins) && objects.iter().all(is_one)
    }

    /// Whether these bytes are one number in [a field](Self::has_field): of eight bytes, the upper ones may fill up a
    /// structure behind a number of four.
    pub(crate) fn has_number(&self, shape: &Shape, node: Node, at: u64, bytes: u8) -> bool {
        let is_long = |object: &Abstract| {
            let mut places = self.fields.long.get(object).into_iter().flatten();
            places.any(|place| place.overlaps(1, Offsets::Exact(at.cast_signed()), 1))
        };
        self.has_field(shape, node, at, bytes) && (bytes < 8 || self.objects(shape, node).iter().any(is_long))
    }

    /// The number of the field of a node that a byte is in; 0 where there are none, or too many.
    fn number(&self, shape: &Shape, node: Node, at: u64) -> u64 {
        let of_object = |&object: &Abstract| {
            let starts = self.fields.starts(object);
            if starts.len() > BUDGETS.fields { 0 } else { starts.partition_point(|&start| start <= at) as u64 }
        };
        self.objects(shape, node).iter().map(of_object).sum()
    }
}

impl Shape {
    /// Forgets the numbers of tables that some code may write anywhere in, as far as points-to analysis tells, but for
    /// those in locks. Two buffers that change places would lose what they hold one after the other. O(bytes of each
    /// object and pieces of it).
    pub fn forget_tables<'p>(&mut self, parts: Parts<'_>, written: impl Iterator<Item = &'p Piece>) {
        let mut pieces: BTreeMap<Abstract, BTreeSet<Piece>> = BTreeMap::new();
        written.for_each(|&piece| _ = pieces.entry(piece.object).or_default().insert(piece));
        let nodes: BTreeSet<Node> = self.bytes.nodes().collect();
        for node in nodes {
            let objects = parts.objects(self, node).iter();
            let pieces: Vec<&Piece> = objects.filter_map(|object| pieces.get(object)).flatten().collect();
            if pieces.is_empty() {
                continue;
            }
            let locks = parts.locks(self, node);
            let is_written = |at: u64| pieces.iter().any(|piece| contains(piece, at)) && !locks.contain(at);
            let table: Vec<u64> = self.bytes.of(node).map(|(at, _)| at).filter(|&at| is_written(at)).collect();
            if table.len() >= BUDGETS.table_bytes {
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
    /// What is given up together; what is in locks is not.
    pub parts: Parts<'a>,
    /// How often numbers in objects were given up.
    pub losses: &'a mut BTreeMap<Node, u32>,
}

/// What is given up together.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Part {
    /// Four bytes.
    Word(u64),
    /// A field.
    Field(u64),
}

impl Widening<'_> {
    /// The part of a node that a byte is in, unless it is in a lock.
    pub(crate) fn part(&self, shape: &Shape, node: Node, at: u64) -> Part {
        let is_worn = self.losses.get(&node).is_some_and(|&times| times >= BUDGETS.field_losses);
        Part::Field(if is_worn { 0 } else { self.parts.number(shape, node, at) })
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId, ValueId};

    use super::*;
    use crate::bounds::Bounds;
    use crate::place::Place;

    fn parts(fields: &Fields) -> Parts<'_> {
        Parts { fields, ..Parts::default() }
    }

    #[test]
    fn a_number_in_a_field_of_its_own_is_not_known_in_parts() {
        let (object, global) = (Abstract::from_index(3), GlobalId::from_index(0));
        let node = Node::Global(global);
        let variables = Variables { globals: [(global, object)].into_iter().collect(), ..Variables::default() };
        let mut fields = Fields { starts: [(object, vec![0, 4, 5, 8])].into(), variables, ..Fields::default() };
        let known = |at: u64| {
            let mut shape = Shape::default();
            shape.bounds.insert(Place::Memory(node, at, 4), Bounds { width: 32, least: 0, greatest: 9 });
            shape.bytes = (at + 1..at + 4).map(|at| ((node, at), 0)).collect();
            shape
        };
        let left = |fields: &Fields, at| {
            let mut shape = known(at);
            shape.forget_parts(parts(fields));
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
        fields.starts.insert(object, (0..=BUDGETS.fields as u64).map(|n| 1000 + n).collect());
        assert_eq!(left(&fields, 12), 3, "there are too many fields");
    }

    #[test]
    fn four_bytes_that_fill_up_a_structure_are_part_of_no_number() {
        let global = GlobalId::from_index(0);
        let fields = Fields::of_global(global, &[0, 8]);
        let has = |at, bytes| parts(&fields).has_number(&Shape::default(), Node::Global(global), at, bytes);
        assert!(has(0, 8) && has(8, 4));
        assert!(!has(8, 8), "nobody reads eight bytes there");
    }

    #[test]
    fn local_variables_have_fields_and_locks_in_all_instances_of_their_function() {
        let (func, value) = (FuncId::from_index(5), ValueId::from_index(2));
        let objects = [3, 4].map(Abstract::from_index);
        let fields = Fields {
            starts: objects.map(|object| (object, vec![0, 40])).into(),
            variables: Variables {
                locals: [((func, value), objects.to_vec())].into_iter().collect(),
                ..Variables::default()
            },
            ..Fields::default()
        };
        let activations = Activations::from([((1, 0), func)]);
        let parts = Parts { fields: &fields, activations: &activations, ..Parts::default() };
        let has = |node| parts.has_number(&Shape::default(), node, 40, 4);
        assert!(has(Node::Local(1, 0, value)));
        assert!(!has(Node::Local(0, 0, value)), "another function runs there");
        let numbers = [0, 8, 44].map(|at| parts.number(&Shape::default(), Node::Local(1, 0, value), at));
        assert!(numbers[0] == numbers[1] && numbers[1] != numbers[2]);
    }

    #[test]
    fn tables_that_are_written_anywhere_are_forgotten() {
        let (object, global) = (Abstract::from_index(3), GlobalId::from_index(0));
        let node = Node::Global(global);
        let variables = Variables { globals: [(global, object)].into_iter().collect(), ..Variables::default() };
        let fields = Fields { variables, ..Fields::default() };
        let left = |size: u64, offsets: Offsets| {
            let mut shape = Shape { bytes: (0..size).map(|at| ((node, at), 0)).collect(), ..Shape::default() };
            let piece = Piece { object, offsets, bytes: Some(4) };
            shape.forget_tables(parts(&fields), [piece].iter());
            shape.bytes.len()
        };
        let (every, other) = (Offsets::strided(0, 4), Offsets::strided(4, 8));
        assert_eq!(left(1 << 10, every), 0);
        assert_eq!(left(1 << 11, other), 1 << 10, "numbers between them stay");
        assert_eq!(left((1 << 10) - 1, every), (1 << 10) - 1, "it is no table");
        assert_eq!(left(1 << 11, Offsets::Exact(0)), 1 << 11, "that is one place");
    }
}

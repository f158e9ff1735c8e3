//! Which thread of one shape is which of another one, where their stacks do not say: those with equal stacks may be in
//! any order (Bergan 3.4.1.3), but what two shapes have in common depends on it. A thread that knows its number, or
//! whose argument is an element of an array of its own, is told apart from others by that. So threads are paired by how
//! much of what each of two holds is the same: numbers, addresses, its handle in the variables of the program. O(places
//! of the threads) for each pair of them.

use std::collections::VecDeque;
use std::ops::Range;

use icsched_ir::{EntityId as _, ValueId};
use icsched_symbolic::initial::Register;
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::place::{Held, Node};
use crate::renaming::Renaming;
use crate::shape::Shape;

/// Nodes of the heap that are the same object in both shapes, from either side.
#[derive(Clone, Default)]
struct Pairs {
    of_a: FxHashMap<u32, u32>,
    of_b: FxHashMap<u32, u32>,
}

impl Pairs {
    /// Whether two nodes are a pair, or become one; then the contents of both are to be compared.
    fn admit(&mut self, a: u32, b: u32) -> Option<bool> {
        match (self.of_a.get(&a), self.of_b.get(&b)) {
            (Some(&other), Some(_)) => (other == b).then_some(false),
            (None, None) => {
                self.of_a.insert(a, b);
                self.of_b.insert(b, a);
                Some(true)
            }
            _ => None,
        }
    }
}

/// The walk of what two shapes hold, of one thread each or of none.
struct Walk<'a> {
    a: &'a Shape,
    b: &'a Shape,
    /// The threads that count as the same one.
    threads: Option<(u32, u32)>,
    pairs: Pairs,
    queue: VecDeque<(Node, Node)>,
    /// How many places hold the same.
    same: usize,
}

impl Walk<'_> {
    /// The node of `b` that one of `a` is, if that is known without the heap; `None` for those of other threads.
    fn named(&self, node: Node) -> Option<Node> {
        let of = |thread: u32| self.threads.filter(|pair| pair.0 == thread).map(|pair| pair.1);
        Some(match node {
            Node::Global(_) => node,
            Node::ThreadLocal(global, thread) => Node::ThreadLocal(global, of(thread)?),
            Node::Thread(thread) => Node::Thread(of(thread)?),
            Node::Local(thread, depth, value) => Node::Local(of(thread)?, depth, value),
            Node::Heap(_) => return None,
        })
    }

    fn compare(&mut self, a: Held, b: Held) {
        let is_same = match (a, b) {
            (Held::Bits(x), Held::Bits(y)) => x == y,
            (Held::Address(Node::Heap(x), i), Held::Address(Node::Heap(y), j)) if i == j => {
                let is_alike = self.a.heap[x as usize] == self.b.heap[y as usize];
                let admitted = if is_alike { self.pairs.admit(x, y) } else { None };
                if admitted == Some(true) && self.queue.len() < BUDGETS.aligned_objects {
                    self.queue.push_back((Node::Heap(x), Node::Heap(y)));
                }
                admitted.is_some()
            }
            (Held::Address(x, i), Held::Address(y, j)) => i == j && self.named(x) == Some(y),
            _ => false,
        };
        self.same += usize::from(is_same);
    }

    fn contents(&mut self, a: Node, b: Node) {
        let (left, right) = (self.a, self.b);
        let all = |n: Node| (n, 0)..=(n, u64::MAX);
        self.same += left.bytes.common(&right.bytes, a, b);
        for (&(_, at), &(size, x)) in left.words.range(all(a)) {
            if let Some(y) = right.memory(b, at, size) {
                self.compare(x, y);
            }
        }
    }

    fn heap(&mut self) {
        for _ in 0..BUDGETS.aligned_objects {
            let Some((a, b)) = self.queue.pop_front() else { break };
            self.contents(a, b);
        }
    }
}

impl Shape {
    /// The same with threads of `alike` in the order in which they have most in common with those of `other`: each
    /// range is of threads whose order says nothing. `None` if they are in it.
    pub fn aligned(&self, other: &Self, alike: &[Range<u32>]) -> Option<Self> {
        if alike.is_empty() {
            return None;
        }
        let mut order: FxHashMap<u32, u32> = FxHashMap::default();
        let pairs = self.common(other);
        for range in alike {
            let mut found: Vec<(usize, bool, u32, u32)> = Vec::new();
            for (mine, theirs) in range.clone().flat_map(|mine| range.clone().map(move |theirs| (mine, theirs))) {
                found.push((self.agreement(other, (mine, theirs), &pairs), mine == theirs, mine, theirs));
            }
            order.extend(assigned(found));
        }
        order
            .iter()
            .any(|(mine, theirs)| mine != theirs)
            .then(|| self.with_threads(&|thread| order.get(&thread).copied().unwrap_or(thread)))
    }

    /// Objects from the heap that are reached from variables in the same way.
    fn common(&self, other: &Self) -> Pairs {
        let mut walk =
            Walk { a: self, b: other, threads: None, pairs: Pairs::default(), queue: VecDeque::new(), same: 0 };
        for node in self.named() {
            if let Node::Global(_) = node {
                walk.contents(node, node);
            }
        }
        walk.heap();
        walk.pairs
    }

    /// How many places of a thread of this shape, and what points to it, hold the same as those of a thread of another
    /// one.
    fn agreement(&self, other: &Self, threads: (u32, u32), pairs: &Pairs) -> usize {
        let (mine, theirs) = threads;
        let mut walk =
            Walk { a: self, b: other, threads: Some(threads), pairs: pairs.clone(), queue: VecDeque::new(), same: 0 };
        let all = (mine, 0, ValueId::from_index(0))..(mine + 1, 0, ValueId::from_index(0));
        for (&(_, depth, value), &(width, a)) in self.registers.range(all) {
            if let Some(&(_, b)) = other.registers.get(&(theirs, depth, value)).filter(|(known, _)| *known == width) {
                walk.compare(a, b);
            }
        }
        for node in self.named() {
            if let Some(of_other) = walk.named(node).filter(|_| !matches!(node, Node::Global(_))) {
                walk.contents(node, of_other);
            }
        }
        walk.heap();
        for (&(node, at), &(_, held)) in &self.words {
            let Held::Address(to, offset) = held else { continue };
            let (Node::Global(_) | Node::Heap(_), Some(to)) = (node, walk.named(to)) else { continue };
            let of_other = match node {
                Node::Heap(number) => pairs.of_a.get(&number).map(|&number| Node::Heap(number)),
                _ => Some(node),
            };
            if !matches!(to, Node::Global(_))
                && of_other.and_then(|node| other.words.get(&(node, at))) == Some(&(8, Held::Address(to, offset)))
            {
                walk.same += 1;
            }
        }
        walk.same
    }

    /// The same with other numbers of threads.
    fn with_threads(&self, number: &dyn Fn(u32) -> u32) -> Self {
        let names = Renaming { heap: &Some, thread: number };
        let word = |(&(of, at), &(size, held)): (&(Node, u64), &(u8, Held))| {
            Some(((names.node(of)?, at), (size, names.held(held)?)))
        };
        let register = |(&(thread, depth, value), &(width, held)): (&Register, &(u8, Held))| {
            Some(((number(thread), depth, value), (width, names.held(held)?)))
        };
        Self {
            bytes: self.bytes.renamed(|of| names.node(of)),
            words: self.words.iter().filter_map(word).collect(),
            registers: self.registers.iter().filter_map(register).collect(),
            heap: self.heap.clone(),
            waits: self.waits.iter().map(|&thread| number(thread)).collect(),
            ..Self::default()
        }
        .with_kinds_of(self, &names)
    }
}

/// Pairs of threads with how much they have in common, and whether they have the same number: each thread with that
/// with which it has most in common, first those that have more than others. All keep their numbers if that is no
/// worse.
fn assigned(mut found: Vec<(usize, bool, u32, u32)>) -> FxHashMap<u32, u32> {
    let as_they_are: usize = found.iter().filter(|pair| pair.1).map(|pair| pair.0).sum();
    found.sort_unstable_by(|x, y| (y.0, y.1).cmp(&(x.0, x.1)).then((x.2, x.3).cmp(&(y.2, y.3))));
    let (mut of_mine, mut of_theirs, mut total) = (FxHashMap::default(), FxHashMap::default(), 0);
    for (same, _, mine, theirs) in found {
        if !of_mine.contains_key(&mine) && !of_theirs.contains_key(&theirs) {
            of_mine.insert(mine, theirs);
            of_theirs.insert(theirs, mine);
            total += same;
        }
    }
    if total > as_they_are { of_mine } else { FxHashMap::default() }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "one range of threads that are alike")]
mod tests {
    use icsched_ir::GlobalId;
    use icsched_pointsto::ObjectId as Abstract;

    use super::*;

    fn register(thread: u32, value: usize) -> (u32, u32, ValueId) {
        (thread, 0, ValueId::from_index(value))
    }

    fn global(n: usize) -> Node {
        Node::Global(GlobalId::from_index(n))
    }

    /// Threads with something in a register each.
    fn threads(held: &[Held]) -> Shape {
        let registers = (0..).zip(held).map(|(thread, &held)| (register(thread, 0), (32, held))).collect();
        Shape { registers, ..Shape::default() }
    }

    #[track_caller]
    fn is_aligned(shape: &Shape, to: &Shape, expected: &Shape) {
        let threads = 0..u32::try_from(shape.registers.len()).expect("they are few");
        assert_eq!(shape.aligned(to, &[threads]).as_ref(), Some(expected));
    }

    #[test]
    fn threads_are_paired_by_their_numbers() {
        let first = threads(&[Held::Bits(1), Held::Bits(2), Held::Bits(3)]);
        is_aligned(&threads(&[Held::Bits(3), Held::Bits(1), Held::Bits(2)]), &first, &first);
        assert_eq!(first.aligned(&first, &[0..3]), None);
        // Main is not one of them.
        let others = threads(&[Held::Bits(1), Held::Bits(3), Held::Bits(2)]);
        assert_eq!(others.aligned(&first, &[1..3]), Some(first.clone()));
        assert_eq!(others.aligned(&first, &[]), None);
    }

    #[test]
    fn what_varies_pairs_nobody() {
        let with_item = |numbers: [u64; 2], items: [u64; 2]| {
            let mut shape = threads(&numbers.map(Held::Bits));
            let held = (0..).zip(items).map(|(thread, item)| (register(thread, 1), (32, Held::Bits(item))));
            shape.registers.extend(held);
            shape
        };
        let first = with_item([1, 2], [7, 8]);
        let expected = with_item([1, 2], [9, 5]);
        assert_eq!(with_item([2, 1], [5, 9]).aligned(&first, &[0..2]), Some(expected));
        assert_eq!(with_item([1, 2], [5, 9]).aligned(&first, &[0..2]), None);
    }

    #[test]
    fn threads_are_paired_by_their_arguments_and_handles() {
        let argument = |n: i64| Held::Address(global(0), 8 * n);
        let first = threads(&[argument(0), argument(1)]);
        is_aligned(&threads(&[argument(1), argument(0)]), &first, &first);
        // Nothing in the threads tells them apart, but a variable knows them.
        let handles = |of: [u32; 2]| {
            let held =
                (0..).zip(of).map(|(at, thread)| ((global(1), 8 * at), (8, Held::Address(Node::Thread(thread), 0))));
            Shape { words: held.collect(), ..threads(&[Held::Bits(0), Held::Bits(0)]) }
        };
        is_aligned(&handles([1, 0]), &handles([0, 1]), &handles([0, 1]));
    }

    /// An array on the heap whose elements threads have got as arguments, or an object of its own for each.
    fn on_heap(objects: [u32; 2], numbers: [u8; 2]) -> Shape {
        let held = objects.map(|object| Held::Address(Node::Heap(object), 0));
        let bytes = (0..).map(|n| (Node::Heap(n), 0)).zip(numbers).collect();
        Shape { bytes, heap: vec![Abstract::from_index(3); 2], ..threads(&held) }
    }

    #[test]
    fn threads_are_paired_by_their_objects() {
        let first = on_heap([0, 1], [10, 20]);
        let aligned = on_heap([0, 1], [20, 10]).aligned(&first, &[0..2]).expect("they are the other way round");
        assert_eq!(first.join(&aligned), first);
        assert_eq!(on_heap([1, 0], [20, 10]).aligned(&first, &[0..2]), None);
    }
}

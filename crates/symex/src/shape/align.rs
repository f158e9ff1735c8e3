//! Which thread of one shape is which of another one, where their stacks do not say: those with equal stacks may be in any order (Bergan
//! 3.4.1.3), but what two shapes have in common depends on it. A thread that knows its number, or whose argument is an element of an
//! array of its own, is told apart from others by that. So threads are paired by how much of what each of two holds is the same: numbers,
//! addresses, its handle in the variables of the program. O(places of the threads) for each pair of them.

use std::collections::VecDeque;
use std::ops::Range;

use icsched_ir::{EntityId as _, ValueId};
use rustc_hash::FxHashMap;

use super::{Bytes, Held, Node, Place, Shape};

/// Objects from the heap that are looked at for one pair of threads.
const MAX_OBJECTS: usize = 64;

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
                if admitted == Some(true) && self.queue.len() < MAX_OBJECTS {
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
        self.same += Bytes::count_common((&left.bytes, a), (&right.bytes, b));
        for (&(_, at), &(size, x)) in left.words.range(all(a)) {
            if let Some(y) = right.memory(b, at, size) {
                self.compare(x, y);
            }
        }
    }

    fn heap(&mut self) {
        for _ in 0..MAX_OBJECTS {
            let Some((a, b)) = self.queue.pop_front() else { break };
            self.contents(a, b);
        }
    }
}

impl Shape {
    /// The same with threads of `alike` in the order in which they have most in common with those of `other`: each range is of threads
    /// whose order says nothing. `None` if they are in it.
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
            .then(|| self.renamed(|thread| order.get(&thread).copied().unwrap_or(thread)))
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

    /// How many places of a thread of this shape, and what points to it, hold the same as those of a thread of another one.
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
    fn renamed(&self, number: impl Fn(u32) -> u32) -> Self {
        let node = |node: Node| match node {
            Node::ThreadLocal(global, thread) => Node::ThreadLocal(global, number(thread)),
            Node::Thread(thread) => Node::Thread(number(thread)),
            Node::Local(thread, depth, value) => Node::Local(number(thread), depth, value),
            Node::Global(_) | Node::Heap(_) => node,
        };
        let held = |held: Held| match held {
            Held::Address(to, offset) => Held::Address(node(to), offset),
            Held::Bits(_) | Held::Same(_) => held,
        };
        let place = |place: Place| match place {
            Place::Memory(of, at, size) => Place::Memory(node(of), at, size),
            Place::Register(thread, depth, value) => Place::Register(number(thread), depth, value),
        };
        let register = |(&(thread, depth, value), &(width, holds)): (&super::Register, &(u8, Held))| {
            ((number(thread), depth, value), (width, held(holds)))
        };
        Self {
            bytes: self.bytes.renamed(node),
            words: self.words.iter().map(|(&(of, at), &(size, holds))| ((node(of), at), (size, held(holds)))).collect(),
            registers: self.registers.iter().map(register).collect(),
            bounds: self.bounds.iter().map(|(&at, &bounds)| (place(at), bounds)).collect(),
            heap: self.heap.clone(),
            waits: self.waits.iter().map(|&thread| number(thread)).collect(),
        }
    }
}

/// Pairs of threads with how much they have in common, and whether they have the same number: each thread with that with which it has
/// most in common, first those that have more than others. All keep their numbers if that is no worse.
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

//! What a path leaves behind at its end, as a shape.

mod chosen_offsets;
mod elements;
mod handles;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use icsched_ir::{EntityId as _, FuncId, GlobalId, Operand, Program, Type, ValueId};
use icsched_machine::Machine;
use icsched_machine::code::Code;
use icsched_machine::memory::{
    AddressClass, BASE_OFFSET, Heap, Object, ObjectId, ObjectKind, address, classify, global_object,
};
use icsched_machine::state::State;
use icsched_machine::state_place::StatePlace;
use icsched_machine::thread::{FrameId, ThreadId, ThreadStatus};
use icsched_machine::values::{MemoryByte, Values};
use icsched_pointsto::{ObjectId as Abstract, Offsets, PointsTo};
use icsched_smt::{Node as TermNode, Term};
use icsched_symbolic::path::SymPath;
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use elements::element;

use self::tally::Tally;
use crate::addresses::{Addresses, Threads};
use crate::bounds::Bounds;
use crate::budgets::BUDGETS;
use crate::element::Element;
use crate::locks::{Locks, Places};
use crate::place::{Held, Node, Place};
use crate::ring_offset::RingOffset;
use crate::rings::Rings;
use crate::shape::Shape;
use crate::variables::Variables;

/// What a path leaves behind.
pub struct EndState {
    /// The shape, not [canonical](Shape::canonical).
    pub shape: Shape,
    /// What places hold that are neither constants nor addresses, 32 or 64 bits wide.
    pub numbers: Vec<(Place, Term)>,
    /// What registers hold that are neither, and narrower.
    pub narrow: Vec<(Place, Term)>,
    /// Those that hold addresses.
    pub addresses: Addresses,
    /// What elements of rings hold, and how many bytes there are in the ring's object; of each ring the last one first.
    pub elements: Vec<(Element, SymValue, u64)>,
    /// How far apart may be of interest that the ends of rings are.
    pub ring_offsets: Vec<RingOffset>,
    objects: FxHashMap<Node, (ObjectId, u64)>,
    frames: FxHashMap<(u32, u32), FrameId>,
}

impl EndState {
    /// The activations of its threads, by thread and depth.
    pub fn activations(&self) -> impl Iterator<Item = ((u32, u32), FrameId)> + '_ {
        self.frames.iter().map(|(&at, &frame)| (at, frame))
    }

    /// Where bytes of an object of the shape are.
    pub fn find_bytes(&self, node: Node, at: u64, bytes: u64) -> Option<StatePlace> {
        let &(object, start) = self.objects.get(&node)?;
        Some(StatePlace::Memory(object, start + at, bytes))
    }

    /// Where a place of the shape is.
    pub fn find(&self, place: Place) -> Option<StatePlace> {
        Some(match place {
            Place::Memory(node, at, size) => {
                let &(object, start) = self.objects.get(&node)?;
                StatePlace::Memory(object, start + at, u64::from(size))
            }
            Place::Register(thread, depth, value) => StatePlace::Register(*self.frames.get(&(thread, depth))?, value),
        })
    }
}

/// Which words may hold addresses, by points-to analysis; answers are kept, for all threads that ask.
pub struct Pointers<'p> {
    points_to: &'p PointsTo,
    variables: Variables,
    locks: Arc<Locks>,
    rings: Rings,
    known: RwLock<FxHashMap<(Abstract, u64), bool>>,
}

impl<'p> Pointers<'p> {
    /// O(objects of points-to analysis).
    pub fn new(points_to: &'p PointsTo, locks: Arc<Locks>, rings: Rings) -> Self {
        Self { points_to, variables: Variables::new(points_to), locks, rings, known: RwLock::default() }
    }

    /// Where the objects are that are synchronised on.
    pub fn locks(&self) -> &Arc<Locks> {
        &self.locks
    }

    fn of_kind(&self, kind: ObjectKind, site: Option<Abstract>) -> Vec<Abstract> {
        match kind {
            ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => self.variables.global(global).to_vec(),
            ObjectKind::Stack { func, value, .. } => self.variables.local(func, value).to_vec(),
            _ => site.into_iter().collect(),
        }
    }

    /// Whether the eight bytes at an offset of any of these may hold an address.
    fn may_hold(&self, objects: &[Abstract], at: u64) -> bool {
        objects.iter().any(|&object| {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&(object, at)).copied();
            known.unwrap_or_else(|| {
                let held = self.points_to.contents_at(object, Offsets::Exact(at.cast_signed()), 8);
                let answer = !held.locations.is_empty();
                self.known.write().unwrap_or_else(PoisonError::into_inner).insert((object, at), answer);
                answer
            })
        })
    }

    /// What points-to analysis says that a variable is.
    pub(crate) fn variable(&self, global: GlobalId) -> Option<Abstract> {
        self.variables.global(global).first().copied()
    }

    /// Whether the eight bytes at an offset of any of these may hold an address in one of the `targets`.
    pub(crate) fn may_hold_address(&self, objects: &[Abstract], at: u64, targets: &[Abstract]) -> bool {
        let held = |&object: &Abstract| self.points_to.contents_at(object, Offsets::Exact(at.cast_signed()), 8);
        objects.iter().map(held).any(|held| held.locations.iter().any(|l| targets.contains(&l.object)))
    }

    fn register_may(&self, func: FuncId, value: ValueId) -> bool {
        !self.points_to.pointer_info(func, Operand::Value(value)).locations.is_empty()
    }
}

impl EndState {
    /// What a path leaves behind whose threads are at the places of `threads`, in the order of the shape. No symbols
    /// are made: what was neither read nor written on any path is not in it.
    ///
    /// O(bytes of variables, and of what is reached from them, up to limits for each).
    pub fn of(
        machine: &mut Machine<SymbolicDomain>,
        state: &State<SymbolicDomain>,
        threads: &[ThreadId],
        pointers: &Pointers<'_>,
    ) -> Self {
        let left = Self {
            shape: Shape::default(),
            numbers: Vec::new(),
            narrow: Vec::new(),
            addresses: Addresses::default(),
            elements: Vec::new(),
            ring_offsets: Vec::new(),
            objects: FxHashMap::default(),
            frames: FxHashMap::default(),
        };
        let program = Arc::clone(&machine.program);
        let mut walk = Walk {
            machine,
            state,
            pointers,
            program: &program,
            threads: Threads {
                table: icsched_machine::thread_table::thread_entries(&program)
                    .map(|(table, stride)| (global_object(table), stride)),
                slots: (0..).zip(threads).map(|(n, &id)| (state.thread(id).slot, n)).collect(),
            },
            left,
            nodes: FxHashMap::default(),
            values: FxHashMap::default(),
            heap: Vec::new(),
            joined: Vec::new(),
            small: Vec::new(),
        };
        walk.left.addresses.chosen = walk.machine.domain.known_alternatives();
        walk.name(threads);
        walk.registers(threads);
        walk.contents();
        walk.joined();
        walk.small();
        walk.elements();
        walk.left.ring_offsets = pointers.rings.offsets(&walk.left.shape.heap);
        for at in 0..walk.left.numbers.len() {
            let (place, term) = walk.left.numbers[at];
            // What was read from among many writes may be plain by now.
            walk.left.numbers[at] = (place, walk.machine.domain.expanded(term));
        }
        let mut waiting: Vec<(u64, u32)> = Vec::new();
        for (n, &id) in (0..).zip(threads) {
            if let ThreadStatus::Waiting { since, .. } = state.thread(id).status {
                waiting.push((since, n));
            }
        }
        // Nobody knows the order of those that have waited since before the path.
        let old = |id: &&ThreadId| state.thread(**id).timestamp.is_some();
        if threads.iter().filter(old).count() < 2 {
            waiting.sort_unstable();
            walk.left.shape.waits = waiting.into_iter().map(|(_, n)| n).collect();
        }
        walk.left.addresses.nodes = walk.nodes;
        walk.left.addresses.threads = walk.threads;
        walk.left
    }
}

struct Walk<'m, 'a> {
    pub(crate) machine: &'m mut Machine<SymbolicDomain>,
    pub(crate) state: &'a State<SymbolicDomain>,
    pub(crate) pointers: &'a Pointers<'a>,
    program: &'a Program,
    pub(crate) threads: Threads,
    pub(crate) left: EndState,
    nodes: FxHashMap<ObjectId, Node>,
    values: FxHashMap<Term, u32>,
    /// Objects from the heap by number.
    heap: Vec<ObjectId>,
    /// Words whose bytes are inputs of their own, as they were read from outside: where they are, how long, and what
    /// they are together.
    joined: Vec<((Node, u64), u8, Term)>,
    /// Numbers of which some bytes are constant.
    small: Vec<(Place, Term)>,
}

impl Walk<'_, '_> {
    /// The nodes that the places name.
    fn name(&mut self, threads: &[ThreadId]) {
        for (n, &id) in (0..).zip(threads) {
            let thread = self.state.thread(id);
            for (global, object) in thread.thread_locals.iter().enumerate() {
                if let Some(object) = *object {
                    self.add(Node::ThreadLocal(GlobalId::from_index(global), n), object);
                }
            }
            let depths: BTreeMap<FrameId, u32> = thread.frames.iter().map(|f| f.id).zip(0..).collect();
            for (frame, &depth) in &depths {
                self.left.frames.insert((n, depth), *frame);
            }
            let mut twice = Vec::new();
            for &object in &thread.stack_objects {
                let Some(ObjectKind::Stack { frame, value, .. }) = self.state.heap.object(object).map(|o| o.kind)
                else {
                    continue;
                };
                if let Some(&depth) = depths.get(&frame) {
                    let node = Node::Local(n, depth, value);
                    if self.left.objects.contains_key(&node) {
                        twice.push(node);
                    }
                    self.add(node, object);
                }
            }
            for node in twice {
                self.left.objects.remove(&node);
                self.nodes.retain(|_, named| *named != node);
            }
        }
        if let Some((table, stride)) = self.threads.table {
            for (&slot, &n) in &self.threads.slots {
                self.left.objects.insert(Node::Thread(n), (table, u64::from(slot) * stride));
            }
        }
        for (id, global) in self.program.globals.iter() {
            let is_table = self.threads.are_in(global_object(id));
            if !global.external && !global.thread_local && !is_table {
                self.add(Node::Global(id), global_object(id));
            }
        }
    }

    fn add(&mut self, node: Node, object: ObjectId) {
        self.nodes.insert(object, node);
        self.left.objects.insert(node, (object, 0));
    }

    fn registers(&mut self, threads: &[ThreadId]) {
        let code = self.machine.code.clone();
        for (n, &id) in (0..).zip(threads) {
            let thread = self.state.thread(id);
            let stack = self.state.stack(&code, id);
            for (depth, (frame, &point)) in (0..).zip(thread.frames.iter().zip(&stack.0)) {
                let function = &self.program.functions[point.func];
                let shared: Option<Vec<ValueId>> = frame.is_unknown.then(|| self.shared(point.func));
                let folding = self.machine.options.marks.folding.as_deref();
                for value in Code::known_before(&self.machine.program, point, folding) {
                    if shared.as_ref().is_some_and(|shared| !shared.contains(&value)) {
                        continue;
                    }
                    let ty = function.values[value].ty;
                    let Ok(width) = u8::try_from(ty.bits()) else { continue };
                    if width == 0 || width > 64 {
                        continue;
                    }
                    let held = match thread.registers[frame.base as usize + Code::slot(value) as usize] {
                        SymValue::Term(term) => {
                            let place = Place::Register(n, depth, value);
                            if !matches!(width, 32 | 64) {
                                self.left.narrow.push((place, term));
                            } else if !self.pointers.register_may(point.func, value) {
                                self.left.numbers.push((place, term));
                            } else if width == 64 {
                                self.left.addresses.places.push((place, term));
                            }
                            Some(self.same(term))
                        }
                        SymValue::Constant(bits) if matches!(ty, Type::Ptr) || width == 64 => {
                            let held = self.word(bits, self.pointers.register_may(point.func, value));
                            held.or_else(|| self.stranger(Place::Register(n, depth, value), bits))
                        }
                        SymValue::Constant(bits) => Some(Held::Bits(bits)),
                    };
                    if let Some(held) = held {
                        self.left.shape.registers.insert((n, depth, value), (width, held));
                    }
                }
            }
        }
    }

    /// The parameters of a function that are the same in all activations of its recursion.
    fn shared(&self, func: FuncId) -> Vec<ValueId> {
        let folding = self.machine.options.marks.folding.iter();
        folding.flat_map(|folding| folding.shared(self.program, func)).collect()
    }

    pub(crate) fn same(&mut self, term: Term) -> Held {
        let next = u32::try_from(self.values.len()).expect("terms are numbered by 32 bits");
        Held::Same(*self.values.entry(term).or_insert(next))
    }

    /// What a word means that is a constant.
    fn word(&mut self, bits: u64, may_be_address: bool) -> Option<Held> {
        // Two numbers of 32 bits one after the other may look like an address.
        let AddressClass::Object(object, offset) = classify(bits) else { return Some(Held::Bits(bits)) };
        let Some(found) = self.state.heap.object(object).filter(|_| may_be_address) else {
            return Some(Held::Bits(bits));
        };
        if !found.is_alive() {
            return None;
        }
        if self.threads.are_in(object) {
            return self.threads.held(offset);
        }
        if let Some(&node) = self.nodes.get(&object) {
            return Some(Held::Address(node, offset));
        }
        let site = found.site.filter(|_| found.kind.is_nameless() && self.heap.len() < BUDGETS.objects)?;
        let number = u32::try_from(self.heap.len()).expect("objects are few");
        self.heap.push(object);
        self.left.shape.heap.push(site);
        self.add(Node::Heap(number), object);
        Some(Held::Address(Node::Heap(number), offset))
    }

    fn contents(&mut self) {
        let mut named: Vec<(Node, (ObjectId, u64))> = self.left.objects.iter().map(|(&n, &at)| (n, at)).collect();
        named.retain(|(node, _)| !matches!(node, Node::Heap(_)));
        named.sort_unstable_by_key(|(node, _)| *node);
        for (node, (object, start)) in named {
            self.object(node, object, start);
        }
        let mut next = 0;
        while let Some(&object) = self.heap.get(next) {
            self.object(Node::Heap(u32::try_from(next).expect("objects are few")), object, 0);
            next += 1;
        }
    }

    fn object(&mut self, node: Node, object: ObjectId, start: u64) {
        let Some(found) = self.state.heap.object(object).filter(|o| o.is_alive() && !o.constant && !o.external) else {
            return;
        };
        let size = match (node, self.threads.table) {
            (Node::Thread(_), Some((_, stride))) => stride,
            _ => found.size,
        };
        let known = self.pointers.of_kind(found.kind, found.site);
        let locks = self.pointers.locks.of(&known);
        let windows = windows(&self.machine.domain, &self.state.heap, object, start, size, &locks);
        let (mut constants, mut tally) = (Vec::new(), Tally::default());
        for at in windows {
            let len = (size - at).min(8);
            // Most of what is known are constants, and most of those 0.
            let word = self.constant_word(object, start + at).filter(|_| len == 8);
            if let Some(bits) = word.filter(|&bits| !is_address(bits) || !self.pointers.may_hold(&known, start + at)) {
                let is_whole = bits == 0
                    || !self.pointers.may_hold(&known, start + at)
                    || !self.overlaps_address(object, start, (at, size), (&known, locks.begin_at(start + at)));
                constants.extend(is_whole.then_some((at, bits)));
                continue;
            }
            if let Some(symbol) = self.symbol_word(object, start + at).filter(|_| word.is_none() && len == 8) {
                let is_pointer = self.pointers.may_hold(&known, start + at);
                self.whole_word(node, at, symbol, is_pointer);
                continue;
            }
            let mut bytes = peek(&mut self.machine.domain, &self.state.heap, object, start + at, len);
            if bytes.contains(&None) {
                self.chosen(object, start + at, &mut bytes, (locks.contain(at), &mut tally));
            }
            if len == 8 && bytes.iter().all(Option::is_none) {
                self.never_written(node, at, (object, start), &known);
                continue;
            }
            let whole = number(&bytes).filter(|_| len == 8);
            if whole == Some(0) {
                constants.push((at, 0));
                continue;
            }
            let lock = locks.contain(start + at);
            let is_pointer = self.pointers.may_hold(&known, start + at)
                && match (whole, high_half(&bytes)) {
                    (Some(bits), _) => self.may_be_address(bits, start + at, (&known, lock)),
                    // Whatever the low half is, it tells nothing of which object.
                    (None, Some(id)) => {
                        is_address(address(id, 0)) && self.may_be_address(address(id, 0), start + at, (&known, lock))
                    }
                    (None, None) => true,
                };
            // What is said of the parts of an address at no multiple of eight would not be true of where its object is
            // next time.
            if is_pointer
                && whole.is_none_or(|bits| bits != 0 && !is_address(bits))
                && self.overlaps_address(object, start, (at, size), (&known, locks.begin_at(start + at)))
            {
                continue;
            }
            self.window(node, at, &bytes, is_pointer);
        }
        self.left.shape.bytes.insert_words(node, &constants);
    }

    /// The eight bytes at an offset, a multiple of eight, where it is simple to tell that they are constant. O(log
    /// words).
    fn constant_word(&mut self, object: ObjectId, at: u64) -> Option<u64> {
        match self.state.heap.contents_of(object) {
            Some(array) => self.machine.domain.peek_word(array, at),
            None => self.state.heap.read_word(object, at),
        }
    }

    /// The same where they are a symbol of the state at the beginning.
    fn symbol_word(&mut self, object: ObjectId, at: u64) -> Option<Term> {
        self.machine.domain.peek_symbol(self.state.heap.contents_of(object)?, at)
    }

    /// Eight bytes that are one unknown: a number, or an address.
    fn whole_word(&mut self, node: Node, at: u64, term: Term, is_pointer: bool) {
        let of_kind = if is_pointer { &mut self.left.addresses.places } else { &mut self.left.numbers };
        of_kind.push((Place::Memory(node, at, 8), term));
        let held = self.same(term);
        self.left.shape.words.insert((node, at), (8, held));
    }

    /// Whether eight bytes at an offset are an address, if they look like one, as far as points-to analysis tells: two
    /// counters behind each other may be any number.
    fn may_be_address(&self, bits: u64, at: u64, (holders, is_lock): (&[Abstract], bool)) -> bool {
        let AddressClass::Object(object, offset) = classify(bits) else { return true };
        let Some(found) = self.state.heap.object(object) else { return true };
        // Of a variable it is the same number everywhere, whatever is said of it.
        if !is_lock && matches!(found.kind, ObjectKind::Global(_)) && is_far_outside(found, offset) {
            return false;
        }
        if found.constant {
            return true;
        }
        let targets = self.pointers.of_kind(found.kind, found.site);
        holders.is_empty() || targets.is_empty() || self.pointers.may_hold_address(holders, at, &targets)
    }

    /// Whether some of the eight bytes at a multiple of eight are part of what looks like an address, and is at no
    /// multiple of eight. Points-to analysis is asked, too, whether an address of that object may be in these ones
    /// there: fields of locks, and counters, are numbers of 32 bits, and two of them behind each other may look like
    /// one. What is far outside of its object is none, but in locks: what models know of their fields, such as that who
    /// waits at a barrier knows its round, is more than what is left of them where they change.
    fn overlaps_address(
        &mut self,
        object: ObjectId,
        start: u64,
        (at, size): (u64, u64),
        (holders, is_lock): (&[Abstract], bool),
    ) -> bool {
        // From eight bytes in front of them on. Each of those words has the first of the eight bytes, or the last.
        let mut bytes = [None; 24];
        let here = self.constants(object, start + at, (size - at).min(8));
        if here[0].is_none() && here[7].is_none() {
            return false;
        }
        bytes[8..16].copy_from_slice(&here);
        if let Some(before) = at.checked_sub(8) {
            bytes[..8].copy_from_slice(&self.constants(object, start + before, 8));
        }
        if let Some(len) = size.checked_sub(at + 8) {
            bytes[16..].copy_from_slice(&self.constants(object, start + at + 8, len.min(8)));
        }
        let is_one = |at: u64, bits: u64| {
            let AddressClass::Object(object, offset) = classify(bits) else { return false };
            let Some(found) = self.state.heap.object(object) else { return false };
            if !is_lock && is_far_outside(found, offset) {
                return false;
            }
            if found.constant || holders.is_empty() {
                return true;
            }
            let targets = self.pointers.of_kind(found.kind, found.site);
            targets.is_empty() || self.pointers.may_hold_address(holders, start + at, &targets)
        };
        let word =
            |bytes: &[Option<u8>]| bytes.iter().rev().try_fold(0, |word, byte| Some(word << 8 | u64::from((*byte)?)));
        let mut words = (0..).zip(bytes.windows(8)).filter(|(from, _)| from % 8 != 0);
        words.any(|(from, bytes)| word(bytes).is_some_and(|bits| is_one(at + from - 8, bits)))
    }

    /// Those of up to eight bytes at a multiple of eight that are constant.
    fn constants(&mut self, object: ObjectId, at: u64, n: u64) -> [Option<u8>; 8] {
        if let Some(bits) = self.constant_word(object, at).filter(|_| n == 8) {
            return bits.to_le_bytes().map(Some);
        }
        let bytes = peek(&mut self.machine.domain, &self.state.heap, object, at, n);
        std::array::from_fn(|at| match bytes.get(at) {
            Some(Some(MemoryByte::Constant(byte))) => Some(*byte),
            Some(Some(MemoryByte::Symbolic(_)) | None) | None => None,
        })
    }

    /// Up to eight bytes of an object.
    fn window(&mut self, node: Node, at: u64, bytes: &[Option<MemoryByte<Term>>], is_pointer: bool) {
        if let Some(bits) = number(bytes).filter(|_| bytes.len() == 8) {
            match self.word(bits, is_pointer) {
                Some(Held::Bits(_)) => {}
                Some(held) => {
                    self.left.shape.words.insert((node, at), (8, held));
                    return;
                }
                None => {
                    if let Some(held) = self.stranger(Place::Memory(node, at, 8), bits) {
                        self.left.shape.words.insert((node, at), (8, held));
                    }
                    return;
                }
            }
        }
        if let Some(term) = self.whole(bytes).filter(|_| bytes.len() == 8) {
            return self.whole_word(node, at, term, is_pointer);
        }
        if let Some(term) = self.address(bytes).filter(|_| is_pointer) {
            return self.whole_word(node, at, term, true);
        }
        let is_pair = !is_pointer && bytes.chunks(4).all(|half| half.len() == 4 && self.whole(half).is_some());
        if let Some(term) = self.together(bytes).filter(|_| bytes.len() == 8 && !is_pair) {
            if !is_pointer && !self.is_of_parts(term) {
                // A number of 32 bits that was extended.
                return self.whole_word(node, at, term, false);
            }
            // Two numbers behind each other may be computed.
            if is_pointer || !bytes.chunks(4).all(|half| self.is_number(half)) {
                self.joined.push(((node, at), 8, term));
                return;
            }
        }
        // An address that depends on inputs may have constant bytes; beside a number of 32 bits there is none.
        let is_symbolic = |half: &[Option<_>]| half.iter().any(|byte| matches!(byte, Some(MemoryByte::Symbolic(_))));
        let is_number = |half: &&[Option<_>]| !is_symbolic(half) || half.len() == 4 && self.whole(half).is_some();
        if is_pointer
            && (may_be_one_of_several(bytes)
                || !bytes.chunks(4).all(|half| is_number(&half)) && !bytes.chunks(4).all(|half| self.is_small(half)))
        {
            return;
        }
        if !is_pointer {
            self.partly_constant(Place::Memory(node, at, 8), bytes);
        }
        for (half, at) in bytes.chunks(4).zip((at..).step_by(4)) {
            let together = self.together(half).filter(|_| half.len() == 4);
            if let Some(term) = together.filter(|&term| !self.is_of_parts(term)) {
                self.left.numbers.push((Place::Memory(node, at, 4), term));
                let held = self.same(term);
                self.left.shape.words.insert((node, at), (4, held));
                continue;
            }
            if let Some(term) = together {
                self.joined.push(((node, at), 4, term));
                continue;
            }
            if !self.partly_constant(Place::Memory(node, at, 4), half) && !is_pointer {
                self.single_bytes(node, at, half);
            }
            let constants = half.iter().map(|byte| match byte {
                Some(MemoryByte::Constant(byte)) => Some(*byte),
                Some(MemoryByte::Symbolic(_)) | None => None,
            });
            self.left.shape.bytes.insert_word((node, at), &constants.collect::<SmallVec<[_; 4]>>());
        }
    }

    /// Whether four bytes are those of a number of 32 bits, or of one that is less than any object's first offset: no
    /// half of an address, though there may be one.
    fn is_small(&self, half: &[Option<MemoryByte<Term>>]) -> bool {
        let is_zero = |byte: &Option<_>| matches!(byte, Some(MemoryByte::Constant(0)));
        half.len() == 4 && (self.whole(half).is_some() || half[2..].iter().all(is_zero))
    }

    /// Remembers a number of which some bytes are constant, if it is one: one that is small.
    fn partly_constant(&mut self, place: Place, bytes: &[Option<MemoryByte<Term>>]) -> bool {
        let Place::Memory(_, _, size) = place else { return false };
        let bytes: SmallVec<[_; 8]> = bytes.iter().flatten().cloned().collect();
        if bytes.len() != usize::from(size) || !bytes.iter().any(|byte| matches!(byte, MemoryByte::Symbolic(_))) {
            return false;
        }
        match self.machine.domain.join_bytes(&bytes) {
            SymValue::Term(term) if !self.is_of_parts(term) => self.small.push((place, term)),
            _ => return false,
        }
        true
    }

    /// Remembers numbers of one byte, such as flags and letters. In a text there are many, and they are as many facts
    /// as nobody needs: where all four bytes are unknown, none are looked at.
    fn single_bytes(&mut self, node: Node, at: u64, half: &[Option<MemoryByte<Term>>]) {
        let is_unknown = |byte: &&Option<_>| matches!(byte, Some(MemoryByte::Symbolic(_)));
        if half.iter().filter(is_unknown).count() > BUDGETS.single_bytes {
            return;
        }
        for (byte, at) in half.iter().zip(at..) {
            let Some(MemoryByte::Symbolic(term)) = *byte else { continue };
            if !matches!(self.machine.domain.pool.node(term), TermNode::Extract { .. }) {
                self.small.push((Place::Memory(node, at, 1), term));
            }
        }
    }

    /// Whether bytes are those of one number that is unknown.
    fn is_number(&mut self, bytes: &[Option<MemoryByte<Term>>]) -> bool {
        self.whole(bytes).is_some() || self.together(bytes).is_some_and(|term| !self.is_of_parts(term))
    }

    /// What bytes are together that are all unknown.
    fn together(&mut self, bytes: &[Option<MemoryByte<Term>>]) -> Option<Term> {
        let is_unknown = |byte: &Option<MemoryByte<Term>>| matches!(byte, Some(MemoryByte::Symbolic(_)));
        if !bytes.iter().all(is_unknown) {
            return None;
        }
        let bytes: SmallVec<[_; 8]> = bytes.iter().flatten().cloned().collect();
        match self.machine.domain.join_bytes(&bytes) {
            SymValue::Term(term) => Some(term),
            SymValue::Constant(_) => None,
        }
    }

    /// Numbers of which some bytes are constant come last: there is a limit to how many are looked at.
    fn small(&mut self) {
        for (place, term) in std::mem::take(&mut self.small) {
            let Place::Memory(_, _, size) = place else { continue };
            // So that the place is one of those that depend on decisions, or do not.
            self.left.shape.bounds.insert(place, Bounds::of_width(8 * size));
            self.left.numbers.push((place, term));
        }
    }

    /// Whether a word is no number of its own: parts of it are unknown by themselves.
    fn is_of_parts(&self, term: Term) -> bool {
        matches!(self.machine.domain.pool.node(term), TermNode::Concat { .. })
    }

    /// What eight bytes are together that may be an address: one of several.
    fn address(&mut self, bytes: &[Option<MemoryByte<Term>>]) -> Option<Term> {
        let known: Vec<MemoryByte<Term>> = bytes.iter().cloned().collect::<Option<_>>()?;
        if known.len() != 8 {
            return None;
        }
        let SymValue::Term(term) = self.machine.domain.join_bytes(&known) else { return None };
        let constants = self.left.addresses.constants(&self.machine.domain.pool, term);
        constants.iter().any(|&bits| is_address(bits)).then_some(term)
    }

    /// Words of bytes that are inputs of their own are no facts but where the same is elsewhere.
    fn joined(&mut self) {
        let mut count: FxHashMap<Term, u32> = FxHashMap::default();
        for (_, _, term) in &self.joined {
            *count.entry(*term).or_default() += 1;
        }
        for (at, width, term) in std::mem::take(&mut self.joined) {
            if count[&term] > 1 || self.values.contains_key(&term) {
                let held = self.same(term);
                self.left.shape.words.insert(at, (width, held));
            }
        }
    }

    /// The term that these are the bytes of, all of them.
    fn whole(&self, bytes: &[Option<MemoryByte<Term>>]) -> Option<Term> {
        let pool = &self.machine.domain.pool;
        let mut of = None;
        for (at, byte) in (0..).zip(bytes) {
            let Some(MemoryByte::Symbolic(byte)) = byte else { return None };
            let TermNode::Extract { arg, lo, .. } = *pool.node(*byte) else { return None };
            if lo != 8 * at || of.is_some_and(|known| known != arg) {
                return None;
            }
            of = Some(arg);
        }
        of.filter(|&term| pool.width(term) as usize == 8 * bytes.len())
    }
}

/// Whether a word looks like one.
fn is_address(bits: u64) -> bool {
    matches!(classify(bits), AddressClass::Object(..) | AddressClass::Function(_))
}

fn number(bytes: &[Option<MemoryByte<Term>>]) -> Option<u64> {
    bytes.iter().rev().try_fold(0, |word, byte| match byte {
        Some(MemoryByte::Constant(byte)) => Some(word << 8 | u64::from(*byte)),
        Some(MemoryByte::Symbolic(_)) | None => None,
    })
}

/// The upper four of eight bytes, if they are constant: of an address, the object.
fn high_half(bytes: &[Option<MemoryByte<Term>>]) -> Option<ObjectId> {
    let upper = bytes.get(4..8)?;
    number(upper).and_then(|bits| u32::try_from(bits).ok()).map(ObjectId)
}

/// Whether eight bytes may be one of several addresses, of which only the low halves are the same: the offset in
/// whatever object.
fn may_be_one_of_several(bytes: &[Option<MemoryByte<Term>>]) -> bool {
    let Some((low, high)) = bytes.split_at_checked(4) else { return false };
    number(low).is_some_and(|offset| offset >= BASE_OFFSET) && high.iter().any(Option::is_none)
}

/// Whether an offset is far outside of an object.
fn is_far_outside<D: Values>(object: &Object<D>, offset: i64) -> bool {
    let size = object.size.min(i64::MAX.cast_unsigned()).cast_signed();
    !(-BUDGETS.bytes_outside..=size.saturating_add(BUDGETS.bytes_outside)).contains(&offset)
}

/// The multiples of eight in the first `size` bytes from `start` on at which something may be known: the first ones,
/// and those of locks.
fn windows(
    domain: &SymbolicDomain,
    heap: &Heap<SymbolicDomain>,
    object: ObjectId,
    start: u64,
    size: u64,
    locks: &Places,
) -> Vec<u64> {
    match heap.contents_of(object) {
        None if start == 0 => all_windows(size, locks),
        None => (0..size).step_by(8).collect(),
        Some(array) => {
            let mut windows = domain.touched(array, start);
            windows.retain(|&at| at < size);
            if start == 0 && domain.is_zero_elsewhere(array) {
                windows.extend(all_windows(size, locks));
                windows.sort_unstable();
                windows.dedup();
            }
            let behind = windows.split_off(windows.len().min(BUDGETS.bytes as usize / 8));
            windows.extend(behind.into_iter().filter(|&at| locks.contain(at)));
            windows
        }
    }
}

/// Those of an object of whose bytes all are known.
fn all_windows(size: u64, locks: &Places) -> Vec<u64> {
    let behind = locks.words(size).into_iter().filter(|&at| at >= BUDGETS.bytes);
    (0..size.min(BUDGETS.bytes)).step_by(8).chain(behind).collect()
}

/// What bytes of an object hold, as far as that can be said without a new symbol.
fn peek(
    domain: &mut SymbolicDomain,
    heap: &Heap<SymbolicDomain>,
    object: ObjectId,
    at: u64,
    n: u64,
) -> Vec<Option<MemoryByte<Term>>> {
    if let Some(array) = heap.contents_of(object) {
        return domain.peek(array, at, n);
    }
    let path = SymPath::default();
    let undefined = heap.undefined_bytes(object, at, n);
    let is_defined = |i: usize| undefined.as_ref().is_none_or(|masks| masks.get(i).is_none_or(|&mask| mask == 0));
    let byte = |(i, at)| is_defined(i).then(|| heap.byte(domain, &path, object, at));
    (0..).zip(at..at + n).map(byte).collect()
}

//! What is taken for granted whenever an epoch begins, and whether the paths that lead there leave it so.
//!
//! The states in which epochs begin are made of facts of dataflow analysis and of a [`Shape`]: what the search found
//! all ways to the epoch to leave. Each place of the shape is looked up here in the state at the end of each path that
//! was executed. This is done anew, and not by the code that makes shapes: objects from the heap are paired with nodes
//! in the order in which the shape itself reaches them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use icsched_epochs::EpochFacts;
use icsched_explore::explore::PathOutcome;
use icsched_explore::sums::MAX_PLACES;
use icsched_facts::{Element, FactState, Held, Node, Place, Shape, Statement};
use icsched_ir::{EntityId as _, GlobalId, Program};
use icsched_machine::code::Code;
use icsched_machine::memory::{AddressClass, ObjectId, ObjectKind, address, classify, global_object};
use icsched_machine::state_place::StatePlace;
use icsched_machine::thread_table::thread_entries;
use icsched_machine::{Machine, State, ThreadId, ThreadStatus, Values as _};
use icsched_smt::{CmpOp, Term, TermPool};
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};
use icsched_symbolic::trace::Trace;

/// What the initial states of an epoch have in common, beside facts of dataflow analysis.
pub(crate) struct Known {
    is_entry: bool,
    none_ended: bool,
    shape: Shape,
}

/// Something that a path may leave otherwise.
pub(crate) struct Difference {
    /// In a sentence: what should be.
    pub(crate) what: String,
    /// The condition under which it is not so; `None` if that cannot be told.
    pub(crate) differs: Option<Term>,
}

impl Known {
    pub(crate) fn new(is_entry: bool, EpochFacts { none_ended, shape }: &EpochFacts) -> Self {
        Self { is_entry, none_ended: *none_ended, shape: shape.clone() }
    }

    pub(crate) const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What the end of a path leaves otherwise, where the path began with `before`, and its threads are those of the
    /// shape in this order. O(places of the shape), up to logarithms.
    pub(crate) fn broken(
        &self,
        before: Option<&Known>,
        machine: &mut Machine<SymbolicDomain>,
        path: &PathOutcome,
        threads: Vec<ThreadId>,
    ) -> Vec<Difference> {
        let state = &path.state;
        let mut end = End::new(self, machine, state, threads);
        end.registers();
        end.memory();
        // What happens in the first epoch may be undefined.
        if before.is_some_and(|before| !before.is_entry) {
            end.sums(&path.trace);
            end.excuse(&path.trace);
        }
        self.shape.to_terms(&mut end);
        end.waits();
        let all_live = state.live_threads().count() == state.threads.len();
        if self.none_ended && !(all_live && before.is_none_or(|before| before.none_ended)) {
            end.wrong("no thread has ended".to_owned());
        }
        end.found
    }
}

/// The end of a path beside a shape.
pub(crate) struct End<'a> {
    shape: &'a Shape,
    /// The models' table of threads, and the bytes of an entry.
    table: Option<(GlobalId, u64)>,
    program: Arc<Program>,
    machine: &'a mut Machine<SymbolicDomain>,
    state: &'a State<SymbolicDomain>,
    /// The threads by position.
    threads: Vec<ThreadId>,
    /// The objects that nodes of the heap stand for.
    heap: BTreeMap<u32, ObjectId>,
    /// Nodes of the heap whose contents are to be looked at.
    queue: VecDeque<u32>,
    /// Places that are to hold the address of a node that is not found yet, where nobody knows what they hold.
    deferred: Vec<(Place, u32, Held)>,
    /// The value of a class of equal places, and the first of them.
    same: BTreeMap<u32, (Term, Place)>,
    /// That the sums have not overflowed that numbers, and all that are to be equal to them, were computed from.
    sums: BTreeMap<Place, Vec<Term>>,
    /// Which of what was found is about places that are to be constant.
    constants: Vec<(usize, Place)>,
    /// The numbers that places might as well hold whose sums have overflowed, by the first of equal places.
    instead: BTreeMap<Place, Option<u64>>,
    found: Vec<Difference>,
}

impl<'a> End<'a> {
    pub(crate) fn new(
        known: &'a Known,
        machine: &'a mut Machine<SymbolicDomain>,
        state: &'a State<SymbolicDomain>,
        threads: Vec<ThreadId>,
    ) -> Self {
        let program = Arc::clone(&machine.program);
        Self {
            shape: &known.shape,
            table: thread_entries(&program),
            program,
            machine,
            state,
            threads,
            heap: BTreeMap::new(),
            queue: VecDeque::new(),
            deferred: Vec::new(),
            same: BTreeMap::new(),
            sums: BTreeMap::new(),
            constants: Vec::new(),
            instead: BTreeMap::new(),
            found: Vec::new(),
        }
    }

    /// The address of a node that is there already.
    pub(crate) fn address(&self, node: Node, offset: i64) -> Option<u64> {
        self.start(node).map(|(object, start)| address(object, start.wrapping_add_signed(offset)))
    }

    /// A term as a value.
    pub(crate) fn constant(&self, term: Term) -> SymValue {
        self.machine.domain.value(term)
    }

    fn wrong(&mut self, what: String) {
        let differs = Some(self.machine.domain.pool.bool(true));
        self.found.push(Difference { what, differs });
    }

    fn registers(&mut self) {
        let shape = self.shape;
        for (&(thread, depth, value), &(width, held)) in &shape.registers {
            self.place(Place::Register(thread, depth, value), width.into(), held);
        }
    }

    fn memory(&mut self) {
        let shape = self.shape;
        let all = shape.bytes.nodes().chain(shape.words.keys().map(|&(node, _)| node));
        let named: BTreeSet<Node> = all.filter(|node| !matches!(node, Node::Heap(_))).collect();
        named.into_iter().for_each(|node| self.contents(node));
        self.follow();
        // What one of a few addresses is may be said by another place.
        for (place, width, held) in std::mem::take(&mut self.deferred) {
            self.place(place, width, held);
            self.follow();
        }
        for (place, _, held) in std::mem::take(&mut self.deferred) {
            self.found.push(Difference { what: self.says(place, held), differs: None });
        }
    }

    fn follow(&mut self) {
        while let Some(number) = self.queue.pop_front() {
            self.contents(Node::Heap(number));
        }
    }

    fn contents(&mut self, node: Node) {
        let (shape, all) = (self.shape, (node, 0)..=(node, u64::MAX));
        for (at, byte) in shape.bytes.of(node) {
            self.place(Place::Memory(node, at, 1), 8, Held::Bits(byte.into()));
        }
        for (&(_, at), &(size, held)) in shape.words.range(all) {
            self.place(Place::Memory(node, at, size), 8 * u32::from(size), held);
        }
    }

    /// Looks for the sums that each number with bounds was computed from.
    fn sums(&mut self, trace: &Trace) {
        let shape = self.shape;
        for &place in shape.bounds.keys() {
            let places: Option<Vec<StatePlace>> = shape.equal_to(place).map(|place| self.find(place)).collect();
            let of_each =
                icsched_explore::sums::sums_behind(self.machine, self.state, trace, &places.unwrap_or_default());
            let mut each = of_each.into_iter();
            let mut common = each.next().unwrap_or_default();
            each.for_each(|other| common.retain(|condition| other.contains(condition)));
            if !common.is_empty() {
                let common = common.into_iter().map(|sum| self.machine.domain.expanded(sum)).collect();
                self.sums.insert(place, common);
            }
        }
    }

    /// A number that is to be constant may be another one if a sum has overflowed that it was computed from: the only
    /// one between some bounds.
    fn excuse(&mut self, trace: &Trace) {
        let word = |place: Place, size: u8| match place {
            Place::Memory(node, at, _) => Place::Memory(node, at - at % u64::from(size), size),
            register @ Place::Register(..) => register,
        };
        let doubts = std::mem::take(&mut self.constants);
        let wholes: BTreeSet<Place> = doubts.iter().flat_map(|&(_, place)| [word(place, 4), word(place, 8)]).collect();
        let wholes: Vec<(Place, StatePlace)> = wholes.into_iter().filter_map(|p| Some((p, self.find(p)?))).collect();
        let mut sums: BTreeMap<Place, Vec<Term>> = BTreeMap::new();
        for some in wholes.chunks(MAX_PLACES) {
            let places: Vec<StatePlace> = some.iter().map(|&(_, at)| at).collect();
            let of_each = icsched_explore::sums::sums_behind(self.machine, self.state, trace, &places);
            sums.extend(some.iter().map(|&(place, _)| place).zip(of_each));
        }
        for (at, place) in doubts {
            let of = |place: Place| sums.get(&place).filter(|fit| !fit.is_empty());
            let (Some(fit), Some(differs)) = (of(word(place, 4)).or(of(word(place, 8))), self.found[at].differs) else {
                continue;
            };
            let mut all: Vec<Term> = fit.iter().map(|&sum| self.machine.domain.expanded(sum)).collect();
            all.push(differs);
            self.found[at].differs = Some(self.machine.domain.pool.and_all(&all));
        }
    }

    /// Where a place is.
    fn find(&self, place: Place) -> Option<StatePlace> {
        Some(match place {
            Place::Memory(node, at, size) => {
                let (object, start) = self.start(node)?;
                StatePlace::Memory(object, start + at, size.into())
            }
            Place::Register(thread, depth, value) => {
                let thread = self.state.thread(*self.threads.get(thread as usize)?);
                StatePlace::Register(thread.frames.get(depth as usize)?.id, value)
            }
        })
    }

    /// Compares what a place holds.
    fn place(&mut self, place: Place, width: u32, held: Held) {
        let Some(value) = self.value(place, width) else {
            self.wrong(format!("there is {}", self.name(place)));
            return;
        };
        let expected = match held {
            Held::Bits(bits) => Some(self.machine.domain.pool.constant(width, bits)),
            Held::Address(Node::Heap(number), offset) if !self.heap.contains_key(&number) => {
                match self.machine.domain.pool.as_const(value) {
                    Some(bits) => self.pair(number, offset, bits, place),
                    None => self.deferred.push((place, width, held)),
                }
                return;
            }
            Held::Address(node, offset) => {
                self.address(node, offset).map(|bits| self.machine.domain.pool.constant(width, bits))
            }
            Held::Same(class) => Some(self.same.entry(class).or_insert((value, place)).0),
        };
        let pool = &mut self.machine.domain.pool;
        let differs = match expected {
            Some(expected) if pool.width(expected) == width => {
                let is_same = pool.cmp(CmpOp::Eq, value, expected);
                pool.not(is_same)
            }
            _ => pool.bool(true),
        };
        if !pool.is_false(differs) {
            if matches!(held, Held::Bits(_)) {
                self.constants.push((self.found.len(), place));
            }
            self.found.push(Difference { what: self.says(place, held), differs: Some(differs) });
        }
    }

    /// A place is the first that is to hold the address of a node of the heap: the object that it points to is the node
    /// from here on.
    fn pair(&mut self, number: u32, offset: i64, bits: u64, place: Place) {
        let what = self.says(place, Held::Address(Node::Heap(number), offset));
        let object = match classify(bits) {
            AddressClass::Object(object, at) if at == offset => Some(object),
            _ => None,
        };
        let another = object.filter(|object| !self.heap.values().any(|known| known == object));
        let found = another.and_then(|id| self.state.heap.object(id).map(|object| (id, object)));
        match found.filter(|(_, object)| object.is_alive() && object.kind.is_nameless()) {
            Some((id, object)) if object.site == Some(self.shape.heap[number as usize]) => {
                self.heap.insert(number, id);
                self.queue.push_back(number);
            }
            Some((_, object)) if object.site.is_none() => self.found.push(Difference { what, differs: None }),
            _ => self.wrong(what),
        }
    }

    /// The object that a node is, and where in it; `None` if there is none, or there are several.
    fn start(&self, node: Node) -> Option<(ObjectId, u64)> {
        let of = |position: u32| self.threads.get(position as usize).map(|&id| self.state.thread(id));
        Some(match node {
            Node::Global(global) => (global_object(global), 0),
            Node::ThreadLocal(global, thread) => ((*of(thread)?.thread_locals.get(global.index())?)?, 0),
            Node::Thread(thread) => {
                let (table, stride) = self.table?;
                (global_object(table), u64::from(of(thread)?.slot) * stride)
            }
            Node::Local(thread, depth, value) => {
                let thread = of(thread)?;
                let activation = thread.frames.get(depth as usize)?.id;
                let is_it = |id: &&ObjectId| {
                    let kind = self.state.heap.object(**id).map(|object| object.kind);
                    matches!(kind, Some(ObjectKind::Stack { frame, value: of, .. }) if frame == activation && of == value)
                };
                let mut all = thread.stack_objects.iter().filter(is_it);
                let first = *all.next()?;
                all.next().is_none().then_some((first, 0))?
            }
            Node::Heap(number) => (*self.heap.get(&number)?, 0),
        })
    }

    /// What a place holds.
    pub(crate) fn value(&mut self, place: Place, width: u32) -> Option<Term> {
        let value = match place {
            Place::Memory(node, at, size) => {
                let (object, start) = self.start(node)?;
                let (at, size) = (start + at, u64::from(size));
                self.state.heap.object(object).filter(|o| o.is_alive() && at + size <= o.size)?;
                let bytes = self.state.heap.bytes(&mut self.machine.domain, &self.state.path, object, at, size);
                self.machine.domain.join_bytes(&bytes)
            }
            Place::Register(thread, depth, value) => {
                let thread = self.state.thread(*self.threads.get(thread as usize)?);
                let base = thread.frames.get(depth as usize)?.base;
                *thread.registers.get(base as usize + Code::slot(value) as usize)?
            }
        };
        if let SymValue::Term(term) = value
            && self.machine.domain.pool.width(term) < width
        {
            return None;
        }
        // A read may have been put off.
        let term = self.machine.domain.term(&value, width);
        Some(self.machine.domain.expanded(term))
    }

    /// The threads that wait have begun to in the order of the shape.
    fn waits(&mut self) {
        let mut order = Vec::new();
        for &position in &self.shape.waits {
            let thread = self.threads.get(position as usize).map(|&id| self.state.thread(id));
            let waiting = thread.and_then(|thread| match thread.status {
                ThreadStatus::Waiting { since, .. } => Some((thread.timestamp, since)),
                _ => None,
            });
            match waiting {
                Some(begun) => order.push((position, begun)),
                None => self.wrong(format!("thread {position} waits")),
            }
        }
        for pair in order.windows(2) {
            let [(a, (old_a, since_a)), (b, (old_b, since_b))] = pair else { continue };
            let pool = &mut self.machine.domain.pool;
            // Who has waited since before the path began is first.
            let differs = match (old_a, old_b) {
                (Some(SymValue::Term(x)), Some(SymValue::Term(y))) => {
                    let before = pool.cmp(CmpOp::Slt, *x, *y);
                    pool.not(before)
                }
                (Some(_), Some(_)) => continue,
                (Some(_), None) => pool.bool(false),
                (None, Some(_)) => pool.bool(true),
                (None, None) => pool.bool(since_a >= since_b),
            };
            if !pool.is_false(differs) {
                let what = format!("thread {a} began to wait before thread {b}");
                self.found.push(Difference { what, differs: Some(differs) });
            }
        }
    }

    fn says(&self, place: Place, held: Held) -> String {
        let name = self.name(place);
        match held {
            Held::Bits(bits) => format!("{name} is {bits}"),
            Held::Address(node, offset) => {
                format!("{name} is the address of byte {offset} of {}", self.object_name(node))
            }
            Held::Same(class) => {
                format!("{name} is equal to {}", self.name(self.same.get(&class).map_or(place, |s| s.1)))
            }
        }
    }

    fn object_name(&self, node: Node) -> String {
        let global = |id: GlobalId| &self.program.globals[id].name;
        match node {
            Node::Global(id) => global(id).clone(),
            Node::ThreadLocal(id, thread) => format!("{} of thread {thread}", global(id)),
            Node::Thread(thread) => format!("the control block of thread {thread}"),
            Node::Local(thread, depth, value) => format!("{value}, a local of activation {depth} of thread {thread}"),
            Node::Heap(number) => format!("object {number} from the heap"),
        }
    }

    fn name(&self, place: Place) -> String {
        match place {
            Place::Memory(node, at, 1) => format!("byte {at} of {}", self.object_name(node)),
            Place::Memory(node, at, size) => {
                format!("bytes {at} to {} of {}", at + u64::from(size) - 1, self.object_name(node))
            }
            Place::Register(thread, depth, value) => format!("{value} in activation {depth} of thread {thread}"),
        }
    }
}

impl FactState for End<'_> {
    fn pool(&mut self) -> &mut TermPool {
        &mut self.machine.domain.pool
    }

    fn value(&mut self, place: Place, width: u8) -> Option<Term> {
        End::value(self, place, width.into())
    }

    /// The number that a place holds, or, where a sum has overflowed that it was computed from, one that it holds on
    /// this path where none has. Behind the first epoch nothing may depend on a sum that has overflowed, so it might as
    /// well be any number; but the same one, whatever it is compared with, and for all places that are to be equal.
    fn number(&mut self, place: Place, width: u8) -> Option<Term> {
        let value = End::value(self, place, width.into())?;
        let (Some(sums), Some(bounds)) = (self.sums.get(&place), self.shape.bounds.get(&place)) else {
            return Some(value);
        };
        let fit = self.machine.domain.pool.and_all(sums);
        let first = self.shape.equal_to(place).min().unwrap_or(place);
        let instead = match self.instead.get(&first) {
            Some(&known) => known,
            None => {
                let whole = End::value(self, place, bounds.width.into())?;
                let all = [self.state.path.constraints(), &[fit]].concat();
                let model = self.machine.domain.model_of(&all).ok().flatten();
                let found = model.map(|model| self.machine.domain.pool.eval(whole, &model));
                *self.instead.entry(first).or_insert(found)
            }
        };
        let pool = &mut self.machine.domain.pool;
        let Some(instead) = instead.map(|bits| pool.constant(pool.width(value), bits)) else { return Some(value) };
        Some(pool.ite(fit, value, instead))
    }

    fn constant(&self, held: Held) -> Option<u64> {
        match held {
            Held::Bits(bits) => Some(bits),
            Held::Address(node, offset) => self.address(node, offset),
            Held::Same(_) => None,
        }
    }

    /// What is not there is held nowhere.
    fn constants(&self, held: &[Held]) -> Option<Vec<u64>> {
        Some(held.iter().filter_map(|&held| FactState::constant(self, held)).collect())
    }

    fn element(&mut self, element: &Element, index: Term, length: Option<Term>) -> Option<Term> {
        let array = self.start(element.array)?;
        let held = icsched_facts::element(self.machine, self.state, element, (index, length), array)?;
        let held = self.machine.domain.term(&held, 8 * u32::from(element.size));
        Some(self.machine.domain.expanded(held))
    }

    fn threads(&self) -> u32 {
        u32::try_from(self.threads.len()).expect("threads are few")
    }

    /// A fact is not so where one of its conditions does not hold, and no sum has overflowed that its number was
    /// computed from.
    fn say(&mut self, statement: Statement<'_>) {
        let pool = &mut self.machine.domain.pool;
        let holds = pool.and_all(&statement.conditions);
        let mut all = vec![pool.not(holds)];
        all.extend(statement.unless_overflow.and_then(|place| self.sums.get(&place)).into_iter().flatten());
        let differs = self.machine.domain.pool.and_all(&all);
        if statement.is_partial || !self.machine.domain.pool.is_false(differs) {
            let what = (statement.words)(&|place| self.name(place));
            if statement.is_partial {
                return self.wrong(what);
            }
            self.found.push(Difference { what, differs: Some(differs) });
        }
    }
}

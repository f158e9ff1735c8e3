//! Facts in an initial state ([`Shape`], given to [`Start::known`](icsched_symbolic::initial::Start::known)).
//!
//! Objects from the heap are there from the beginning, so that pointers to them are constants. They are no more than
//! what they were reached by says: another unknown pointer may point to one of them, as far as points-to analysis
//! allows it.

use std::sync::Arc;

use icsched_ir::TypeId;
use icsched_machine::memory::{ObjectId, address, global_object};
use icsched_smt::{BinOp, Term, TermPool};
use icsched_symbolic::initial::{AddKnown, KnownState, Register, RootId, StateBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounds::Bounds;
use crate::budgets::BUDGETS;
use crate::element::Element;
use crate::fact_state::{FactState, Statement};
use crate::indices::Indices;
use crate::place::{Held, Node, Place};
use crate::shape::Shape;

/// What is known where an epoch begins.
#[derive(Copy, Clone, Debug)]
pub struct KnownShape<'a> {
    /// The facts.
    pub shape: &'a Shape,
    /// Which numbers in them index arrays, if somebody has looked.
    pub indices: Option<&'a Indices>,
}

impl KnownState for KnownShape<'_> {
    fn begin(&self) -> Box<dyn AddKnown + '_> {
        Box::new(Adding { known: *self, heap: Vec::new(), values: FxHashMap::default() })
    }
}

/// Facts on their way into one initial state.
struct Adding<'a> {
    known: KnownShape<'a>,
    /// Objects from the heap, by number.
    heap: Vec<ObjectId>,
    /// The value of each class of equal places.
    values: FxHashMap<u32, Term>,
}

type State<'m, 'a> = StateBuilder<'m, 'a>;

impl AddKnown for Adding<'_> {
    fn objects(&mut self, state: &mut State<'_, '_>) {
        self.heap_objects(state);
        self.memory(state, false);
    }

    fn register(&mut self, state: &mut State<'_, '_>, place: Register, width: u32) -> Option<Term> {
        self.register_term(state, place, width)
    }

    fn made(&mut self, state: &mut State<'_, '_>, place: Register, term: Term) {
        if let Some(&(width, Held::Same(number))) = self.known.shape.registers.get(&place)
            && state.pool().width(term) == u32::from(width)
        {
            self.values.entry(number).or_insert(term);
        }
    }

    fn constrain(&mut self, state: &mut State<'_, '_>) {
        self.memory(state, true);
        self.unite(state);
        let mut reading = Reading { adding: self, state, alternatives: FxHashMap::default() };
        self.known.shape.to_terms(&mut reading);
        let alternatives = reading.alternatives;
        state.set_alternatives(Arc::new(alternatives));
    }

    fn wait_order(&self) -> &[u32] {
        &self.known.shape.waits
    }
}

impl Adding<'_> {
    /// What a register holds.
    fn register_term(&self, state: &mut State<'_, '_>, place: Register, width: u32) -> Option<Term> {
        let &(known, held) = self.known.shape.registers.get(&place)?;
        if u32::from(known) != width {
            return None;
        }
        let bits = match held {
            Held::Bits(bits) => bits,
            Held::Address(node, offset) => self.address_of_node(state, node, offset)?,
            Held::Same(number) => return self.values.get(&number).copied(),
        };
        Some(state.pool().constant(width, bits))
    }

    /// The objects from the heap. Named by the first place that points to them: a variable, else a register that the
    /// source has a type for, else any.
    fn heap_objects(&mut self, state: &mut State<'_, '_>) {
        let shape = self.known.shape;
        for (number, &site) in (0..).zip(&shape.heap) {
            let is_it = |held: &Held| matches!(*held, Held::Address(Node::Heap(n), 0) if n == number);
            let is_variable = |node: Node| matches!(node, Node::Global(_) | Node::Local(..));
            let holds = || shape.words.iter().filter(|(_, (_, held))| is_it(held)).map(|(&place, _)| place);
            let in_registers = || shape.registers.iter().filter(|(_, (_, held))| is_it(held)).map(|(&at, _)| at);
            let named = holds()
                .find(|&(node, _)| is_variable(node))
                .and_then(|place| self.pointer_in_memory(state, place))
                .or_else(|| {
                    let found = in_registers().find_map(|register| state.pointer_in_register(register));
                    found.map(|(name, ty)| (name, Some(ty)))
                })
                .or_else(|| holds().next().and_then(|place| self.pointer_in_memory(state, place)));
            let (name, ty) = named.unwrap_or_else(|| (format!("object{number}"), None));
            self.heap.push(state.add_heap_object(name, ty, site));
        }
    }

    /// The name of a place in memory, and the type of what it points to.
    fn pointer_in_memory(
        &self,
        state: &mut State<'_, '_>,
        (node, at): (Node, u64),
    ) -> Option<(String, Option<TypeId>)> {
        let (root, start) = self.root_of_node(state, node)?;
        Some(state.pointer_in_memory(root, start + at))
    }

    /// The object that a node is, if it is there already, and where it starts in that.
    fn object_of_node(&self, state: &State<'_, '_>, node: Node) -> Option<(ObjectId, u64)> {
        Some(match node {
            Node::Global(global) => (global_object(global), 0),
            Node::Thread(thread) => {
                let (table, start) = state.control_block(thread)?;
                (global_object(table), start)
            }
            Node::Heap(number) => (*self.heap.get(number as usize)?, 0),
            Node::Local(thread, depth, value) => (state.local_object((thread, depth, value))?, 0),
            Node::ThreadLocal(global, thread) => (state.thread_local_object(global, thread)?, 0),
        })
    }

    /// The root of that object, and where the node starts in it.
    fn root_of_node(&self, state: &State<'_, '_>, node: Node) -> Option<(RootId, u64)> {
        match node {
            Node::Global(global) => Some((state.root_of_global(global)?, 0)),
            Node::Thread(thread) => {
                let (table, start) = state.control_block(thread)?;
                Some((state.root_of_global(table)?, start))
            }
            Node::Heap(_) | Node::Local(..) | Node::ThreadLocal(..) => {
                let (object, start) = self.object_of_node(state, node)?;
                Some((state.root_of(object)?, start))
            }
        }
    }

    fn address_of_node(&self, state: &State<'_, '_>, node: Node, offset: i64) -> Option<u64> {
        let (object, start) = self.object_of_node(state, node)?;
        Some(address(object, start.wrapping_add_signed(offset)))
    }

    /// What memory holds, of all objects that are there: first of those that are no locals, then of the others.
    fn memory(&mut self, state: &mut State<'_, '_>, locals: bool) {
        let shape = self.known.shape;
        let is_local = |node: Node| matches!(node, Node::Local(..) | Node::ThreadLocal(..));
        // Neighbours are in one object.
        let mut last: Option<(Node, Option<(RootId, u64)>)> = None;
        for (node, at, known, bytes) in shape.bytes.pages().filter(|(node, ..)| is_local(*node) == locals) {
            let (_, found) = match last {
                Some(last) if last.0 == node => last,
                _ => *last.insert((node, self.root_of_node(state, node))),
            };
            if let Some((root, start)) = found {
                state.set_page(root, start + at, known, bytes);
            }
        }
        for (&(node, at), &(size, held)) in &shape.words {
            let to_local = matches!(held, Held::Address(to, _) if is_local(to));
            if (is_local(node) || to_local) != locals {
                continue;
            }
            if let Some((root, start)) = self.root_of_node(state, node) {
                self.word(state, (root, start + at), size, held);
            }
        }
    }

    fn word(&mut self, state: &mut State<'_, '_>, (root, at): (RootId, u64), size: u8, held: Held) {
        match held {
            Held::Bits(bits) => state.set_constant(root, at, size, bits),
            Held::Address(node, offset) => {
                if let Some(bits) = self.address_of_node(state, node, offset) {
                    state.set_constant(root, at, size, bits);
                }
            }
            Held::Same(number) => match self.values.get(&number) {
                Some(&term) => state.set_term(root, at, size, term),
                None => _ = self.values.insert(number, state.word(root, at, size)),
            },
        }
    }

    /// Numbers whose bounds their terms are to show, and equal ones, get the same term.
    fn unite(&mut self, state: &mut State<'_, '_>) {
        let shape = self.known.shape;
        let mut shown = FxHashSet::default();
        for (&place, &bounds) in &shape.bounds {
            if self.show_bounds(state, place, bounds) {
                shown.insert(place);
            }
        }
        self.unite_equal(state, &shown);
    }

    /// Makes one term of equal numbers in memory: one of which it is [shown](Self::show_bounds) that it is small, if
    /// there is one.
    fn unite_equal(&mut self, state: &mut State<'_, '_>, shown: &FxHashSet<Place>) {
        let shape = self.known.shape;
        for equal in shape.equal_numbers() {
            let of = equal.iter().find(|place| shown.contains(place)).unwrap_or(&equal[0]);
            for other in equal.iter().filter(|other| *other != of) {
                let (Place::Memory(_, _, size), Place::Memory(node, at, _)) = (*of, *other) else { continue };
                let (term, root) = (self.term(state, *of, 8 * size), self.root_of_node(state, node));
                if let (Some(term), Some((root, start))) = (term, root) {
                    state.set_term(root, start + at, size, term);
                }
            }
        }
    }

    /// Makes of a small number that indexes arrays one of which its term alone shows that: the lowest bits, or what
    /// remains of them, of what it was. So a store to an element does not reach what is behind the array. Says whether
    /// it is one.
    fn show_bounds(&mut self, state: &mut State<'_, '_>, place: Place, bounds: Bounds) -> bool {
        let Place::Memory(node, at, size) = place else { return false };
        let shape = self.known.shape;
        let is_index = self.known.indices.is_some_and(|indices| indices.contain(shape, place));
        if !is_index || !(0..=BUDGETS.index).contains(&bounds.greatest) || bounds.least < 0 {
            return false;
        }
        let (term, root) = (self.term(state, place, bounds.width), self.root_of_node(state, node));
        let (Some(term), Some((root, start))) = (term, root) else { return false };
        let count = bounds.greatest.cast_unsigned() + 1;
        let bits = u64::BITS - bounds.greatest.leading_zeros();
        let pool = state.pool();
        if bits == 0 || pool.as_const(term).is_some() {
            return false;
        }
        let mut low = pool.extract(term, bits - 1, 0);
        if !count.is_power_of_two() {
            let count = pool.constant(bits, count);
            low = pool.binary(BinOp::URem, low, count);
        }
        let shown = pool.zext(low, bounds.width.into());
        state.set_term(root, start + at, size, shown);
        true
    }

    /// What a place of so many bits holds; nothing if there is none.
    fn term(&self, state: &mut State<'_, '_>, place: Place, width: u8) -> Option<Term> {
        let term = match place {
            Place::Register(thread, depth, value) => {
                let register = (thread, depth, value);
                state.made_register(register).or_else(|| self.register_term(state, register, width.into()))
            }
            Place::Memory(node, at, size) => {
                self.root_of_node(state, node).map(|(root, start)| state.word(root, start + at, size))
            }
        };
        term.filter(|&term| state.pool().width(term) == u32::from(width))
    }
}

/// The state that is made, for facts to be read in.
struct Reading<'r, 'k, 'm, 'a> {
    adding: &'r Adding<'k>,
    state: &'r mut State<'m, 'a>,
    /// Terms that are one of a few constants.
    alternatives: FxHashMap<Term, Vec<u64>>,
}

impl FactState for Reading<'_, '_, '_, '_> {
    fn pool(&mut self) -> &mut TermPool {
        self.state.pool()
    }

    fn value(&mut self, place: Place, width: u8) -> Option<Term> {
        self.adding.term(self.state, place, width)
    }

    fn number(&mut self, place: Place, _: u8) -> Option<Term> {
        match place {
            Place::Memory(_, _, size) => self.value(place, 8 * size),
            Place::Register(thread, depth, value) => {
                let register = (thread, depth, value);
                let width = self.adding.known.shape.registers.get(&register).map(|&(width, _)| width);
                self.state.made_register(register).or_else(|| self.value(place, width?))
            }
        }
    }

    fn constant(&self, held: Held) -> Option<u64> {
        match held {
            Held::Bits(bits) => Some(bits),
            Held::Address(node, offset) => self.adding.address_of_node(self.state, node, offset),
            Held::Same(_) => None,
        }
    }

    fn constants(&self, held: &[Held]) -> Option<Vec<u64>> {
        held.iter().map(|&held| self.constant(held)).collect()
    }

    fn element(&mut self, element: &Element, index: Term, length: Option<Term>) -> Option<Term> {
        let (root, start) = self.adding.root_of_node(self.state, element.array)?;
        let pool = self.state.pool();
        let offset = element.offset(pool, index, length)?;
        let start = pool.constant(64, start);
        let offset = pool.binary(BinOp::Add, offset, start);
        self.state.keep_elements_of(root);
        Some(self.state.element(root, offset, element.size))
    }

    fn threads(&self) -> u32 {
        u32::try_from(self.state.start().context.threads.len()).expect("threads are few")
    }

    fn say(&mut self, statement: Statement<'_>) {
        statement.conditions.into_iter().for_each(|condition| self.state.constrain(condition));
    }

    fn note_alternatives(&mut self, term: Term, constants: Vec<u64>) {
        self.alternatives.entry(term).or_insert(constants);
    }
}

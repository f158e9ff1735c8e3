//! What epochs hand on to each other ([`Shape`](crate::shape::Shape)), in an initial state.
//!
//! Objects from the heap are there from the beginning, so that pointers to them are constants. They are no more than what they were
//! reached by says: another unknown pointer may point to one of them, as far as points-to analysis allows it.

use std::sync::Arc;

use icsched_dataflow::Symbol;
use icsched_ir::{Definitions, Expressions, Operand, TypeId};
use icsched_pointsto::{ObjectKind as AbstractKind, Offsets};
use icsched_smt::{BinOp, CmpOp, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Builder;
use super::table::layout;
use crate::domain::Domain;
use crate::memory::{ObjectId, UNKNOWN_SIZE, address, global_object};
use crate::path::Primary;
use crate::shape::{Bounds, Held, Node, Place};
use crate::symbolic::origin::{Places, RootId, RootName};
use crate::symbolic::source::number;
use crate::symbolic::{SymArray, SymValue, SymbolicDomain};
use crate::thread::Thread;

/// Largest number that is shown to be one by its term: arrays of that many elements are large.
const MAX_INDEX: i64 = 1 << 12;

impl Builder<'_, '_> {
    /// The objects from the heap. Named by the first place that points to them: a variable, else a register that the source has a type for,
    /// else any.
    pub(super) fn shape_objects(&mut self) {
        let shape = self.start.shape;
        for (number, &site) in (0..).zip(&shape.heap) {
            let is_it = |held: &Held| matches!(*held, Held::Address(Node::Heap(n), 0) if n == number);
            let is_variable = |node: Node| matches!(node, Node::Global(_) | Node::Local(..));
            let holds = || shape.words.iter().filter(|(_, (_, held))| is_it(held)).map(|(&place, _)| place);
            let named = holds()
                .find(|&(node, _)| is_variable(node))
                .and_then(|place| self.pointer_in_memory(place))
                .or_else(|| self.pointer_in_register(is_it))
                .or_else(|| holds().next().and_then(|place| self.pointer_in_memory(place)));
            let (name, ty) = named.unwrap_or_else(|| (format!("object{number}"), None));
            let places: Places = [(site, Offsets::Exact(0))].into();
            let object = self.shape_object(RootName::Pointee(name, ty, 0), places);
            self.heap.set_site(object, Some(site));
            let points_to = &self.start.points_to;
            if let AbstractKind::Heap { instance, at } = points_to.objects()[site].kind {
                self.heap.set_allocated_at(object, points_to.program_site(&self.program, instance, at));
            }
            self.shape_heap.push(object);
        }
    }

    /// The name of a place in memory, and the type of what it points to.
    fn pointer_in_memory(&mut self, (node, at): (Node, u64)) -> Option<(String, Option<TypeId>)> {
        let (root, start) = self.root_of_node(node)?;
        let origins = self.origins();
        Some((origins.name_at(root, start + at), origins.pointer_at(root, start + at)))
    }

    /// The same of the first register that holds what is asked for and points to something that has a type in the source.
    fn pointer_in_register(&self, is_it: impl Fn(&Held) -> bool) -> Option<(String, Option<TypeId>)> {
        let held = self.start.shape.registers.iter().filter(|(_, (_, held))| is_it(held));
        held.map(|(&place, _)| place).find_map(|(thread, frame, value)| {
            let (index, symbol) = (thread as usize, Symbol::new(frame, value));
            let func = self.start.context.threads.get(index)?.stack.0.get(frame as usize)?.func;
            let ty = self.pointee(index, symbol)?;
            let function = &self.program.functions[func];
            let definitions = Definitions::new(function);
            let name = Expressions::new(&self.program, function, &definitions).name(Operand::Value(value));
            Some((self.in_frame(name, index, frame), Some(ty)))
        })
    }

    fn shape_object(&mut self, name: RootName, places: Places) -> ObjectId {
        let (_, size) = self.machine.domain.layout(&places);
        let origins = self.origins();
        let root = origins.root(name, places.clone(), 0);
        origins.set_size(root, size);
        if size.is_none() {
            origins.unsized_roots.insert(number(root));
        }
        let object = self.heap.add_initial(number(root), size.unwrap_or(UNKNOWN_SIZE), SymArray::of_root(root));
        self.path.add_primary(Primary { object, places, origin: 0 });
        object
    }

    /// The root of an object of the shape that is there already, and where the object starts in it.
    fn root_of_node(&self, node: Node) -> Option<(RootId, u64)> {
        Some(match node {
            Node::Global(global) => (*self.globals.get(&global)?, 0),
            Node::Thread(thread) => {
                let table = layout(&self.program)?;
                (*self.globals.get(&table.id)?, u64::from(self.slot(thread as usize)) * table.stride)
            }
            Node::Heap(number) => (self.heap.root_of(*self.shape_heap.get(number as usize)?)?, 0),
            Node::Local(thread, depth, value) => {
                (self.heap.root_of(*self.shape_locals.get(&(thread, depth, value))?)?, 0)
            }
            Node::ThreadLocal(global, thread) => {
                (self.heap.root_of(*self.shape_thread_locals.get(&(global, thread))?)?, 0)
            }
        })
    }

    fn address_of_node(&self, node: Node, offset: i64) -> Option<u64> {
        let (object, start) = match node {
            Node::Global(global) => (global_object(global), 0),
            Node::Thread(thread) => {
                let table = layout(&self.program)?;
                (global_object(table.id), u64::from(self.slot(thread as usize)) * table.stride)
            }
            Node::Heap(number) => (*self.shape_heap.get(number as usize)?, 0),
            Node::Local(thread, depth, value) => (*self.shape_locals.get(&(thread, depth, value))?, 0),
            Node::ThreadLocal(global, thread) => (*self.shape_thread_locals.get(&(global, thread))?, 0),
        };
        Some(address(object, start.wrapping_add_signed(offset)))
    }

    /// What a place holds that holds a constant.
    fn constant_held(&self, held: Held) -> Option<u64> {
        match held {
            Held::Bits(bits) => Some(bits),
            Held::Address(node, offset) => self.address_of_node(node, offset),
            Held::Same(_) => None,
        }
    }

    /// What memory holds, of all objects that are there: first of those that are no locals, then of the others.
    pub(super) fn shape_memory(&mut self, locals: bool) {
        let shape = self.start.shape;
        let is_local = |node: Node| matches!(node, Node::Local(..) | Node::ThreadLocal(..));
        // Neighbours are in one object.
        let mut last: Option<(Node, Option<(RootId, u64)>)> = None;
        for (node, at, known, bytes) in shape.bytes.pages().filter(|(node, ..)| is_local(*node) == locals) {
            let (_, found) = match last {
                Some(last) if last.0 == node => last,
                _ => *last.insert((node, self.root_of_node(node))),
            };
            if let Some((root, start)) = found {
                self.origins().set_known_page(root, start + at, known, bytes);
            }
        }
        for (&(node, at), &(size, held)) in &shape.words {
            let to_local = matches!(held, Held::Address(to, _) if is_local(to));
            if (is_local(node) || to_local) != locals {
                continue;
            }
            if let Some((root, start)) = self.root_of_node(node) {
                self.shape_word(root, start + at, size, held);
            }
        }
    }

    fn shape_word(&mut self, root: RootId, at: u64, size: u8, held: Held) {
        let value = match held {
            Held::Bits(bits) => Some(SymValue::Constant(bits)),
            Held::Address(node, offset) => self.address_of_node(node, offset).map(SymValue::Constant),
            Held::Same(number) => match self.shape_values.get(&number) {
                Some(&term) => Some(self.machine.domain.value(term)),
                None => {
                    let bytes = self.machine.domain.initial_bytes(root, at, usize::from(size));
                    let value = self.machine.domain.join_bytes(&bytes);
                    let term = self.machine.domain.term(&value, 8 * u32::from(size));
                    self.shape_values.insert(number, term);
                    None
                }
            },
        };
        if let Some(value) = value {
            let bytes = self.machine.domain.split_bytes(&value, u32::from(size));
            self.origins().set_known(root, at, &bytes);
        }
    }

    /// What a register holds.
    pub(super) fn shape_register(&mut self, place: (u32, u32, icsched_ir::ValueId), width: u32) -> Option<Term> {
        let &(known, held) = self.start.shape.registers.get(&place)?;
        if u32::from(known) != width {
            return None;
        }
        let bits = match held {
            Held::Bits(bits) => bits,
            Held::Address(node, offset) => self.address_of_node(node, offset)?,
            Held::Same(number) => return self.shape_values.get(&number).copied(),
        };
        Some(self.machine.domain.pool.constant(width, bits))
    }

    /// Says what a register holds that is the same as others.
    pub(super) fn shape_learn(&mut self, place: (u32, u32, icsched_ir::ValueId), term: Term) {
        self.shape_registers.insert(place, term);
        if let Some(&(width, Held::Same(number))) = self.start.shape.registers.get(&place)
            && self.machine.domain.pool.width(term) == u32::from(width)
        {
            self.shape_values.entry(number).or_insert(term);
        }
    }

    /// Between which numbers memory and registers hold one, and how far apart they are; which sums are constant.
    pub(super) fn shape_bounds(&mut self) {
        let shape = self.start.shape;
        let mut shown = FxHashSet::default();
        for (&place, &bounds) in &shape.bounds {
            if self.show_bounds(place, bounds) {
                shown.insert(place);
            }
        }
        self.unite_equal(&shown);
        for (&place, &bounds) in &shape.bounds {
            let term = self.shape_term(place, bounds.width);
            let pool = &mut self.machine.domain.pool;
            if let Some(term) = term {
                let holds = bounds.hold(pool, term);
                self.path.constrain(pool, holds);
            }
        }
        for (&(first, second), &bounds) in &shape.differences {
            let (first, second) =
                (self.shape_term(first, bounds.width), self.shape_term(second, second.width(bounds.width)));
            let pool = &mut self.machine.domain.pool;
            if let (Some(first), Some(second)) = (first, second) {
                let second = pool.sext(second, bounds.width.into());
                let difference = pool.binary(BinOp::Sub, first, second);
                let holds = bounds.hold(pool, difference);
                self.path.constrain(pool, holds);
            }
        }
        for equation in &shape.equations {
            let terms = equation.terms.iter().map(|&(place, _)| self.shape_number(place));
            if let Some(terms) = terms.collect::<Option<Vec<Term>>>() {
                let pool = &mut self.machine.domain.pool;
                let holds = equation.holds(pool, &terms);
                self.path.constrain(pool, holds);
            }
        }
        for (turn, &by) in &shape.turns {
            let Some(terms) = turn.places().map(|place| self.shape_number(place)).collect::<Option<Vec<Term>>>() else {
                continue;
            };
            let pool = &mut self.machine.domain.pool;
            if let Some(holds) = turn.holds(pool, &terms, by) {
                self.path.constrain(pool, holds);
            }
        }
    }

    /// What a place holds that is as wide as its number is.
    fn shape_number(&mut self, place: Place) -> Option<Term> {
        match place {
            Place::Memory(_, _, size) => self.shape_term(place, 8 * size),
            Place::Register(thread, depth, value) => {
                let known = self.shape_registers.get(&(thread, depth, value)).copied();
                let width = self.start.shape.registers.get(&(thread, depth, value)).map(|&(width, _)| width);
                known.or_else(|| self.shape_term(place, width?))
            }
        }
    }

    /// What elements of rings hold.
    pub(super) fn shape_elements(&mut self) {
        for (element, &bits) in &self.start.shape.elements {
            let Place::Memory(_, _, size) = element.index else { continue };
            let Some(index) = self.shape_term(element.index, 8 * size) else { continue };
            let length = element.length.place().and_then(|at| self.shape_number(at));
            let Some((root, start)) = self.root_of_node(element.array) else { continue };
            let domain = &mut self.machine.domain;
            let Some(offset) = element.offset(&mut domain.pool, index, length) else { continue };
            let start = domain.pool.constant(64, start);
            let offset = domain.pool.binary(BinOp::Add, offset, start);
            let offset = domain.value(offset);
            let contents = SymArray::of_root(root);
            let held = domain.array_load(&self.path, &contents, UNKNOWN_SIZE, &offset, element.size.into(), true);
            let width = 8 * u32::from(element.size);
            let (held, constant) = (domain.term(&held, width), domain.pool.constant(width, bits));
            let holds = domain.pool.cmp(CmpOp::Eq, held, constant);
            domain.origins().rings.insert(root);
            self.path.constrain(&domain.pool, holds);
        }
    }

    /// Makes one term of equal numbers in memory: one of which it is [shown](Self::show_bounds) that it is small, if there is one.
    fn unite_equal(&mut self, shown: &FxHashSet<Place>) {
        let shape = self.start.shape;
        for equal in shape.equal_numbers() {
            let of = equal.iter().find(|place| shown.contains(place)).unwrap_or(&equal[0]);
            for other in equal.iter().filter(|other| *other != of) {
                let (Place::Memory(_, _, size), Place::Memory(node, at, _)) = (*of, *other) else { continue };
                if let (Some(term), Some((root, start))) = (self.shape_term(*of, 8 * size), self.root_of_node(node)) {
                    let value = self.machine.domain.value(term);
                    let bytes = self.machine.domain.split_bytes(&value, size.into());
                    self.origins().set_known(root, start + at, &bytes);
                }
            }
        }
    }

    /// Makes of a small number that indexes arrays one of which its term alone shows that: the lowest bits, or what remains of them, of what
    /// it was. So a store to an element does not reach what is behind the array.
    /// Says whether it is one.
    fn show_bounds(&mut self, place: Place, bounds: Bounds) -> bool {
        let Place::Memory(node, at, size) = place else { return false };
        let shape = self.start.shape;
        let is_index = self.start.indices.is_some_and(|indices| indices.contain(shape, place));
        if !is_index || !(0..=MAX_INDEX).contains(&bounds.greatest) || bounds.least < 0 {
            return false;
        }
        let (Some(term), Some((root, start))) = (self.shape_term(place, bounds.width), self.root_of_node(node)) else {
            return false;
        };
        let count = bounds.greatest.cast_unsigned() + 1;
        let bits = u64::BITS - bounds.greatest.leading_zeros();
        let pool = &mut self.machine.domain.pool;
        if bits == 0 || pool.as_const(term).is_some() {
            return false;
        }
        let mut low = pool.extract(term, bits - 1, 0);
        if !count.is_power_of_two() {
            let count = pool.constant(bits, count);
            low = pool.binary(BinOp::URem, low, count);
        }
        let shown = pool.zext(low, bounds.width.into());
        let value = self.machine.domain.value(shown);
        let bytes = self.machine.domain.split_bytes(&value, size.into());
        self.origins().set_known(root, start + at, &bytes);
        true
    }

    /// What a place of so many bits holds; nothing if there is none.
    fn shape_term(&mut self, place: Place, width: u8) -> Option<Term> {
        let term = match place {
            Place::Register(thread, depth, value) => {
                let known = self.shape_registers.get(&(thread, depth, value)).copied();
                known.or_else(|| self.shape_register((thread, depth, value), width.into()))
            }
            Place::Memory(node, at, size) => self.root_of_node(node).map(|(root, start)| {
                let bytes = self.machine.domain.initial_bytes(root, start + at, usize::from(size));
                let value = self.machine.domain.join_bytes(&bytes);
                self.machine.domain.term(&value, 8 * u32::from(size))
            }),
        };
        term.filter(|&term| self.machine.domain.pool.width(term) == u32::from(width))
    }

    /// Which threads' handles memory and registers may hold.
    pub(super) fn shape_handles(&mut self) {
        let Some(table) = layout(&self.program) else { return };
        let slots: Vec<u32> = (0..self.start.context.threads.len()).map(|index| self.slot(index)).collect();
        for (&place, threads) in &self.start.shape.handles {
            let Some(handle) = self.shape_term(place, 64) else { continue };
            for (_, &slot) in (0..).zip(&slots).filter(|(thread, _)| !threads.contains(thread)) {
                let pool = &mut self.machine.domain.pool;
                let own = pool.constant(64, address(global_object(table.id), u64::from(slot) * table.stride));
                let differs = pool.ne(handle, own);
                self.path.constrain(pool, differs);
            }
        }
    }

    /// Which numbers memory and registers hold together.
    pub(super) fn shape_combinations(&mut self) {
        let Some(mut all) = self.start.shape.combinations.clone() else { return };
        let mut terms = Vec::new();
        all.retain(|column| {
            let held: Option<Vec<Term>> = column.places().map(|place| self.shape_term(place, column.width)).collect();
            let Some(mut held) = held else { return false };
            if let Some(constant) = column.is {
                let Some(bits) = self.constant_held(constant) else { return false };
                held.push(self.machine.domain.pool.constant(64, bits));
            }
            terms.push((held[0], held.get(1).copied()));
            true
        });
        let pool = &mut self.machine.domain.pool;
        let holds = all.hold(pool, &terms);
        self.path.constrain(pool, holds);
    }

    /// Which addresses memory and registers hold one of.
    pub(super) fn shape_choices(&mut self) {
        let shape = self.start.shape;
        let mut chosen = FxHashMap::default();
        for (&place, choices) in &shape.choices {
            let constants = choices.iter().map(|&held| self.constant_held(held));
            let Some(mut constants) = constants.collect::<Option<Vec<u64>>>() else { continue };
            let Some(term) = self.shape_term(place, 64) else { continue };
            let pool = &mut self.machine.domain.pool;
            let is_one = |&bits: &u64| {
                let constant = pool.constant(64, bits);
                pool.cmp(CmpOp::Eq, term, constant)
            };
            let guards: Vec<Term> = constants.iter().map(is_one).collect();
            let any = pool.or_all(&guards);
            self.path.constrain(pool, any);
            constants.sort_unstable();
            chosen.entry(term).or_insert(constants);
        }
        self.origins().chosen = Arc::new(chosen);
    }

    /// The order in which threads began to wait, as far as it is known. No two of them began at the same time: otherwise neither
    /// would be first in a queue that both wait in, and nobody would be woken.
    pub(super) fn shape_waits(&mut self, threads: &[Thread<SymbolicDomain>]) {
        let begun = threads.iter().filter_map(|t| match t.timestamp {
            Some(SymValue::Term(term)) => Some(term),
            _ => None,
        });
        let begun: Vec<Term> = begun.collect();
        for (n, &first) in (1..).zip(&begun) {
            for &second in &begun[n..] {
                let pool = &mut self.machine.domain.pool;
                let same = pool.cmp(CmpOp::Eq, first, second);
                let differ = pool.not(same);
                self.path.constrain(pool, differ);
            }
        }
        for pair in self.start.shape.waits.windows(2) {
            let of = |n: u32| threads.get(n as usize).and_then(|t| t.timestamp);
            let (Some(SymValue::Term(first)), Some(SymValue::Term(second))) = (of(pair[0]), of(pair[1])) else {
                continue;
            };
            let before = self.machine.domain.pool.cmp(CmpOp::Slt, first, second);
            self.path.constrain(&self.machine.domain.pool, before);
        }
    }
}

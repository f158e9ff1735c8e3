//! Which thread is which in the epoch that follows: of threads with equal stacks any order is right for which what the
//! epoch is searched with holds (Bergan 3.4.1.3). Those are tried that numbers and addresses do not contradict.

use std::collections::BTreeSet;

use icsched_facts::{Held, Node, Place};
use icsched_ir::{EntityId as _, ValueId};
use icsched_machine::{Machine, State, ThreadId};
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};

use crate::budgets::BUDGETS;
use crate::known::{End, Known};

/// The orders in which a path's threads may be those of the epoch that follows, at least one; that of their slots is
/// first, if it may be.
pub(crate) fn orders(
    known: &Known,
    machine: &mut Machine<SymbolicDomain>,
    state: &State<SymbolicDomain>,
) -> Vec<Vec<ThreadId>> {
    let code = machine.code.clone();
    let by_slot = code.threads_in_order(state);
    if machine.options.marks.concrete_threads {
        return vec![by_slot];
    }
    let place = |id: ThreadId| (state.stack(&code, id), state.thread(id).folds());
    let places: Vec<_> = by_slot.iter().map(|&id| place(id)).collect();
    let mut fitting: Vec<Vec<usize>> = Vec::new();
    for position in 0..by_slot.len() {
        let alike: Vec<usize> = (0..by_slot.len()).filter(|&other| places[other] == places[position]).collect();
        let fits = |&other: &usize| {
            let mut threads = by_slot.clone();
            threads.swap(position, other);
            alike.len() == 1 || !contradicts(known, machine, state, threads, position)
        };
        let mut found: Vec<usize> = alike.iter().copied().filter(fits).collect();
        found.sort_by_key(|&other| other != position);
        fitting.push(found);
    }
    let mut found = Vec::new();
    extend(&fitting, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return vec![by_slot];
    }
    found.into_iter().map(|order| order.into_iter().map(|at| by_slot[at]).collect()).collect()
}

/// All ways to give each position another one of those that fit there.
fn extend(fitting: &[Vec<usize>], order: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    let Some(here) = fitting.get(order.len()) else {
        found.push(order.clone());
        return;
    };
    for &thread in here {
        if found.len() < BUDGETS.orders && !order.contains(&thread) {
            order.push(thread);
            extend(fitting, order, found);
            order.pop();
        }
    }
}

/// Whether the thread at a position holds another number or address there than the shape says. What neither says is
/// left out.
fn contradicts(
    known: &Known,
    machine: &mut Machine<SymbolicDomain>,
    state: &State<SymbolicDomain>,
    threads: Vec<ThreadId>,
    position: usize,
) -> bool {
    let mut end = End::new(known, machine, state, threads);
    places(known, u32::try_from(position).expect("threads are few")).into_iter().any(|(place, width, held)| {
        let expected = match held {
            Held::Bits(bits) => Some(bits),
            Held::Address(Node::Heap(_), _) | Held::Same(_) => None,
            Held::Address(node, offset) => end.address(node, offset),
        };
        let value = end.value(place, width);
        let found = value.and_then(|term| match end.constant(term) {
            SymValue::Constant(bits) => Some(bits),
            SymValue::Term(_) => None,
        });
        matches!((expected, found), (Some(expected), Some(found)) if expected != found)
    })
}

/// The places of the thread at a position, and those outside of the heap that hold addresses of its objects; with their
/// widths.
fn places(known: &Known, position: u32) -> BTreeSet<(Place, u32, Held)> {
    let shape = known.shape();
    let is_own = |node: Node| match node {
        Node::ThreadLocal(_, thread) | Node::Thread(thread) | Node::Local(thread, ..) => thread == position,
        Node::Global(_) | Node::Heap(_) => false,
    };
    let first = ValueId::from_index(0);
    let registers = shape.registers.range((position, 0, first)..(position + 1, 0, first));
    let mut found: BTreeSet<(Place, u32, Held)> = registers
        .map(|(&(thread, depth, value), &(width, held))| (Place::Register(thread, depth, value), width.into(), held))
        .collect();
    for ((node, at), byte) in shape.bytes.iter().filter(|((node, _), _)| is_own(*node)) {
        found.insert((Place::Memory(node, at, 1), 8, Held::Bits(byte.into())));
    }
    for (&(node, at), &(size, held)) in &shape.words {
        let to_own = matches!(held, Held::Address(to, _) if is_own(to));
        if is_own(node) || (to_own && matches!(node, Node::Global(_))) {
            found.insert((Place::Memory(node, at, size), 8 * u32::from(size), held));
        }
    }
    found
}

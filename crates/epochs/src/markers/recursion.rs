//! Markers for recursion, for threads that create threads, and for functions that library models call.
//!
//! A run of recursive calls goes down a cycle of calls and up again. Between two entries of the cycle a thread
//! executes the stretch from a function's entry to the call, and between two returns that from behind the call to the
//! function's return. A cycle that goes down without a marker gets one at an entry if it synchronises anywhere, and
//! one that goes up behind a call if some stretch on the way up does: stacks are folded where an epoch ends, so that
//! the way up ends one at each return, but nothing else ends a way down that does nothing. What a stretch calls and
//! comes back from counts as part of it.

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, Program, ProgramPoint, scc};
use icsched_slicing::control::Control;

use super::code::{Code, Kinds, is_library};
use super::cover::{ways_down, ways_up};
use super::marker::{MarkerKind, entry};
use super::placer::Placer;

/// A call within a set of functions that call each other, or the creation of a thread that runs one.
#[derive(Copy, Clone, Debug)]
struct Call {
    from: FuncId,
    to: FuncId,
    block: BlockId,
    inst: u32,
    creates: bool,
}

/// A set of functions that call each other.
pub(super) struct Recursion<'c> {
    /// Ascending.
    functions: &'c [FuncId],
}

impl<'c> Recursion<'c> {
    pub(super) fn new(functions: &'c [FuncId]) -> Self {
        Self { functions }
    }

    /// Marks so that every cycle of calls executes a marker on its way down, if its functions synchronise, and on its
    /// way up, if that does.
    pub(super) fn place(&self, placer: &mut Placer<'_>) {
        let calls = self.calls(placer);
        if calls.is_empty() || self.functions.iter().all(|&f| is_library(&placer.program.functions[f])) {
            return;
        }
        if self.functions.iter().any(|&func| placer.needs_bound(func)) {
            for (_, cycle) in self.cycles(&calls, |call| stretch_down(placer, call)) {
                for func in self.entries(placer, &cycle) {
                    placer.mark(entry(func), MarkerKind::Recursion);
                }
            }
        }
        let own = |f: &&FuncId| !is_library(&placer.program.functions[**f]);
        let functions: Vec<FuncId> = self.functions.iter().filter(own).copied().collect();
        functions.iter().for_each(|&func| placer.update(func));
        for (kinds, cycle) in self.cycles(&calls, |call| stretch_up(placer, call)) {
            if kinds.iter().all(|k| k.is_empty()) {
                continue;
            }
            for (kinds, call) in kinds.into_iter().zip(cycle) {
                let leaves = is_library(&placer.program.functions[call.to]);
                if !is_library(&placer.program.functions[call.from]) && (leaves || !kinds.is_empty()) {
                    let behind = ProgramPoint { func: call.from, block: call.block, inst: call.inst + 1 };
                    placer.mark(behind, MarkerKind::Recursion);
                }
            }
        }
    }

    fn calls(&self, placer: &Placer<'_>) -> Vec<Call> {
        let mut calls = Vec::new();
        for &from in self.functions {
            if is_library(&placer.program.functions[from]) && placer.code.never_returns(from) {
                continue;
            }
            for site in placer.code.sites(from) {
                let called = site.targets.iter().map(|&to| (to, false));
                for (to, creates) in called.chain(site.starts.iter().map(|&to| (to, true))) {
                    if self.functions.binary_search(&to).is_ok() {
                        calls.push(Call { from, to, block: site.block, inst: site.inst, creates });
                    }
                }
            }
        }
        calls
    }

    /// The sets of calls that form cycles, with what each stretch does. Calls without a stretch (`None`) break cycles.
    fn cycles(&self, calls: &[Call], stretch: impl Fn(&Call) -> Option<Kinds>) -> Vec<(Vec<Kinds>, Vec<Call>)> {
        let open: Vec<(Kinds, Call)> = calls.iter().filter_map(|call| Some((stretch(call)?, *call))).collect();
        let at = |func: FuncId| self.functions.binary_search(&func).expect("calls are within the set");
        let mut successors = vec![Vec::new(); self.functions.len()];
        for (_, call) in &open {
            successors[at(call.from)].push(at(call.to));
        }
        let found = scc::components(self.functions.len(), |_| true, |f| successors[f].iter().copied());
        let within = |component: &[usize], func: FuncId| component.binary_search(&at(func)).is_ok();
        found
            .iter()
            .map(|c| open.iter().filter(|(_, call)| within(c, call.from) && within(c, call.to)).copied().unzip())
            .filter(|(_, cycle): &(Vec<Kinds>, Vec<Call>)| !cycle.is_empty())
            .collect()
    }

    /// Functions of the program such that every cycle of these calls enters one: those that library models call, and
    /// the targets of retreating calls of a depth-first search through the others.
    fn entries(&self, placer: &Placer<'_>, calls: &[Call]) -> Vec<FuncId> {
        let library = |func: FuncId| is_library(&placer.program.functions[func]);
        let called_back = calls.iter().filter(|call| library(call.from) && !library(call.to)).map(|call| call.to);
        let mut found: Vec<FuncId> = called_back.collect();
        let mut roots: Vec<FuncId> = calls.iter().map(|call| call.from).filter(|&f| !library(f)).collect();
        // Where the cycle is entered from outside, an entry is on every way.
        let is_inner = |f: FuncId| {
            let outside = |caller: &FuncId| self.functions.binary_search(caller).is_err();
            !placer.control.calls.callers(f).iter().any(outside) && placer.program.main != Some(f)
        };
        roots.sort_unstable_by_key(|&f| (is_inner(f), f));
        roots.dedup();
        let successors = |func: FuncId| calls.iter().filter(move |c| c.from == func && !library(c.to)).map(|c| c.to);
        let count = placer.program.functions.len();
        let (mut seen, mut open) = (FixedBitSet::with_capacity(count), FixedBitSet::with_capacity(count));
        for root in roots {
            if seen.put(root.index()) {
                continue;
            }
            open.insert(root.index());
            let mut path: Vec<(FuncId, Vec<FuncId>)> = vec![(root, successors(root).collect())];
            while let Some((func, left)) = path.last_mut() {
                match left.pop() {
                    None => {
                        open.remove(func.index());
                        path.pop();
                    }
                    Some(next) if open.contains(next.index()) => found.push(next),
                    Some(next) if !seen.put(next.index()) => {
                        open.insert(next.index());
                        path.push((next, successors(next).collect()));
                    }
                    Some(_) => {}
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What a thread does from the caller's entry to the call if it executes no marker on the way; `None` if there is
/// always one.
fn stretch_down(placer: &Placer<'_>, call: &Call) -> Option<Kinds> {
    let own = if call.creates { Kinds::CREATE } else { Kinds::default() };
    if !placer.prune {
        return Some(placer.code.kinds(call.from).or(own));
    }
    let in_block = |inst: u32| inst < call.inst;
    let marked = placer.markers_of(call.from).any(|p| p.block == call.block && p.inst <= call.inst);
    let blocks = ways_down(&placer.control.function(call.from).cfg, call.block, &placer.covering(call.from));
    stretch(placer, call, marked, in_block, &blocks?).map(|kinds| kinds.or(own))
}

/// The same from behind the call to the caller's return.
fn stretch_up(placer: &Placer<'_>, call: &Call) -> Option<Kinds> {
    if call.creates || placer.code.never_returns(call.to) {
        return None;
    }
    let in_block = |inst: u32| inst > call.inst;
    let marked = placer.prune && placer.markers_of(call.from).any(|p| p.block == call.block && p.inst > call.inst);
    let function = &placer.program.functions[call.from];
    let covering = if placer.prune { placer.covering(call.from) } else { FixedBitSet::new() };
    let blocks = ways_up(function, &placer.control.function(call.from).cfg, call.block, &covering);
    stretch(placer, call, marked, in_block, &blocks?)
}

fn stretch(
    placer: &Placer<'_>,
    call: &Call,
    marked: bool,
    in_block: impl Fn(u32) -> bool,
    blocks: &FixedBitSet,
) -> Option<Kinds> {
    if marked {
        return None;
    }
    let mut kinds = Kinds::default();
    for site in placer.code.sites(call.from) {
        let here = site.block == call.block && in_block(site.inst);
        if here && placer.executes_marker(site) {
            return None;
        }
        if here || blocks.contains(site.block.index()) {
            kinds = kinds.or(placer.code.kinds_of(site));
        }
    }
    Some(kinds.without(placer.bounded()))
}

/// The functions of the program that library models call in a loop, or by way of models that they call in one.
pub(super) fn repeated_callbacks(program: &Program, control: &Control, code: &Code) -> FixedBitSet {
    let mut repeated = FixedBitSet::with_capacity(program.functions.len());
    let mut work: Vec<FuncId> = Vec::new();
    let models = || program.functions.iter().filter(|(_, f)| is_library(f) && !f.is_declaration()).map(|(id, _)| id);
    let visit = |func: FuncId, all: bool, repeated: &mut FixedBitSet, work: &mut Vec<FuncId>| {
        let loops = &control.function(func).loops;
        for site in code.sites(func).iter().filter(|s| all || loops.innermost(s.block).is_some()) {
            for &target in &site.targets {
                if !repeated.put(target.index()) && is_library(&program.functions[target]) {
                    work.push(target);
                }
            }
        }
    };
    for func in models() {
        visit(func, control.calls.is_recursive(func), &mut repeated, &mut work);
    }
    while let Some(func) = work.pop() {
        // What ends the thread or the process does so once.
        if !program.functions[func].is_declaration() && !code.never_returns(func) {
            visit(func, true, &mut repeated, &mut work);
        }
    }
    repeated
}

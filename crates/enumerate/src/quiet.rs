//! Loops and recursions that do not synchronise, and so can be replaced by what they may do (input abstraction, Bergan 3.4.2).

use std::sync::OnceLock;

use icsched_ir::{BlockId, FuncId, Op, Program, ProgramPoint};
use icsched_symex::abstraction::Abstractions;
use serde::{Deserialize, Serialize};

use crate::slice::Statics;

/// What inputs make go round too often.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Replaceable {
    /// A loop, by its function and header.
    Loop(FuncId, BlockId),
    /// Functions that call each other, by the first of them.
    Recursion(FuncId),
}

/// Functions that call each other, none of which synchronises and goes on.
#[derive(Debug)]
pub(crate) struct QuietRecursion {
    /// The functions, ascending.
    pub(crate) functions: Vec<FuncId>,
    /// Whether it may make objects of synchronisation of which something is known that is [forgotten](crate::control::FunctionControl::forgets_objects).
    pub(crate) initialises: bool,
    /// Whether it may come to what is not supported, as far as the call graph tells.
    pub(crate) may_fail: bool,
    /// The same, as far as anybody knows, once that was asked.
    pub(crate) fails: OnceLock<bool>,
}

impl QuietRecursion {
    /// Whether it may come to what is not supported, so that calls that are replaced have to be looked into.
    pub(crate) fn fails(&self, statics: &Statics<'_>) -> bool {
        let Some(aliases) = statics.aliases else { return self.may_fail };
        let may_fail = |point: ProgramPoint| {
            let known = aliases.instruction(&aliases.candidates(point.func, None), point);
            known.is_none_or(|known| known.synchronises)
        };
        self.may_fail
            && *self.fails.get_or_init(|| self.functions.iter().any(|&f| calls(statics.program, f).any(may_fail)))
    }

    /// Whether calls of it can be replaced: what takes any number of arguments is not looked into.
    fn can_be_replaced(&self, statics: &Statics<'_>) -> bool {
        let functions = &statics.program.functions;
        !self.functions.iter().any(|&f| functions[f].varargs) || !self.fails(statics)
    }
}

/// The calls in a function.
pub(crate) fn calls(program: &Program, func: FuncId) -> impl Iterator<Item = ProgramPoint> {
    program.functions[func].blocks.iter().flat_map(move |(block, body)| {
        let all = (0..).zip(&body.insts).filter(|(_, i)| matches!(i.op, Op::Call { .. }));
        all.map(move |(inst, _)| ProgramPoint { func, block, inst })
    })
}

/// Whether it is replaced.
pub(crate) fn replaces(replaced: &Abstractions, of: Replaceable) -> bool {
    match of {
        Replaceable::Loop(func, header) => replaced.loops.contains_key(&(func, header)),
        Replaceable::Recursion(func) => replaced.recursions.contains_key(&func),
    }
}

/// When it helps to replace a loop.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Helps {
    /// If it is known then what the loop writes.
    IfWritesAreKnown,
    /// If there is anything that it does not write.
    Always,
}

/// When something may be replaced.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Wanted {
    /// Nothing else helps, or inputs behind it would be cut off.
    pub(crate) last_resort: bool,
    /// Activations of a recursion that there have to be.
    pub(crate) activations: usize,
}

/// The innermost loop or recursion around these points, innermost first, that does not synchronise and was not replaced.
///
/// What a semaphore is like behind a replaced loop that initialises it is not known, and deadlocks come of that; nor, of an array of locks, which of
/// them is meant. So such a loop counts only at its `last_resort`: where it would be cut, or nothing else helps. A recursion counts if the points are in enough activations of it:
/// otherwise what goes round is around it.
pub(crate) fn quiet_code(
    statics: &Statics<'_>,
    is_replaced: impl Fn(&Replaceable) -> bool,
    wanted: Wanted,
    points: &[ProgramPoint],
) -> Option<Replaceable> {
    points.iter().find_map(|p| {
        let around = || quiet_loop(statics, &is_replaced, wanted, *p);
        around().or_else(|| quiet_recursion(statics, &is_replaced, wanted, (p.func, points)))
    })
}

fn quiet_loop(
    statics: &Statics<'_>,
    is_replaced: &impl Fn(&Replaceable) -> bool,
    wanted: Wanted,
    p: ProgramPoint,
) -> Option<Replaceable> {
    let facts = statics.control.function(p.func);
    let loops = facts.loops.around(p.block).map(|l| facts.loops.get(l));
    let quiet = loops
        .filter(|l| l.entries.len() == 1 && l.blocks.is_disjoint(&facts.synchronises))
        .filter(|l| wanted.last_resort || !facts.forgets_objects(&l.blocks));
    quiet.map(|l| Replaceable::Loop(p.func, l.header)).find(|l| !is_replaced(l))
}

/// The loop around a point that no other loop is around, if it does not synchronise, and makes nothing of which something is to be known.
pub(crate) fn outermost_quiet_loop(statics: &Statics<'_>, p: ProgramPoint) -> Option<Replaceable> {
    let facts = statics.control.function(p.func);
    let l = facts.loops.get(facts.loops.around(p.block).last()?);
    let is_quiet =
        l.entries.len() == 1 && l.blocks.is_disjoint(&facts.synchronises) && !facts.forgets_objects(&l.blocks);
    is_quiet.then_some(Replaceable::Loop(p.func, l.header))
}

fn quiet_recursion(
    statics: &Statics<'_>,
    is_replaced: &impl Fn(&Replaceable) -> bool,
    wanted: Wanted,
    (func, points): (FuncId, &[ProgramPoint]),
) -> Option<Replaceable> {
    let recursion = statics.control.quiet_recursion(func)?;
    let found = Replaceable::Recursion(*recursion.functions.first()?);
    let is_inside = |p: &&ProgramPoint| recursion.functions.binary_search(&p.func).is_ok();
    let is_wanted = !is_replaced(&found)
        && points.iter().filter(is_inside).count() >= wanted.activations
        && (wanted.last_resort || !recursion.initialises)
        && recursion.can_be_replaced(statics);
    is_wanted.then_some(found)
}

/// Whether a recursion that can be replaced, and was not, is entered more often than this.
pub(crate) fn deep_recursion(
    statics: &Statics<'_>,
    is_replaced: impl Fn(&Replaceable) -> bool,
    wanted: Wanted,
    points: &[ProgramPoint],
) -> Option<Replaceable> {
    if points.len() < wanted.activations {
        return None;
    }
    let mut seen: Option<&QuietRecursion> = None;
    points.iter().find_map(|p| {
        let recursion = statics.control.quiet_recursion(p.func)?;
        let is_seen = seen.replace(recursion).is_some_and(|before| before.functions == recursion.functions);
        if is_seen { None } else { quiet_recursion(statics, &is_replaced, wanted, (p.func, points)) }
    })
}

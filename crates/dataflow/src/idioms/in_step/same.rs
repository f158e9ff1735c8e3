//! What is the same for two threads in step, besides registers of their frames.
//!
//! These are parameters that are known to be equal otherwise, and registers of activations that have returned.

use icsched_ir::{BlockId, Definition, EntityId as _, ValueId};

use super::agreement::Agreement;
use super::free::FreeWays;
use super::way::{Equal, Way};
use crate::code::returned;
use crate::symbol::{CallPath, FrameIndex, Symbol};
use crate::view::ProgramView;

/// Which parameters of a frame are the same in both threads.
pub(super) fn same_params(
    view: &mut ProgramView<'_, '_>,
    ways: &[Way<'_>; 2],
    depth: usize,
    known: &Equal,
) -> Vec<bool> {
    let function = &view.program.functions[ways[0].frames[depth].1.func];
    let same = |&param: &ValueId| {
        let [a, b] = [0, 1].map(|side: usize| {
            let position = ways[side].first + depth;
            let frame = FrameIndex::try_from(position).expect("stacks are short");
            let held = ways[side].walk.solutions[position].register(param);
            held.unwrap_or_else(|| view.pool.symbol(Symbol::new(frame, param), function.values[param].ty.bits()))
        });
        known.makes_equal(&mut view.pool, a, b)
    };
    function.params.iter().map(same).collect()
}

/// The registers of what a frame has called that are the same in both threads, of those that anything is said of.
pub(super) fn same_inside(
    view: &mut ProgramView<'_, '_>,
    free: &mut FreeWays,
    ways: &[Way<'_>; 2],
    at: usize,
    found: &Agreement,
) -> Vec<(Symbol, u32)> {
    let structure = view.structure(ways[0].frames[at].1.func);
    let points = [ways[0].frames[at].1, ways[1].frames[at].1];
    let mut same = Vec::new();
    for (symbol, width) in ways[0].named_inside(&view.pool, at) {
        let Some(path) = symbol.inside.map(|path| view.pool.path(path).clone()) else { continue };
        let (call, calls) = (path.calls[0], &path.calls);
        let is_before = points.iter().all(|&p| structure.is_before(call, p));
        let is_defined = always_executes(view, &path, symbol.value);
        if !is_before || !is_defined || !found.is_same_inside(calls, symbol.value) {
            continue;
        }
        let definition = Some((call.block, call.inst as usize));
        let goes_on = [(0, 1), (1, 0)].iter().any(|&sides| free.comes_back(view, ways, sides, at, definition));
        if !goes_on {
            same.push((symbol, width));
        }
    }
    same
}

/// Whether a register of an activation was defined, however it was passed through.
fn always_executes(view: &mut ProgramView<'_, '_>, path: &CallPath, value: ValueId) -> bool {
    let structure = view.structure(path.func);
    let defined = match structure.definition(value) {
        Some(Definition::Argument(_)) => Some(BlockId::from_index(0)),
        Some(Definition::Parameter(block, _) | Definition::Inst(block, _)) => Some(block),
        None => None,
    };
    let calls = path.calls.iter().skip(1).map(|call| (call.func, Some(call.block)));
    calls.chain([(path.func, defined)]).all(|(func, block)| {
        let structure = view.structure(func);
        let mut blocks = view.program.functions[func].blocks.iter();
        blocks.all(|(end, body)| {
            let returns = returned(&body.terminator).is_some() && structure.cfg.is_reachable(end);
            !returns || block.is_some_and(|block| structure.dominators.dominates(block, end))
        })
    })
}

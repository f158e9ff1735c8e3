//! What may be executed behind a point, and once there are threads.

use icsched_ir::{BlockId, ProgramPoint, Terminator};
use icsched_pointsto::InstanceId;
use rustc_hash::FxHashSet;

use crate::code::point;
use crate::icfg::EdgeKind;
use crate::view::ProgramView;

/// Whether a point may be executed when there are, or have been, several threads.
pub(crate) fn is_late(view: &ProgramView<'_, '_>, instance: InstanceId, at: ProgramPoint) -> bool {
    if view.startup.entered_late(instance) {
        return true;
    }
    let edges = view.icfg.edges(instance).iter();
    let creating = edges.filter(|e| e.kind != EdgeKind::Call || view.interference.may_create(e.to));
    creating.map(|e| e.at).any(|from| behind(view, from).0.contains(&at))
}

/// The instructions of a function that may be executed behind a point, itself only if control comes back to it; and
/// whether it may return.
pub(crate) fn behind(view: &ProgramView<'_, '_>, at: ProgramPoint) -> (Vec<ProgramPoint>, bool) {
    let function = &view.program.functions[at.func];
    let mut points: Vec<ProgramPoint> = Vec::new();
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut work = vec![(at.block, at.inst as usize + 1)];
    let mut returns = false;
    while let Some((block, first)) = work.pop() {
        let body = &function.blocks[block];
        points.extend((first..body.insts.len()).map(|index| point(at.func, block, index)));
        returns |= matches!(body.terminator, Terminator::Return(_));
        for edge in body.terminator.edges() {
            if seen.insert(edge.target) {
                work.push((edge.target, 0));
            }
        }
    }
    (points, returns)
}

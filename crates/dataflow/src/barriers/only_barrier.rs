//! Whether all waits of a program are at one barrier.

use icsched_ir::Op;

use super::arrivals::{arrivals, waits_once};
use crate::patterns::cell::Cell;
use crate::place::Frames;
use crate::reaching::facts::Entry;
use crate::reaching::solved::Reaching;

/// The barrier that all waits of the program are at.
pub(super) fn find_only_barrier(reaching: &mut Reaching<'_, '_>) -> Option<Cell> {
    let mut only: Option<Cell> = None;
    for instance in reaching.view.points_to.instances().ids() {
        if waits_once(&mut reaching.view, instance) {
            continue;
        }
        if !arrivals(&reaching.view, instance).is_empty() {
            return None;
        }
        let edges: Vec<_> = reaching.view.icfg.edges(instance).to_vec();
        let waits: Vec<_> = edges.into_iter().filter(|e| waits_once(&mut reaching.view, e.to)).collect();
        if waits.is_empty() {
            continue;
        }
        reaching.summarise_callees(&[instance]);
        let solution = reaching.solve(Frames::Summary(instance), &Entry::default());
        let mut solver = reaching.resume(&solution);
        for edge in waits {
            let inst = &solver.function.blocks[edge.at.block].insts[edge.at.inst as usize];
            let Op::Call { args, .. } = &inst.op else { return None };
            let place = solver.place(*args.first()?, 1)?;
            let cell = solver.cell(place)?;
            if only.is_some_and(|known| known != cell) {
                return None;
            }
            only = Some(cell);
        }
    }
    only
}

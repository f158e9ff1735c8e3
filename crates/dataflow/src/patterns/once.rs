//! Code that is executed once at most in a run of the program.

use icsched_ir::{BlockId, LoopForest};
use icsched_pointsto::InstanceId;

use crate::budgets::BUDGETS;
use crate::icfg::EdgeKind;
use crate::view::ProgramView;

/// Whether a block of an instance is executed once at most in a run of the program.
pub(crate) fn is_executed_once(view: &mut ProgramView<'_, '_>, instance: InstanceId, block: BlockId) -> bool {
    let func = view.points_to.instances()[instance].func;
    let loops = LoopForest::new(&view.structure(func).cfg);
    loops.innermost(block).is_none() && is_called_once(view, instance, 0)
}

/// Whether a function is called once at most in a run of the program; `depth` calls were looked at already.
pub(crate) fn is_called_once(view: &mut ProgramView<'_, '_>, instance: InstanceId, depth: u32) -> bool {
    if view.points_to.called_from_outside().any(|i| i == instance)
        || view.interference.may_return_twice(instance)
        || depth > BUDGETS.once_calls
    {
        return false;
    }
    let incoming: Vec<_> = view.icfg.incoming(instance).collect();
    let is_main = view.program.main.and_then(|f| view.points_to.shared_instance(f)) == Some(instance);
    match incoming[..] {
        [] => is_main,
        [(caller, edge)] if !is_main && edge.kind == EdgeKind::Call => {
            let func = view.points_to.instances()[caller].func;
            let loops = LoopForest::new(&view.structure(func).cfg);
            loops.innermost(edge.at.block).is_none() && is_called_once(view, caller, depth + 1)
        }
        _ => false,
    }
}

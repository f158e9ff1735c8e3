//! What points-to analysis calls variables.

use icsched_ir::{FuncId, GlobalId, ValueId};
use icsched_pointsto::{ObjectId as Abstract, ObjectKind, PointsTo};
use rustc_hash::FxHashMap;

/// The abstract objects of a program's variables; a local one has a name in each instance of its function.
#[derive(Clone, Default, Debug)]
pub(crate) struct Variables {
    pub(crate) globals: FxHashMap<GlobalId, Abstract>,
    pub(crate) locals: FxHashMap<(FuncId, ValueId), Vec<Abstract>>,
}

impl Variables {
    /// O(objects of points-to analysis).
    pub(crate) fn new(points_to: &PointsTo) -> Self {
        let mut variables = Self::default();
        for (id, object) in points_to.objects().iter() {
            match object.kind {
                ObjectKind::Global(global) => _ = variables.globals.insert(global, id),
                ObjectKind::Stack { instance, value } => {
                    let func = points_to.instances()[instance].func;
                    variables.locals.entry((func, value)).or_default().push(id);
                }
                _ => {}
            }
        }
        variables
    }

    pub(crate) fn global(&self, global: GlobalId) -> &[Abstract] {
        self.globals.get(&global).map_or(&[], std::slice::from_ref)
    }

    pub(crate) fn local(&self, func: FuncId, value: ValueId) -> &[Abstract] {
        self.locals.get(&(func, value)).map_or(&[], Vec::as_slice)
    }
}

//! Names for people.

use std::fmt::Write as _;

use icsched_ir::ProgramPoint;
use icsched_pointsto::{InstanceId, Location, ObjectKind as AbstractKind};

use super::watch::Watch;

/// Members of a set that a message lists.
const LISTED: usize = 12;

impl Watch<'_> {
    /// `queue.c:12, push`.
    pub(super) fn place(&self, at: ProgramPoint) -> String {
        let name = &self.program.functions[at.func].name;
        match at.loc(self.program) {
            Some(loc) => format!("{}, {name}", self.program.describe_loc(loc)),
            None => format!("{name} {}/{}", at.block, at.inst),
        }
    }

    /// `push`, or `push for queue.c:12, add` when the instance is for one call.
    pub(super) fn instance(&self, instance: InstanceId) -> String {
        let what = self.points_to.instances()[instance];
        let name = &self.program.functions[what.func].name;
        match what.caller {
            Some((_, at)) => format!("`{name}` for {}", self.place(at)),
            None => format!("`{name}`"),
        }
    }

    pub(super) fn object(&self, kind: AbstractKind) -> String {
        match kind {
            AbstractKind::Global(g) => format!("`{}`", self.program.globals[g].name),
            AbstractKind::Function(f) => format!("function `{}`", self.program.functions[f].name),
            AbstractKind::Stack { instance, value } => {
                let func = self.points_to.instances()[instance].func;
                let name = self.program.functions[func].values[value].name.as_deref().unwrap_or("a local");
                format!("`{name}` of {}", self.instance(instance))
            }
            AbstractKind::Heap { instance, at } => {
                format!("heap from {} in {}", self.place(at), self.instance(instance))
            }
            AbstractKind::VarArgs(instance) => format!("the variable arguments of {}", self.instance(instance)),
            other => format!("{other:?}"),
        }
    }

    pub(super) fn list(&self, set: &[Location]) -> String {
        let mut text = String::from("{");
        for (i, location) in set.iter().take(LISTED).enumerate() {
            let object = self.object(self.points_to.objects()[location.object].kind);
            let _ = write!(text, "{}{object} {}", if i > 0 { ", " } else { "" }, location.offsets);
        }
        if set.len() > LISTED {
            let _ = write!(text, ", and {} more", set.len() - LISTED);
        }
        text + "}"
    }
}

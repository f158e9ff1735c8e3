//! Names of the inputs that a slice has read.
//!
//! Inputs of one name are told from each other by how many were read before. So code that may read an input of such a
//! name matters as much as code that writes what is live.

use icsched_ir::{Callee, FuncId, GlobalId, Op};
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::Trace;
use rustc_hash::FxHashSet;

use crate::provenance::Base;
use crate::statics::Statics;

/// Names of inputs in the slice, as their bytes; `None` for one whose name is not known.
#[derive(Default)]
pub(crate) struct InputNames<'p>(FxHashSet<Option<&'p [u8]>>);

impl<'p> InputNames<'p> {
    /// What an instruction in the slice reads from outside is told from other inputs of its name by how many were
    /// read before: code that may read one of them matters from here up.
    pub(crate) fn add(&mut self, statics: &Statics<'p>, trace: &Trace, (frame, func): (FrameId, FuncId), op: &Op) {
        let program = statics.program;
        match op {
            Op::Call { callee: Callee::Intrinsic(i), args } => {
                let Some(name) = i.input_name() else { return };
                let mut found = Vec::new();
                let bases = statics.modref.name(program, func, args[name]);
                let is_known = globals(statics, trace, frame, bases.bases(), &mut found);
                self.0.extend(found.iter().map(|&global| Some(&*program.globals[global].data)));
                self.0.extend((!is_known).then_some(None));
            }
            Op::Call { callee: Callee::Direct(f), .. } if program.functions[*f].is_declaration() => {
                self.0.insert(None);
            }
            _ => {}
        }
    }

    /// Whether an instruction reads an input of a name that counts.
    pub(crate) fn counts(
        &self,
        statics: &Statics<'p>,
        trace: &Trace,
        (frame, func): (FrameId, FuncId),
        op: &Op,
    ) -> bool {
        let Op::Call { callee: Callee::Intrinsic(i), args } = op else { return false };
        let name = i.input_name().filter(|_| !self.0.is_empty());
        let bases = name.map(|at| statics.modref.name(statics.program, func, args[at]));
        let counts =
            |name: &[Base]| name.is_empty() || name.iter().any(|&base| self.may_read(statics, trace, frame, base));
        bases.is_some_and(|name| counts(name.bases()))
    }

    /// Whether an input of a name that starts at `base`, in terms of `frame`'s values, may be one of those that count.
    pub(crate) fn may_read(&self, statics: &Statics<'p>, trace: &Trace, frame: FrameId, base: Base) -> bool {
        let mut names = Vec::new();
        let globals_of = &statics.program.globals;
        !self.0.is_empty()
            && (self.0.contains(&None)
                || !globals(statics, trace, frame, &[base], &mut names)
                || names.iter().any(|&name| self.0.contains(&Some(&*globals_of[name].data))))
    }
}

/// Adds the globals that pointers of `bases` may point to, in terms of `frame`'s values; returns whether these are all.
fn globals(statics: &Statics<'_>, trace: &Trace, frame: FrameId, bases: &[Base], found: &mut Vec<GlobalId>) -> bool {
    !bases.is_empty()
        && bases.iter().all(|&base| match base {
            Base::Global(global) => {
                found.push(global);
                true
            }
            Base::Alloca(_) | Base::Unknown => false,
            Base::Param(number) => {
                let Some((caller, point)) = trace.frames[&frame].caller else { return false };
                let block = &statics.program.functions[point.func].blocks[point.block];
                let Some(Op::Call { args, .. }) = block.insts.get(point.inst as usize).map(|i| &i.op) else {
                    return false;
                };
                let Some(&arg) = args.get(number as usize) else { return false };
                globals(statics, trace, caller, statics.modref.provenance(point.func, arg).bases(), found)
            }
        })
}

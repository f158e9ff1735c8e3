//! What registers of activations that have returned held last, for symbols that are about them.

use std::collections::BTreeMap;
use std::rc::Rc;

use icsched_dataflow::CallPath;
use icsched_ir::{EntityId as _, ProgramPoint, Terminator, ValueId};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::{FrameId, Machine, State};

#[derive(Debug)]
struct Activation {
    frame: FrameId,
    func: icsched_ir::FuncId,
    registers: Vec<u64>,
}

/// Per frame and call, the activation that was made last, of those that have returned.
#[derive(Clone, Default, Debug)]
pub(crate) struct Returned(BTreeMap<(FrameId, ProgramPoint), Rc<Activation>>);

impl Returned {
    /// To be called in front of each instruction of a run.
    pub(crate) fn watch(&mut self, machine: &Machine<ConcreteDomain>, state: &State<ConcreteDomain>) {
        let thread = state.current_thread();
        let [.., caller, frame] = &thread.frames[..] else { return };
        let at = machine.code.point(frame.func, frame.pc);
        let function = &machine.program.functions[at.func];
        let body = &function.blocks[at.block];
        if !matches!(body.terminator, Terminator::Return(_)) || (at.inst as usize) < body.insts.len() {
            return;
        }
        let points = state.stack(&machine.code, thread.id).0;
        let Some(&[.., call, _]) = points.last_chunk::<2>() else { return };
        let base = frame.base as usize;
        let registers = thread.registers[base..base + function.values.len()].to_vec();
        let activation = Activation { frame: frame.id, func: frame.func, registers };
        self.0.insert((caller.id, call), Rc::new(activation));
    }

    /// What a register held last in an activation that a frame has made.
    pub(crate) fn register(&self, frame: FrameId, path: &CallPath, value: ValueId) -> Option<u64> {
        let mut frame = frame;
        let mut found: Option<&Activation> = None;
        for (&call, func) in path.calls.iter().zip(path.callees()) {
            let activation = self.0.get(&(frame, call)).filter(|a| a.func == func)?;
            frame = activation.frame;
            found = Some(activation);
        }
        found?.registers.get(value.index()).copied()
    }
}

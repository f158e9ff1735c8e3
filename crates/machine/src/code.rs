//! The program in a pre-decoded register form.
//!
//! The IR is made for analyses; executing it would chase operands through enums and hash block arguments. Here each
//! function is one flat list of small instructions whose operands are [`Slot`]s: first the SSA values, then one scratch
//! slot, then the function's constants, which are copied in when the function is entered. Block arguments are lists of
//! moves that can be executed one after the other. Nothing is allocated or hashed per executed instruction.
//!
//! One IR instruction becomes one or more decoded ones (an address computation one per index), never less than one,
//! so every decoded instruction has a [`ProgramPoint`].

mod decode;
pub(crate) mod fast;
pub(crate) mod instr;
pub mod liveness;
mod marks;
mod moves;
mod translate;

use std::sync::OnceLock;

use icsched_ir::{EntityId, FuncId, IdVec, Program, ProgramPoint, ValueId};
use liveness::{Liveness, Touched};

use crate::folding::Folding;
pub(crate) use instr::Instr;
pub use instr::{CallCode, CalleeCode, FunctionCode, Slot};
pub use marks::Marks;
pub(crate) use marks::SwitchAt;

/// A decoded program; read-only and shared by all states.
#[derive(Debug)]
pub struct Code {
    /// The decoded functions.
    pub functions: IdVec<FuncId, FunctionCode>,
    /// By function, once it is asked for.
    liveness: IdVec<FuncId, OnceLock<Liveness>>,
    touched: IdVec<FuncId, OnceLock<Touched>>,
    /// [`Marks::concrete_threads`].
    pub(crate) concrete_threads: bool,
}

impl Code {
    /// Decodes a verified program, with marks in front of some instructions. O(size of the program).
    pub fn new(program: &Program, marks: &Marks) -> Self {
        let functions = program.functions.ids().map(|id| decode::function(program, id, marks)).collect();
        let liveness = program.functions.ids().map(|_| OnceLock::new()).collect();
        let touched = program.functions.ids().map(|_| OnceLock::new()).collect();
        Self { functions, liveness, touched, concrete_threads: marks.concrete_threads }
    }

    /// Which values of a function of the program are live where.
    pub fn liveness(&self, program: &Program, func: FuncId) -> &Liveness {
        self.liveness[func].get_or_init(|| Liveness::new(&program.functions[func]))
    }

    /// Which values the blocks of a function of the program read or define.
    pub(crate) fn touched(&self, program: &Program, func: FuncId) -> &Touched {
        self.touched[func].get_or_init(|| Touched::new(&program.functions[func]))
    }

    /// The values that are read at a point or behind it. O(function).
    pub fn live_before(program: &Program, point: ProgramPoint) -> Vec<ValueId> {
        let live = liveness::live_before(&program.functions[point.func], point);
        live.ones().map(ValueId::from_index).collect()
    }

    /// The values that are read at a point or behind it, what these were computed from, and the parameters that are the
    /// same in all activations of a recursion: others of these may still read them. O(function).
    pub fn known_before(program: &Program, point: ProgramPoint, folding: Option<&Folding>) -> Vec<ValueId> {
        let mut known = liveness::known_before(&program.functions[point.func], point);
        let shared = folding.into_iter().flat_map(|folding| folding.shared(program, point.func));
        shared.for_each(|value| known.insert(value.index()));
        known.ones().map(ValueId::from_index).collect()
    }

    /// The IR instruction that a decoded one belongs to.
    pub fn point(&self, func: FuncId, pc: u32) -> ProgramPoint {
        let (block, inst) = self.functions[func].points[pc as usize];
        ProgramPoint { func, block, inst }
    }

    /// The decoded position of an IR instruction.
    pub fn pc(&self, point: ProgramPoint) -> Option<u32> {
        self.functions.get(point.func)?.pc_of(point.block, point.inst)
    }

    /// The same behind an epoch marker: where a thread goes on whose epoch begins there.
    pub fn start_pc(&self, point: ProgramPoint) -> Option<u32> {
        let pc = self.pc(point)?;
        let instrs = &self.functions[point.func].instrs[pc as usize..];
        let is_mark = |i: &&Instr| matches!(i, Instr::GoesRound | Instr::Forget | Instr::Marker);
        Some(pc + u32::try_from(instrs.iter().take_while(is_mark).count()).expect("marks are few"))
    }

    /// The decoded position of a call that control is inside of: behind all that marks it.
    pub fn call_pc(&self, point: ProgramPoint) -> Option<u32> {
        let pc = self.start_pc(point)?;
        let marked = matches!(self.functions[point.func].instrs.get(pc as usize), Some(Instr::Undefined));
        Some(pc + u32::from(marked))
    }

    /// The register of an SSA value, relative to [`Frame::base`](crate::Frame::base).
    pub fn slot(value: ValueId) -> Slot {
        instr::slot(value)
    }
}

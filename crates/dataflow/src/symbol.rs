//! What expressions are made of: registers of the frames of a stack, and of activations that these have called.
//!
//! A register of an activation that has returned keeps its name until the call is executed again. So a caller can say
//! what a callee has loaded and computed with: `share = *n / threads; *first = share * id`.

use std::fmt;

use icsched_ir::{FuncId, IdVec, Program, ProgramPoint, ValueId, entity_id};
use rustc_hash::FxHashMap;

/// Which activation a symbol is about: its position in the thread's stack, the oldest known frame being 0.
pub type FrameIndex = u32;

/// The frame of a function that is being summarised.
pub(crate) const SUMMARISED: FrameIndex = FrameIndex::MAX;

entity_id!(
    /// A [`CallPath`] of one [pool](crate::ExprPool).
    PathId, "c"
);

/// Which activation that has returned.
///
/// The first call has made an activation when a frame last executed it, in that one the second call has made another
/// one, and so on to the last.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallPath {
    /// At least one.
    pub calls: Vec<ProgramPoint>,
    /// The function of the activation.
    pub func: FuncId,
}

impl CallPath {
    /// The functions that the calls have called.
    pub fn callees(&self) -> impl Iterator<Item = FuncId> {
        self.calls.iter().skip(1).map(|call| call.func).chain([self.func])
    }
}

/// What a register holds, or held last.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol {
    /// The frame.
    pub frame: FrameIndex,
    /// The register.
    pub value: ValueId,
    /// The activation that it was a register of; `None`: the frame's.
    pub inside: Option<PathId>,
}

impl Symbol {
    /// A register of a frame.
    pub fn new(frame: FrameIndex, value: ValueId) -> Self {
        Self { frame, value, inside: None }
    }

    /// The register, if it is one of the frame.
    pub fn own_register(self) -> Option<ValueId> {
        self.inside.is_none().then_some(self.value)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inside {
            None => write!(f, "{}#{}", self.value, self.frame),
            Some(path) => write!(f, "{}({path})#{}", self.value, self.frame),
        }
    }
}

/// The activations that symbols are about, each once.
#[derive(Default, Debug)]
pub(crate) struct Paths {
    all: IdVec<PathId, CallPath>,
    known: FxHashMap<CallPath, PathId>,
}

impl Paths {
    pub(crate) fn get(&self, id: PathId) -> &CallPath {
        &self.all[id]
    }

    /// A symbol of an activation of `func`, for the frame that has made it by `call`.
    pub(crate) fn called(&mut self, frame: FrameIndex, call: ProgramPoint, func: FuncId, symbol: Symbol) -> Symbol {
        let mut path = CallPath { calls: vec![call], func };
        if let Some(inside) = symbol.inside {
            let further = self.get(inside);
            path.calls.extend(&further.calls);
            path.func = further.func;
        }
        let id = match self.known.get(&path) {
            Some(&id) => id,
            None => {
                let id = self.all.push(path.clone());
                self.known.insert(path, id);
                id
            }
        };
        Symbol { frame, value: symbol.value, inside: Some(id) }
    }

    /// A symbol as text, with the calls that lead to its activation.
    pub(crate) fn describe(&self, program: &Program, symbol: Symbol) -> String {
        let Some(inside) = symbol.inside else { return symbol.to_string() };
        let path = self.get(inside);
        let step = |(&call, func): (&ProgramPoint, FuncId)| {
            format!("+{}>{}", number(program, call), program.functions[func].name)
        };
        let steps: String = path.calls.iter().zip(path.callees()).map(step).collect();
        format!("{}({steps})#{}", symbol.value, symbol.frame)
    }
}

/// Which instruction of its function a point is, counted as [`parse_stack`](crate::parse_stack) does.
fn number(program: &Program, point: ProgramPoint) -> usize {
    let blocks = program.functions[point.func].blocks.iter();
    let before: usize = blocks.take_while(|b| b.0 != point.block).map(|(_, body)| body.insts.len() + 1).sum();
    before + point.inst as usize
}

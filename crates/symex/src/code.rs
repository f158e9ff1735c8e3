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
pub(crate) mod liveness;
mod moves;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use icsched_ir::{
    BinOp, BlockId, CallStack, CastOp, EntityId, FloatPredicate, FuncId, GlobalId, IdVec, IntPredicate, Intrinsic,
    Origin, OverflowOp, Program, ProgramPoint, RmwOp, Type, UnOp, ValueId,
};
use liveness::{Liveness, Touched};

use crate::abstraction::Abstractions;
use crate::domain::Domain;
use crate::folding::Folding;
use crate::state::State;
use crate::thread::{Thread, ThreadId};

/// Index of a register of a frame.
pub type Slot = u32;

/// A decoded instruction. Indices named after a side table point into the function's [`FunctionCode`].
#[derive(Copy, Clone, Debug)]
pub(crate) enum Instr {
    Binary {
        op: BinOp,
        /// Whether it is a sum whose overflow is said not to happen.
        no_wrap: bool,
        ty: Type,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Unary {
        op: UnOp,
        ty: Type,
        dst: Slot,
        a: Slot,
    },
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        dst: Slot,
        a: Slot,
    },
    IntCompare {
        predicate: IntPredicate,
        ty: Type,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    FloatCompare {
        predicate: FloatPredicate,
        ty: Type,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Overflow {
        op: OverflowOp,
        ty: Type,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Select {
        ty: Type,
        dst: Slot,
        condition: Slot,
        a: Slot,
        b: Slot,
    },
    FunnelShift {
        left: bool,
        ty: Type,
        dst: Slot,
        hi: Slot,
        lo: Slot,
        amount: Slot,
    },
    /// `dst = base + offset`.
    Offset {
        dst: Slot,
        base: Slot,
        offset: i64,
    },
    /// `dst = base + index * scale`.
    Index {
        dst: Slot,
        base: Slot,
        index: Slot,
        scale: i64,
    },
    Load {
        ty: Type,
        atomic: bool,
        dst: Slot,
        address: Slot,
    },
    Store {
        ty: Type,
        atomic: bool,
        address: Slot,
        value: Slot,
    },
    Jump {
        edge: u32,
    },
    Branch {
        condition: Slot,
        then_edge: u32,
        else_edge: u32,
    },
    ReturnNone,
    ReturnOne {
        value: Slot,
    },
    ReturnMany {
        list: u32,
    },
    /// A call; index into [`FunctionCode::calls`].
    Call {
        call: u32,
    },
    Alloca {
        ty: Type,
        dst: Slot,
        count: Slot,
        size: u64,
    },
    AtomicRmw {
        op: RmwOp,
        ty: Type,
        dst: Slot,
        address: Slot,
        value: Slot,
    },
    CompareExchange {
        ty: Type,
        dst: Slot,
        address: Slot,
        expected: Slot,
        new: Slot,
    },
    Fence,
    MemCopy {
        may_overlap: bool,
        to: Slot,
        from: Slot,
        bytes: Slot,
    },
    MemSet {
        to: Slot,
        byte: Slot,
        bytes: Slot,
    },
    VaStart {
        list: Slot,
    },
    VaCopy {
        to: Slot,
        from: Slot,
    },
    Trap,
    Unreachable,
    /// Not an instruction: the next one reads an undefined constant.
    Undefined,
    /// Not an instruction: a loop that is replaced goes round.
    GoesRound,
    /// Not an instruction: control comes to a loop that is replaced.
    Forget,
    /// Not an instruction: a thread's epoch ends here (Bergan 3.2.2), in front of what marks that it reads something undefined.
    Marker,
    /// The text is in the IR instruction.
    Unsupported,
}

/// A control-flow edge.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    /// First instruction of the target.
    pub(crate) pc: u32,
    pub(crate) target: BlockId,
    pub(crate) from: BlockId,
    /// Whether it is the else edge of a branch.
    pub(crate) is_else: bool,
    /// Whether it leaves a conditional branch of the program itself.
    pub(crate) is_choice: bool,
    /// Into [`FunctionCode::moves`].
    pub(crate) moves: Range<u32>,
}

/// What a call calls.
#[derive(Copy, Clone, Debug)]
pub(crate) enum CalleeCode {
    /// A function with a body whose parameters are exactly the arguments.
    Plain(FuncId),
    /// Any other known function.
    Direct(FuncId),
    Indirect(Slot),
    Intrinsic(Intrinsic),
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallCode {
    pub(crate) callee: CalleeCode,
    pub(crate) args: Box<[Slot]>,
    pub(crate) arg_types: Box<[Type]>,
    pub(crate) results: Box<[Slot]>,
    pub(crate) result_types: Box<[Type]>,
    /// Whether it is made [in place of the rest of the function](icsched_ir::is_tail_call).
    pub(crate) is_tail: bool,
}

/// A decoded function; empty for a declaration.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) id: FuncId,
    pub(crate) origin: Origin,
    pub(crate) instrs: Vec<Instr>,
    /// Block and IR instruction of each decoded one.
    pub(crate) points: Vec<(BlockId, u32)>,
    pub(crate) edges: Vec<EdgeCode>,
    /// Destination and source.
    pub(crate) moves: Vec<(Slot, Slot)>,
    pub(crate) calls: Vec<CallCode>,
    /// Operands of returns of several values.
    pub(crate) lists: Vec<Box<[Slot]>>,
    /// Indices that are subscripts of arrays in structures: the decoded instruction, and how many values a defined one may have. Ascending.
    pub(crate) subscripts: Vec<(u32, u64)>,
    /// Registers before the constants.
    pub(crate) registers: u32,
    pub(crate) constants: Vec<u64>,
    /// Constants that are undefined: slot, and the bits of its type.
    pub(crate) undefined: Vec<(Slot, u64)>,
    /// Constants that differ per thread: slot, thread-local global, offset.
    pub(crate) thread_locals: Vec<(Slot, GlobalId, i64)>,
    pub(crate) params: Vec<Slot>,
    pub(crate) param_types: Vec<Type>,
    pub(crate) varargs: bool,
    /// The same for the fast loop.
    pub(crate) fast: fast::FastCode,
}

impl FunctionCode {
    pub(crate) fn is_declaration(&self) -> bool {
        self.instrs.is_empty()
    }

    /// First decoded instruction at or after a position of the IR.
    fn pc_of(&self, block: BlockId, inst: u32) -> Option<u32> {
        let at = self.points.partition_point(|&p| p < (block, inst));
        (self.points.get(at)? == &(block, inst)).then(|| u32::try_from(at).expect("decoded with 32-bit positions"))
    }
}

/// What is marked in a program's code.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    /// Where epochs end: in front of these instructions (Bergan 3.3.1).
    pub markers: Arc<BTreeSet<ProgramPoint>>,
    /// What is replaced by what it may do (Bergan 3.4.2).
    pub abstractions: Arc<Abstractions>,
    /// Which activations are told apart where epochs end; without it all are.
    pub folding: Option<Arc<Folding>>,
    /// Whether it belongs to an epoch which thread starts where, not only how many do (without Bergan 3.4.1.3).
    pub concrete_threads: bool,
}

impl FunctionCode {
    /// How many values an index may have by what array it is a subscript of, if the program says so. O(log subscripts).
    pub(crate) fn subscript(&self, pc: u32) -> Option<u64> {
        let at = self.subscripts.binary_search_by_key(&pc, |subscript| subscript.0).ok()?;
        Some(self.subscripts[at].1)
    }
}

/// A decoded program; read-only and shared by all states.
#[derive(Debug)]
pub struct Code {
    pub(crate) functions: IdVec<FuncId, FunctionCode>,
    /// By function, once it is asked for.
    liveness: IdVec<FuncId, OnceLock<Liveness>>,
    touched: IdVec<FuncId, OnceLock<Touched>>,
    /// [`Marks::concrete_threads`].
    concrete_threads: bool,
}

impl Code {
    /// Decodes a verified program, with marks in front of some instructions. O(size of the program).
    pub fn new(program: &Program, marks: &Marks) -> Self {
        let functions = program.functions.ids().map(|id| decode::function(program, id, marks)).collect();
        let liveness = program.functions.ids().map(|_| OnceLock::new()).collect();
        let touched = program.functions.ids().map(|_| OnceLock::new()).collect();
        Self { functions, liveness, touched, concrete_threads: marks.concrete_threads }
    }

    /// The live threads in the order of the epoch that begins where they are: by stack, those with the same stack by slot; by slot alone
    /// where it belongs to the epoch which thread is where.
    pub fn threads_in_order<D: Domain>(&self, state: &State<D>) -> Vec<ThreadId> {
        let stack = |t: &Thread<D>| match self.concrete_threads {
            true => (CallStack::default(), Vec::new()),
            false => (state.stack(self, t.id), t.folds()),
        };
        let mut threads: Vec<_> = state.live_threads().map(|t| (stack(t), t.slot, t.id)).collect();
        threads.sort_unstable();
        threads.into_iter().map(|(.., id)| id).collect()
    }

    /// Which values of a function of the program are live where.
    pub(crate) fn liveness(&self, program: &Program, func: FuncId) -> &Liveness {
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

    /// The values that are read at a point or behind it, what these were computed from, and the parameters that are the same in all
    /// activations of a recursion: others of these may still read them. O(function).
    pub(crate) fn known_before(program: &Program, point: ProgramPoint, folding: Option<&Folding>) -> Vec<ValueId> {
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
        u32::try_from(value.index()).expect("ids are 32 bits")
    }
}

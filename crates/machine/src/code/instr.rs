//! Decoded instructions, edges, calls and functions.

use std::ops::Range;

use icsched_ir::{
    BinOp, BlockId, CastOp, EntityId, FloatPredicate, FuncId, GlobalId, IntPredicate, Intrinsic, Origin, OverflowOp,
    RmwOp, Type, UnOp, ValueId,
};

use super::fast::FastCode;

/// Index of a register of a frame.
pub type Slot = u32;

/// The register of an SSA value, relative to [`Frame::base`](crate::Frame::base).
pub(super) fn slot(value: ValueId) -> Slot {
    u32::try_from(value.index()).expect("ids are 32 bits")
}

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
    /// Not an instruction: a thread's epoch ends here (Bergan 3.2.2), in front of what marks that it reads something
    /// undefined.
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
pub enum CalleeCode {
    /// A function with a body whose parameters are exactly the arguments.
    Plain(FuncId),
    /// Any other known function.
    Direct(FuncId),
    /// The function that a register points to.
    Indirect(Slot),
    /// An operation of the engine.
    Intrinsic(Intrinsic),
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallCode {
    /// What is called.
    pub callee: CalleeCode,
    /// Where its arguments are.
    pub args: Box<[Slot]>,
    pub(crate) arg_types: Box<[Type]>,
    pub(crate) results: Box<[Slot]>,
    pub(crate) result_types: Box<[Type]>,
    /// Whether it is made [in place of the rest of the function](icsched_ir::is_tail_call).
    pub(crate) is_tail: bool,
}

/// A decoded function; empty for a declaration.
#[derive(Clone, Debug)]
pub struct FunctionCode {
    pub(crate) id: FuncId,
    /// Whether it is the program's or a model's.
    pub origin: Origin,
    pub(crate) instrs: Vec<Instr>,
    /// Block and IR instruction of each decoded one.
    pub points: Vec<(BlockId, u32)>,
    pub(crate) edges: Vec<EdgeCode>,
    /// Destination and source.
    pub(crate) moves: Vec<(Slot, Slot)>,
    pub(crate) calls: Vec<CallCode>,
    /// Operands of returns of several values.
    pub(crate) lists: Vec<Box<[Slot]>>,
    /// Indices that are subscripts of arrays in structures: the decoded instruction, and how many values a defined one
    /// may have. Ascending.
    pub(crate) subscripts: Vec<(u32, u64)>,
    /// Registers before the constants.
    pub registers: u32,
    /// The constants, whose registers come behind the others.
    pub constants: Vec<u64>,
    /// Constants that are undefined: slot, and the bits of its type.
    pub(crate) undefined: Vec<(Slot, u64)>,
    /// Constants that differ per thread: slot, thread-local global, offset.
    pub thread_locals: Vec<(Slot, GlobalId, i64)>,
    pub(crate) params: Vec<Slot>,
    pub(crate) param_types: Vec<Type>,
    pub(crate) varargs: bool,
    /// The same for the fast loop.
    pub(crate) fast: FastCode,
}

impl FunctionCode {
    /// The call at a decoded position; `None` if another instruction is there.
    pub fn call_at(&self, pc: u32) -> Option<&CallCode> {
        match *self.instrs.get(pc as usize)? {
            Instr::Call { call } => self.calls.get(call as usize),
            _ => None,
        }
    }

    pub(crate) fn is_declaration(&self) -> bool {
        self.instrs.is_empty()
    }

    /// First decoded instruction at or after a position of the IR.
    pub(super) fn pc_of(&self, block: BlockId, inst: u32) -> Option<u32> {
        let at = self.points.partition_point(|&p| p < (block, inst));
        (self.points.get(at)? == &(block, inst)).then(|| u32::try_from(at).expect("decoded with 32-bit positions"))
    }

    /// How many values an index may have by what array it is a subscript of, if the program says so. O(log subscripts).
    pub(crate) fn subscript(&self, pc: u32) -> Option<u64> {
        let at = self.subscripts.binary_search_by_key(&pc, |subscript| subscript.0).ok()?;
        Some(self.subscripts[at].1)
    }
}

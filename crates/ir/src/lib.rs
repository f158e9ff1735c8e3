//! The analysis IR of icsched.
//!
//! A [`Program`] is a whole linked program in SSA form: functions of basic blocks with block parameters, scalar values
//! only, byte addresses only (design decision D2). It knows neither LLVM nor the solver, prints as text, parses back
//! and can be verified.
//!
//! API boundary: everything above the frontend works on these types and never sees LLVM.

pub mod callgraph;
pub mod cfg;
pub mod describe;
pub mod dominators;
pub mod entity;
pub mod inst;
pub mod intrinsic;
pub mod loops;
mod names;
pub mod program;
mod scc;
pub mod text;
pub mod types;
pub mod verify;

pub use callgraph::CallGraph;
pub use cfg::Cfg;
pub use describe::{describe_offset, describe_pointee};
pub use dominators::DomTree;
pub use entity::{BlockId, EntityId, FileId, FuncId, GlobalId, IdVec, LocId, LoopId, TypeId, ValueId};
pub use inst::{
    Access, BinOp, Callee, CastOp, Const, Edge, FloatPredicate, Inst, IntPredicate, Op, Operand, Ordering, OverflowOp,
    RmwOp, ScaledIndex, Terminator, UnOp,
};
pub use intrinsic::Intrinsic;
pub use loops::{Loop, LoopForest};
pub use program::{Block, CallStack, Function, Global, Loc, Origin, Program, ProgramPoint, Relocation, Value};
pub use text::{ParseError, parse};
pub use types::{Field, SourceType, Type, TypeTable};
pub use verify::{VerifyError, verify};

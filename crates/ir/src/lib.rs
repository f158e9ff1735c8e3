//! The analysis IR of icsched.
//!
//! A [`Program`] is a whole linked program in SSA form: functions of basic blocks with block parameters, scalar values
//! only, byte addresses only (design decision D2). It knows neither LLVM nor the solver, prints as text, parses back
//! and can be verified.
//!
//! API boundary: everything above the frontend works on these types and never sees LLVM.

pub mod activations;
pub mod affine;
pub mod callgraph;
pub mod cfg;
pub mod control_dependence;
pub mod definitions;
mod demangle;
pub mod describe;
pub mod distance;
pub mod dominators;
pub mod effects;
pub mod entity;
pub mod expression;
pub mod induction;
pub mod inst;
pub mod intrinsic;
pub mod loops;
mod names;
mod predicate;
pub mod program;
pub mod reach;
pub mod scc;
mod tail;
pub mod text;
pub mod trip_count;
pub mod types;
pub mod verify;
mod visible;

pub use affine::{Affine, Leaf};
pub use callgraph::CallGraph;
pub use cfg::Cfg;
pub use control_dependence::{BranchEdge, ControlDependence};
pub use definitions::{Definition, Definitions};
pub use demangle::{source_name, source_text};
pub use describe::{describe_offset, describe_pointee, scalar_at};
pub use distance::ExitDistances;
pub use dominators::DomTree;
pub use effects::{ArgumentExtent, Extent, Touch};
pub use entity::{BlockId, EntityId, FileId, FuncId, GlobalId, IdVec, LocId, LoopId, TypeId, ValueId};
pub use expression::Expressions;
pub use inst::{
    Access, BinOp, Callee, CastOp, Const, Edge, FloatPredicate, Inst, IntPredicate, NoWrap, Op, Operand, Ordering,
    OverflowOp, RmwOp, ScaledIndex, Terminator, UnOp,
};
pub use intrinsic::Intrinsic;
pub use loops::{Loop, LoopForest};
pub use program::{
    Block, CallStack, FAILING_MODEL, Function, Global, LOCKED_MODEL, Loc, MAX_OBJECT, MODEL_SUFFIX, Origin, Program,
    ProgramPoint, Relocation, Value, modelled_function, too_large,
};
pub use reach::{AddressReach, Indices};
pub use tail::{is_tail_call, tail_mark};
pub use text::{ParseError, parse};
pub use trip_count::{Count, CountedLoop, CountedLoops, TripCount};
pub use types::{Field, SourceType, Type, TypeTable};
pub use verify::{VerifyError, verify};
pub use visible::{is_visible, visible};

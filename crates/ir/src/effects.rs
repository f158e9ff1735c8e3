//! What one instruction reads, writes and synchronises by itself: calls of functions are left to who knows their code.

use crate::inst::{Callee, Const, Op, Operand};
use crate::intrinsic::Intrinsic;
use crate::program::Function;
use crate::types::Type;

/// Bytes of a `va_list`.
const VA_LIST: u64 = 24;

/// How many bytes an instruction touches.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// That many.
    Bytes(u64),
    /// As many as a value says, which is not a constant.
    Unknown,
    /// The whole object that the address points into, also what lies before it.
    Object,
}

/// Memory that an instruction touches.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    /// Where it starts.
    pub address: Operand,
    /// How far it reaches.
    pub extent: Extent,
}

impl Op {
    /// Calls `visit` for each piece of memory that the instruction, which stands in `function`, may write by itself.
    /// `unsupported` may write anything and is not told here.
    pub fn for_each_write(&self, function: &Function, mut visit: impl FnMut(Touch)) {
        let mut add = |address: Operand, extent: Extent| visit(Touch { address, extent });
        match self {
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                add(*address, width(function, *value));
            }
            Op::CompareExchange { address, new, .. } => add(*address, width(function, *new)),
            Op::MemCopy { to, bytes, .. } | Op::MemSet { to, bytes, .. } => add(*to, counted(*bytes)),
            Op::VaStart { list } | Op::VaCopy { to: list, .. } => add(*list, Extent::Bytes(VA_LIST)),
            Op::Call { callee: Callee::Intrinsic(i), args } => {
                if let Some((at, extent)) = i.written_argument() {
                    add(args[at], extent.of(args));
                }
            }
            _ => {}
        }
    }

    /// The same for what it reads.
    pub fn for_each_read(&self, function: &Function, results: &[crate::ValueId], mut visit: impl FnMut(Touch)) {
        let mut add = |address: Operand, extent: Extent| visit(Touch { address, extent });
        match self {
            Op::Load { address, .. } => {
                let bytes: u64 = results.iter().map(|&v| u64::from(function.values[v].ty.bytes())).sum();
                add(*address, Extent::Bytes(bytes));
            }
            Op::AtomicRmw { address, value: of, .. } | Op::CompareExchange { address, new: of, .. } => {
                add(*address, width(function, *of));
            }
            Op::MemCopy { from, bytes, .. } => add(*from, counted(*bytes)),
            Op::VaCopy { from, .. } => add(*from, Extent::Bytes(VA_LIST)),
            Op::Call { callee: Callee::Intrinsic(i), args } => {
                for &(at, extent) in i.read_arguments() {
                    add(args[at], extent.of(args));
                }
            }
            _ => {}
        }
    }

    /// Whether it leaves all memory as it is: writes nothing by itself, calls nothing and lets no other thread run.
    pub fn leaves_memory_alone(&self, function: &Function) -> bool {
        let runs_others = match self {
            Op::Call { callee: Callee::Intrinsic(i), .. } => {
                matches!(i, Intrinsic::Yield | Intrinsic::Pause | Intrinsic::Interrupt | Intrinsic::StackRestore)
            }
            Op::Call { callee: Callee::Direct(_) | Callee::Indirect(_), .. } | Op::Fence { .. } => true,
            _ => false,
        };
        let mut writes = false;
        self.for_each_write(function, |_| writes = true);
        !runs_others && !writes && !self.may_synchronise()
    }

    /// Whether executing it may synchronise, calls of functions apart. Atomic accesses are synchronisation, and what
    /// [is not supported](Self::is_unsupported) may be.
    pub fn may_synchronise(&self) -> bool {
        match self {
            Op::Load { access, .. } | Op::Store { access, .. } => access.atomic.is_some(),
            Op::AtomicRmw { .. } | Op::CompareExchange { .. } => true,
            Op::Call { callee: Callee::Intrinsic(i), .. } if i.is_synchronisation() => true,
            op => op.is_unsupported(),
        }
    }

    /// Whether executing it may end a path because a model does not have it, the frontend did not lower it or a jump is
    /// not followed; nobody knows what it would do.
    pub fn is_unsupported(&self) -> bool {
        let intrinsics = [Intrinsic::Unsupported, Intrinsic::RestoreContext];
        match self {
            Op::Unsupported { .. } => true,
            Op::Call { callee: Callee::Intrinsic(i), .. } => intrinsics.contains(i),
            _ => false,
        }
    }
}

/// How far an intrinsic's access through an argument reaches.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArgumentExtent {
    /// That many bytes.
    Bytes(u64),
    /// As many bytes as the argument with this index says.
    Counted(usize),
    /// A string, or what something else ends.
    Unknown,
    /// The whole object.
    Object,
}

impl ArgumentExtent {
    fn of(self, args: &[Operand]) -> Extent {
        match self {
            ArgumentExtent::Bytes(n) => Extent::Bytes(n),
            ArgumentExtent::Counted(at) => counted(args[at]),
            ArgumentExtent::Unknown => Extent::Unknown,
            ArgumentExtent::Object => Extent::Object,
        }
    }
}

impl Intrinsic {
    /// The argument through which it writes memory of the program, or ends its life, and how much of it.
    pub const fn written_argument(self) -> Option<(usize, ArgumentExtent)> {
        use ArgumentExtent::{Bytes, Counted, Object};
        match self {
            Intrinsic::MemCopy | Intrinsic::MemMove | Intrinsic::MemSet => Some((0, Counted(2))),
            Intrinsic::InputBytes => Some((0, Counted(1))),
            Intrinsic::Free => Some((0, Object)),
            Intrinsic::SaveContext => Some((0, Bytes(24))),
            Intrinsic::HostRead => Some((1, Counted(2))),
            Intrinsic::HostClock => Some((1, Bytes(16))),
            Intrinsic::SymbolicFileRead => Some((2, Counted(3))),
            Intrinsic::HostQuery => Some((3, Counted(4))),
            _ => None,
        }
    }

    /// The argument that names the input, if what it reads is told from other inputs of the name by how many came
    /// before.
    pub const fn input_name(self) -> Option<usize> {
        match self {
            Intrinsic::Input => Some(0),
            Intrinsic::InputBytes => Some(2),
            _ => None,
        }
    }

    /// The arguments through which it reads memory of the program.
    pub const fn read_arguments(self) -> &'static [(usize, ArgumentExtent)] {
        use ArgumentExtent::{Bytes, Counted, Unknown};
        match self {
            Intrinsic::MemCopy | Intrinsic::MemMove => &[(1, Counted(2))],
            Intrinsic::HostWrite => &[(1, Counted(2))],
            Intrinsic::RestoreContext => &[(0, Bytes(24))],
            Intrinsic::AnySymbolic | Intrinsic::HasNul => &[(0, Counted(1))],
            Intrinsic::InputOfString => &[(0, Unknown), (1, Unknown)],
            Intrinsic::InputBytes => &[(2, Unknown)],
            Intrinsic::HostFile => &[(2, Unknown), (3, Unknown)],
            Intrinsic::HostQuery => &[(2, Unknown)],
            Intrinsic::AssertFail => &[(0, Unknown), (1, Unknown), (3, Unknown)],
            Intrinsic::StringSymbolic
            | Intrinsic::StringEnd
            | Intrinsic::Input
            | Intrinsic::MayFail
            | Intrinsic::HostOpen
            | Intrinsic::SymbolicFile
            | Intrinsic::Error
            | Intrinsic::Unsupported => &[(0, Unknown)],
            _ => &[],
        }
    }
}

impl Function {
    /// The type of an operand of one of the function's instructions.
    pub fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Value(v) => self.values[v].ty,
            Operand::Const(c) => c.ty(),
        }
    }
}

fn width(function: &Function, operand: Operand) -> Extent {
    Extent::Bytes(u64::from(function.type_of(operand).bytes()))
}

fn counted(bytes: Operand) -> Extent {
    match bytes {
        Operand::Const(Const::Bits { bits, .. }) => Extent::Bytes(bits),
        Operand::Const(Const::Global { .. } | Const::Func(_) | Const::Block { .. } | Const::Undef(_))
        | Operand::Value(_) => Extent::Unknown,
    }
}

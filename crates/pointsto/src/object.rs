//! Abstract objects and the locations within them.

use std::fmt;

use icsched_ir::{FuncId, GlobalId, ProgramPoint, ValueId, entity_id};
use serde::{Deserialize, Serialize};

entity_id!(
    /// An abstract object: stands for every concrete object that its [`ObjectKind`] describes.
    ObjectId, "o"
);
entity_id!(
    /// A set of byte offsets in one object; what points-to sets are made of.
    LocationId, "l"
);
entity_id!(
    /// A function analysed for one chain of call sites; see [`crate::Instance`].
    InstanceId, "i"
);

/// What an abstract object stands for.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    /// A global variable; for a thread-local one, every thread's.
    Global(GlobalId),
    /// A function, as what a function pointer points to.
    Function(FuncId),
    /// The objects that one `alloca` makes in the activations of an instance.
    Stack {
        /// Whose local it is.
        instance: InstanceId,
        /// The `alloca`'s result.
        value: ValueId,
    },
    /// The heap objects that are made by the calls of `__ics_malloc` at one place of an instance.
    Heap {
        /// The instance that makes them.
        instance: InstanceId,
        /// The call.
        at: ProgramPoint,
    },
    /// The variable arguments of the activations of an instance.
    VarArgs(InstanceId),
    /// The array `argv`.
    ArgumentVector,
    /// Every `argv[i]`.
    Arguments,
    /// The array `environ`.
    EnvironmentVector,
    /// Every `environ[i]`.
    Environment,
    /// What a declared library function returns at one place: a new object, or one of the library's own.
    Library {
        /// The instance that calls it.
        instance: InstanceId,
        /// The call.
        at: ProgramPoint,
    },
    /// All memory of the world outside the program: what functions that are not known may hold. Also what a pointer
    /// that was put together from numbers points to, if nothing else is known of it.
    Outside,
    /// What a function's address points to once a constant or a multiple of one was added to it. C has no such
    /// arithmetic, but code that takes a function's address for one of data may do it: with the offset 0 it stands for
    /// every function this ever happened to.
    MovedFunctions,
    /// Any of the constants without pointers in them: stands for them in large sets.
    PlainConstants,
    /// The bytes on their way in one copy of memory. No pointer points to it.
    Transfer,
}

/// An abstract object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// What it stands for.
    pub kind: ObjectKind,
    /// Its size in bytes, where every concrete object has the same.
    pub size: Option<u64>,
    /// A power of two that divides the address of each concrete object.
    pub align: u64,
    /// Never written: its contents are those of its initialiser.
    pub constant: bool,
}

/// A set of byte offsets.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Offsets {
    /// Just this one; may be outside of the object.
    Exact(i64),
    /// Every offset `start + k * stride`, `k` of either sign, with `start < stride`.
    Strided {
        /// The smallest one that is not negative.
        start: u64,
        /// At least 1.
        stride: u64,
    },
}

impl Offsets {
    /// Every offset.
    pub const ANY: Offsets = Offsets::Strided { start: 0, stride: 1 };

    /// All of them, further on by a constant.
    pub fn moved(self, by: i64) -> Self {
        match self {
            Offsets::Exact(x) => Offsets::Exact(x.wrapping_add(by)),
            Offsets::Strided { start, stride } => {
                Self::strided(i64::try_from(start).unwrap_or(0).wrapping_add(by), stride)
            }
        }
    }

    /// The offsets `x + k * stride`.
    pub fn strided(x: i64, stride: u64) -> Self {
        let stride = stride.max(1);
        let start = i128::from(x).rem_euclid(i128::from(stride));
        Offsets::Strided { start: u64::try_from(start).expect("less than the stride"), stride }
    }

    /// The offset, if there is only one.
    pub const fn exact(self) -> Option<i64> {
        match self {
            Offsets::Exact(x) => Some(x),
            Offsets::Strided { .. } => None,
        }
    }

    /// Whether accesses of `width` bytes at one of these offsets and of `other_width` bytes at one of `other`'s can
    /// have a byte in common, in an object of any size. O(log stride).
    pub fn overlaps(self, width: u64, other: Offsets, other_width: u64) -> bool {
        // Some a of self, b of other with a < b + other_width and b < a + width: b - a in (-other_width, width).
        let (a, g) = self.start_and_stride();
        let (b, h) = other.start_and_stride();
        let (width, other_width) = (i128::from(width), i128::from(other_width));
        let stride = gcd(g, h);
        if stride == 0 {
            return -other_width < b - a && b - a < width;
        }
        (b - a + other_width - 1).rem_euclid(i128::from(stride)) <= width + other_width - 2
    }

    /// A number of the set, and the distance of its members: 0 for a single one.
    fn start_and_stride(self) -> (i128, u64) {
        match self {
            Offsets::Exact(x) => (i128::from(x), 0),
            Offsets::Strided { start, stride } => (i128::from(start), stride),
        }
    }

    /// Whether one of the offsets is `x`.
    pub fn contains(self, x: i64) -> bool {
        match self {
            Offsets::Exact(y) => x == y,
            Offsets::Strided { .. } => Offsets::strided(x, self.stride()) == self,
        }
    }

    /// Distance of the members; 0 for a single one.
    pub fn stride(self) -> u64 {
        self.start_and_stride().1
    }

    /// What remains of the offsets when each is moved by `shift`.
    pub(crate) fn shifted(self, shift: Shift, align: u64) -> Offsets {
        match (self, shift) {
            (Offsets::Exact(x), Shift::By { offset, stride: 0 }) => Offsets::Exact(x.wrapping_add(offset)),
            (Offsets::Exact(x), Shift::By { offset, stride } | Shift::Onward { offset, stride }) => {
                Offsets::strided(x.wrapping_add(offset), stride)
            }
            (
                Offsets::Strided { start, stride },
                Shift::By { offset, stride: other } | Shift::Onward { offset, stride: other },
            ) => {
                let start = i64::try_from(start).unwrap_or(0);
                let offset = i64::try_from(i128::from(offset).rem_euclid(i128::from(stride))).unwrap_or(0);
                Offsets::strided(start.wrapping_add(offset), gcd(stride, other))
            }
            (Offsets::Exact(x), Shift::RoundDown(to)) if to <= align => {
                Offsets::Exact(x.wrapping_sub(x.rem_euclid(i64::try_from(to).unwrap_or(1).max(1))))
            }
            (Offsets::Exact(x), Shift::SetBits(bits)) if bits < align => {
                Offsets::Exact(x | i64::try_from(bits).unwrap_or(0))
            }
            (_, Shift::Anywhere) => Offsets::ANY,
            (offsets, Shift::BytesOnly) => offsets,
            (Offsets::Strided { .. } | Offsets::Exact(_), Shift::RoundDown(_) | Shift::SetBits(_)) => Offsets::ANY,
        }
    }
}

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Offsets::Exact(x) => write!(f, "{x:+}"),
            Offsets::ANY => f.write_str("+*"),
            Offsets::Strided { start, stride } => write!(f, "+{start}+{stride}k"),
        }
    }
}

/// Some bytes of an object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offsets: Offsets,
    /// Only bytes that are no pointers are read and written through such a pointer: it was handed to a function of the
    /// library that does nothing else.
    pub bytes_only: bool,
}

/// What arithmetic does to a pointer's offset.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shift {
    /// Adds `offset` and any multiple of `stride`.
    By { offset: i64, stride: u64 },
    /// The same, but no multiple that is negative.
    Onward { offset: i64, stride: u64 },
    /// Any offset, but a function stays what it is.
    Anywhere,
    /// Clears the low bits: rounds down to a multiple of this power of two.
    RoundDown(u64),
    /// Sets these bits of the address.
    SetBits(u64),
    /// Leaves the address, but see [`Location::bytes_only`].
    BytesOnly,
}

impl Shift {
    pub(crate) const ANY: Shift = Shift::By { offset: 0, stride: 1 };
    pub(crate) const NONE: Shift = Shift::By { offset: 0, stride: 0 };

    pub(crate) const fn by(offset: i64) -> Self {
        Shift::By { offset, stride: 0 }
    }

    /// What it is when it may happen any number of times.
    pub(crate) fn repeated(self) -> Self {
        match self {
            Shift::By { offset, stride } | Shift::Onward { offset, stride } => {
                Shift::By { offset: 0, stride: gcd(offset.unsigned_abs(), stride) }
            }
            Shift::Anywhere | Shift::RoundDown(_) | Shift::SetBits(_) | Shift::BytesOnly => self,
        }
    }
}

/// Greatest common divisor; `gcd(0, x) == x`.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

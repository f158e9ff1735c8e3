//! What code does to how often one lock is held: a pair of numbers.
//!
//! Let `c` be how often the lock was held. Code with the effect `(net, floor)` makes it at most `max(c + net, floor)`.
//!
//! | code | effect |
//! | --- | --- |
//! | acquires the lock | `(1, 1)` |
//! | releases the lock | `(-1, 0)` |
//! | releases it and acquires it again, like a condition wait: it is held afterwards, before or not | `(0, 1)` |
//! | does nothing to the lock | `(0, 0)` |
//!
//! So recursive mutexes and several readers are counted.

use crate::budgets::BUDGETS;
use icsched_ir::{Callee, Intrinsic, Op, Operand};

/// What is counted no further, and never comes down again.
const MANY: i8 = BUDGETS.lock_holds;

/// The lock was not held, whatever was thought.
const NEVER: i8 = i8::MIN;

/// What code does to how often a lock is held.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    pub(crate) net: i8,
    /// Not negative.
    floor: i8,
}

impl Effect {
    pub(crate) const NONE: Effect = Effect { net: 0, floor: 0 };
    pub(crate) const ACQUIRE: Effect = Effect { net: 1, floor: 1 };
    pub(crate) const RELEASE: Effect = Effect { net: -1, floor: 0 };
    /// The thread is known not to hold the lock.
    pub(crate) const ABSENT: Effect = Effect { net: NEVER, floor: 0 };

    pub(crate) fn then(self, next: Effect) -> Effect {
        Effect { net: sum(self.net, next.net), floor: sum(self.floor, next.net).max(next.floor) }
    }

    pub(crate) fn join(self, other: Effect) -> Effect {
        Effect { net: self.net.max(other.net), floor: self.floor.max(other.floor) }
    }

    /// Both, interleaved in any way.
    pub(crate) fn beside(self, other: Effect) -> Effect {
        if self.net == NEVER || other.net == NEVER {
            return Effect { net: self.net.max(other.net).max(0), floor: sum(self.floor, other.floor) };
        }
        Effect { net: sum(self.net, other.net), floor: sum(self.floor, other.floor) }
    }

    /// How often the lock is held at most if it was not before, as far as that is counted.
    pub(crate) fn times(self) -> Option<u8> {
        u8::try_from(self.net.max(self.floor)).ok().filter(|_| self.net != MANY && self.floor != MANY)
    }

    pub(crate) fn may_acquire(self) -> bool {
        self.net > 0 || self.floor > 0
    }
}

fn sum(a: i8, b: i8) -> i8 {
    match (a, b) {
        (NEVER, _) | (_, NEVER) => NEVER,
        (MANY, _) | (_, MANY) => MANY,
        _ => (a + b).clamp(-MANY, MANY),
    }
}

/// What an instruction does to locks by itself.
pub(crate) fn of(op: &Op) -> Option<(Effect, Operand)> {
    let Op::Call { callee: Callee::Intrinsic(intrinsic), args } = op else { return None };
    let effect = match intrinsic {
        Intrinsic::Acquire => Effect::ACQUIRE,
        Intrinsic::Release => Effect::RELEASE,
        Intrinsic::NotHeld => Effect::ABSENT,
        _ => return None,
    };
    Some((effect, *args.first()?))
}

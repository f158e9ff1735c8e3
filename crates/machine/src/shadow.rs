//! Undefined bits of a thread's registers, kept only while there are any.

use icsched_ir::{FuncId, ValueId};

use crate::memory::ObjectId;

/// Where an undefined value was first seen, for the message.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Source {
    /// Not known.
    #[default]
    Unknown,
    /// A read of an object at an offset.
    Memory(ObjectId, u64),
    /// A local that is not in memory.
    Local(FuncId, ValueId),
}

/// What is undefined in a register.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Shadow {
    /// Ones where bits are undefined; zero above the type's width.
    pub(crate) mask: u64,
    pub(crate) source: Source,
}

impl Shadow {
    pub(crate) const DEFINED: Shadow = Shadow { mask: 0, source: Source::Unknown };

    pub(crate) const fn is_defined(self) -> bool {
        self.mask == 0
    }
}

/// The undefined registers of a thread. Empty, and without any cost, while there are none.
#[derive(Clone, Default, Debug)]
pub(crate) struct Shadows {
    /// By register, the last one being undefined.
    registers: Vec<Shadow>,
    /// The next instruction reads an undefined constant or undefined memory.
    next: bool,
}

impl Shadows {
    /// Whether the activation whose registers start at `base`, being the innermost one, has undefined registers, or the
    /// next instruction reads something undefined.
    #[inline]
    pub(crate) const fn concern(&self, base: u32) -> bool {
        self.next || self.reach(base)
    }

    /// Whether a register from `base` on is undefined.
    #[inline]
    pub(crate) const fn reach(&self, base: u32) -> bool {
        self.registers.len() > base as usize
    }

    /// The next instruction reads an undefined constant or undefined memory.
    pub(crate) const fn expect(&mut self) {
        self.next = true;
    }

    /// That instruction's effect is known.
    pub(crate) const fn done(&mut self) {
        self.next = false;
    }

    /// The undefined bits of a register.
    pub(crate) fn get(&self, register: usize) -> Shadow {
        self.registers.get(register).copied().unwrap_or(Shadow::DEFINED)
    }

    /// Whether none of these registers is undefined, and nothing is that the next instruction reads.
    pub(crate) fn are_defined(&self, mut registers: impl Iterator<Item = usize>) -> bool {
        !self.next && registers.all(|register| self.get(register).is_defined())
    }

    /// Replaces the undefined bits of a register.
    pub(crate) fn set(&mut self, register: usize, shadow: Shadow) {
        if register >= self.registers.len() {
            if shadow.is_defined() {
                return;
            }
            self.registers.resize(register + 1, Shadow::DEFINED);
        }
        self.registers[register] = shadow;
        self.trim();
    }

    /// Forgets the registers from this one on.
    pub(crate) fn truncate(&mut self, registers: usize) {
        if self.registers.len() > registers {
            self.registers.truncate(registers);
            self.trim();
        }
    }

    /// Forgets the registers from `base` on that are dead.
    pub(crate) fn retain(&mut self, base: u32, is_live: impl Fn(usize) -> bool) {
        let base = base as usize;
        for (shadow, i) in self.registers.iter_mut().skip(base).zip(0..) {
            if !shadow.is_defined() && !is_live(i) {
                *shadow = Shadow::DEFINED;
            }
        }
        self.trim();
    }

    fn trim(&mut self) {
        let end = self.registers.iter().rposition(|s| !s.is_defined()).map_or(0, |last| last + 1);
        self.registers.truncate(end);
    }
}

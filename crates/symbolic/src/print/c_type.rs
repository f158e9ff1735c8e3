//! C's integer types, and what C does with numbers of them: `unsigned char` promotes to `int`, `int + unsigned` is
//! `unsigned`.
//!
//! As of x86-64 Linux with `gcc` and `clang`: `char` is signed, `long` has 64 bits, signed numbers wrap (`-fwrapv`).

/// An integer type of 8, 16, 32, 64 or 128 bits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct CType {
    /// Width in bits.
    pub(super) bits: u32,
    /// Whether it has negative numbers.
    pub(super) signed: bool,
}

/// Numbers from the least to the greatest. `i128::MAX` as the greatest stands for more than that, too.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) least: i128,
    pub(super) greatest: i128,
}

impl CType {
    pub(super) const INT: CType = CType { bits: 32, signed: true };

    /// The type of exactly so many bits.
    pub(super) fn exactly(bits: u32, signed: bool) -> Option<CType> {
        matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(CType { bits, signed })
    }

    /// The narrowest type of at least so many bits.
    pub(super) fn holding(bits: u32, signed: bool) -> CType {
        CType { bits: bits.next_power_of_two().max(8), signed }
    }

    pub(super) fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, true) => "char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned",
            (64, true) => "long",
            (64, false) => "unsigned long",
            (_, true) => "__int128",
            (_, false) => "unsigned __int128",
        }
    }

    /// The type of an operand: no operator computes in less than `int`.
    pub(super) fn promoted(self) -> CType {
        if self.bits < 32 { Self::INT } else { self }
    }

    /// The type in which an operator computes that has operands of these types.
    pub(super) fn common(self, other: CType) -> CType {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => CType { bits: a.bits, signed: a.signed && b.signed },
        }
    }

    /// All its numbers.
    pub(super) fn range(self) -> Range {
        Range::of_bits(self.bits, self.signed)
    }
}

impl Range {
    /// What so many bits can be.
    pub(super) fn of_bits(bits: u32, signed: bool) -> Range {
        if signed {
            let half = 1i128.checked_shl(bits - 1).unwrap_or(i128::MIN);
            return Range { least: half.checked_neg().unwrap_or(i128::MIN), greatest: half.wrapping_sub(1) };
        }
        let greatest = if bits < 127 { (1 << bits) - 1 } else { i128::MAX };
        Range { least: 0, greatest }
    }

    pub(super) fn only(value: i128) -> Range {
        Range { least: value, greatest: value }
    }

    /// Whether all are numbers of so many bits.
    pub(super) fn fits(self, bits: u32, signed: bool) -> bool {
        let all = Range::of_bits(bits, signed);
        let is_bounded = self.greatest < i128::MAX || bits == 128 && !signed;
        is_bounded && all.least <= self.least && self.greatest <= all.greatest
    }

    pub(super) fn fits_type(self, ty: CType) -> bool {
        self.fits(ty.bits, ty.signed)
    }

    /// Those that are in another range, too; all if there are none.
    pub(super) fn and(self, other: Range) -> Range {
        let both = Range { least: self.least.max(other.least), greatest: self.greatest.min(other.greatest) };
        if both.least <= both.greatest { both } else { self }
    }

    /// The least range with both.
    pub(super) fn join(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }

    /// What an operation that is monotone in each operand gives; `None` if that has more than 128 bits.
    pub(super) fn map(self, other: Range, op: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        if self.greatest == i128::MAX || other.greatest == i128::MAX {
            return None;
        }
        let mut all = [0; 4];
        for (i, found) in all.iter_mut().enumerate() {
            let a = if i & 1 == 0 { self.least } else { self.greatest };
            let b = if i & 2 == 0 { other.least } else { other.greatest };
            *found = op(a, b)?;
        }
        Some(Range { least: *all.iter().min()?, greatest: *all.iter().max()? })
    }

    /// The numbers that have no more bits than these: what bit operators can give.
    pub(super) fn same_bits(self, other: Range) -> Option<Range> {
        let all = self.join(other);
        if all.greatest == i128::MAX {
            return None;
        }
        let magnitude = all.greatest.max(!all.least.min(0));
        let greatest = (1i128.checked_shl(128 - magnitude.leading_zeros())?).checked_sub(1).filter(|&g| g >= 0)?;
        Some(Range { least: if all.least < 0 { !greatest } else { 0 }, greatest })
    }
}

//! Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014).

/// A sequence that a seed decides.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.number() % bound as u64).expect("less than a usize")
    }

    /// Whether something that happens in so many of a hundred cases does.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

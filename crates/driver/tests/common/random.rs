//! Random numbers that are the same on every machine: a linear congruential generator modulo 2^64, its upper bits.

#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed ^ 0x2545_f491_4f6c_dd1d);
        for _ in 0..4 {
            random.below(2);
        }
        random
    }

    /// The numbers of a round for what has this name: the same whatever else there is.
    pub(crate) fn of(name: &str, round: u64) -> Self {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self::new(name.bytes().fold(0xcbf2_9ce4_8422_2325, hash).wrapping_add(round))
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// True with this probability in percent.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.below(from.len() as u64)).expect("below the length")].clone()
    }
}

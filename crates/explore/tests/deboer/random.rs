//! Random numbers that are the same on every machine.

/// `SplitMix64` (Steele, Lea and Flood 2014).
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mixed(seed ^ 0x5851_f42d_4c95_7f2d))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    /// True with this probability in percent.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn mixed(x: u64) -> u64 {
    let z = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A number that depends on all bytes and nothing else.
pub(crate) fn digest(bytes: &[u8], seed: u64) -> u64 {
    bytes.iter().fold(mixed(seed), |h, &b| mixed(h ^ u64::from(b)).wrapping_add(0x9e37_79b9_7f4a_7c15))
}

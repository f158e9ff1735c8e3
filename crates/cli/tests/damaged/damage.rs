//! Damage that a seed decides.

/// Numbers from a seed (SplitMix64).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).expect("it is below a usize")
    }
}

/// Cuts the bytes off, flips bits, or overwrites words: with anything, with words from elsewhere, with zeros. Bitcode
/// is made of words of four bytes.
pub(crate) fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) -> &'static str {
    let length = bytes.len();
    let word = |numbers: &mut Numbers| numbers.below(length / 4) * 4;
    let some_bytes = |numbers: &mut Numbers| (1 + numbers.below(16)) * 4;
    match numbers.below(8) {
        0 => {
            bytes.truncate(numbers.below(length));
            "cut off"
        }
        1..=4 => {
            for _ in 0..1 << numbers.below(5) {
                bytes[numbers.below(length)] ^= 1 << numbers.below(8);
            }
            "flipped bits"
        }
        5 => {
            let at = word(numbers);
            bytes[at..].iter_mut().take(4).for_each(|byte| *byte = numbers.next().to_le_bytes()[0]);
            "another word"
        }
        6 => {
            let (from, to, count) = (word(numbers), word(numbers), some_bytes(numbers));
            let copied: Vec<u8> = bytes[from..].iter().take(count).copied().collect();
            bytes[to..].iter_mut().zip(copied).for_each(|(byte, new)| *byte = new);
            "words copied"
        }
        _ => {
            let (at, count) = (word(numbers), some_bytes(numbers));
            bytes[at..].iter_mut().take(count).for_each(|byte| *byte = 0);
            "words zeroed"
        }
    }
}

//! Which bits of memory were never written: one bit per byte, and one per bit where a byte is undefined in part.

use smallvec::SmallVec;

/// Bytes per page of an object of several.
pub(super) const PAGE: usize = 256;

/// Bits of a word of [`Undefined::defined`].
const WORD: usize = 64;

/// The undefined bytes of a page, of which there is at least one.
#[derive(Clone)]
pub(super) struct Undefined {
    /// A zero for each byte with undefined bits. Zeros are what large allocations cost nothing for.
    defined: SmallVec<[u64; PAGE / WORD]>,
    /// How many there are.
    left: usize,
    /// The undefined bits of those bytes; without it, all eight.
    bits: Option<Box<[u8]>>,
}

/// What was written of a page.
#[derive(Copy, Clone)]
pub(super) enum Written<'a> {
    All,
    Nothing,
    /// All but this.
    But(&'a Undefined),
}

impl<'a> Written<'a> {
    #[inline]
    pub(super) fn of(undefined: &'a Option<Box<Undefined>>) -> Self {
        match undefined {
            None => Written::All,
            Some(undefined) => Written::But(undefined),
        }
    }

    /// Whether one of these bytes is undefined.
    #[inline]
    pub(super) fn touches(self, at: usize, n: usize) -> bool {
        match self {
            Written::All => false,
            Written::Nothing => true,
            Written::But(undefined) => undefined.touches(at, n),
        }
    }

    /// The undefined bits of a byte.
    pub(super) fn undefined(self, at: usize) -> u8 {
        match self {
            Written::All => 0,
            Written::Nothing => 0xFF,
            Written::But(undefined) => undefined.get(at),
        }
    }
}

impl Undefined {
    /// Of a page of this size of which nothing was written.
    pub(super) fn all(size: usize) -> Self {
        Self { defined: zeros(size), left: size, bits: None }
    }

    /// Of a page of this size of which everything was written.
    fn none(size: usize) -> Self {
        let mut undefined = Self::all(size);
        undefined.defined.fill(u64::MAX);
        undefined.left = 0;
        undefined
    }

    /// Whether one of these bytes, inside the page, is undefined.
    fn touches(&self, at: usize, n: usize) -> bool {
        words(at, n).any(|(word, mask)| self.defined.get(word).is_some_and(|defined| !defined & mask != 0))
    }

    fn get(&self, at: usize) -> u8 {
        if self.defined[at / WORD] >> (at % WORD) & 1 != 0 {
            return 0;
        }
        self.bits.as_ref().map_or(0xFF, |bits| bits[at])
    }

    /// Sets the undefined bits of a byte of a page of this size.
    pub(super) fn set(this: &mut Option<Box<Self>>, size: usize, at: usize, mask: u8) {
        if mask == 0 {
            return Self::define(this, at, 1);
        }
        let undefined = this.get_or_insert_with(|| Box::new(Self::none(size)));
        let (word, bit) = (at / WORD, 1 << (at % WORD));
        undefined.left += usize::from(undefined.defined[word] & bit != 0);
        undefined.defined[word] &= !bit;
        if mask != 0xFF || undefined.bits.is_some() {
            undefined.bits.get_or_insert_with(|| vec![0xFF; size].into())[at] = mask;
        }
    }

    /// Marks bytes as written.
    pub(super) fn define(this: &mut Option<Box<Self>>, at: usize, n: usize) {
        let Some(undefined) = this else { return };
        for (word, mask) in words(at, n) {
            undefined.left -= (!undefined.defined[word] & mask).count_ones() as usize;
            undefined.defined[word] |= mask;
        }
        if undefined.left == 0 {
            *this = None;
        }
    }
}

/// One bit for each of so many bytes.
fn zeros(size: usize) -> SmallVec<[u64; PAGE / WORD]> {
    match size.div_ceil(WORD) {
        words @ ..=4 => SmallVec::from_elem(0, words),
        words => SmallVec::from_vec(vec![0; words]),
    }
}

/// The words that bytes have bits in, and which bits.
#[inline]
fn words(at: usize, n: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = at + n;
    let mut at = at;
    std::iter::from_fn(move || {
        let (word, shift) = (at / WORD, at % WORD);
        let here = (WORD - shift).min(end.checked_sub(at).filter(|&n| n != 0)?);
        at += here;
        Some((word, (u64::MAX >> (WORD - here)) << shift))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(undefined: &Option<Box<Undefined>>, at: usize, n: usize) -> bool {
        Written::of(undefined).touches(at, n)
    }

    #[test]
    fn bytes_become_defined_and_undefined_across_words() {
        for size in [PAGE, 5000] {
            for start in [0, 60, 63, 64, 120, 250] {
                let n = 6;
                let mut undefined = Some(Box::new(Undefined::all(size)));
                Undefined::define(&mut undefined, start, n);
                assert!(!touches(&undefined, start, n), "at {start}");
                assert!(start == 0 || touches(&undefined, start - 1, n), "before {start}");
                assert!(start + n == size || touches(&undefined, start + 1, n), "behind {start}");
                Undefined::set(&mut undefined, size, start + 2, 0x0F);
                assert!(touches(&undefined, start, n));
                let written = Written::of(&undefined);
                assert_eq!((written.undefined(start + 1), written.undefined(start + 2)), (0, 0x0F));
            }
        }
    }

    #[test]
    fn a_page_knows_when_nothing_is_undefined_any_more() {
        let mut undefined = Some(Box::new(Undefined::all(PAGE)));
        Undefined::define(&mut undefined, 0, PAGE - 1);
        Undefined::define(&mut undefined, 5, 3);
        assert!(touches(&undefined, PAGE - 1, 1));
        Undefined::set(&mut undefined, PAGE, PAGE - 1, 0);
        assert!(undefined.is_none());
        Undefined::set(&mut undefined, PAGE, 7, 0xFF);
        assert!(touches(&undefined, 0, 8) && !touches(&undefined, 8, PAGE - 8));
    }
}

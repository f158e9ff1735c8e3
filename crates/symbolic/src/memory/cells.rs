//! Bytes that were written to an object of an initial state at constant offsets: by words, since programs write words,
//! and shared between the states of paths.

use icsched_smt::Term;
use imbl::OrdMap;
use smallvec::SmallVec;

use icsched_machine::domain::MemoryByte;

/// The bytes of a value, the lowest first.
pub(crate) type Bytes = SmallVec<[MemoryByte<Term>; 8]>;

/// Bytes of a word.
const WORD: u64 = u8::BITS as u64;

/// The bytes from a multiple of [`WORD`] on.
#[derive(Clone, Debug)]
struct Word {
    /// A bit for each that was written.
    written: u8,
    bytes: [MemoryByte<Term>; WORD as usize],
}

impl Word {
    const NONE: Self = Self { written: 0, bytes: [const { MemoryByte::Constant(0) }; WORD as usize] };

    fn get(&self, at: u64) -> Option<&MemoryByte<Term>> {
        (self.written >> at & 1 != 0).then(|| &self.bytes[at as usize])
    }

    fn write(&mut self, at: u64, bytes: impl Iterator<Item = MemoryByte<Term>>) {
        for (at, byte) in (at..WORD).zip(bytes) {
            self.written |= 1 << at;
            self.bytes[at as usize] = byte;
        }
    }

    fn bytes(&self) -> impl Iterator<Item = (u64, &MemoryByte<Term>)> {
        (0..WORD).filter_map(|at| Some((at, self.get(at)?)))
    }
}

/// The written bytes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cells(OrdMap<u64, Word>);

impl Cells {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was written to a byte.
    pub(crate) fn get(&self, at: u64) -> Option<&MemoryByte<Term>> {
        self.0.get(&(at / WORD))?.get(at % WORD)
    }

    /// What was written to some bytes. Behind the greatest offset, which is the byte in front of an object, comes its
    /// first byte.
    pub(crate) fn read(&self, at: u64, n: u64) -> impl Iterator<Item = Option<MemoryByte<Term>>> {
        let in_front = match at.checked_add(n) {
            Some(_) => n,
            None => at.wrapping_neg(),
        };
        let parts = [(at, in_front), (0, n - in_front)].into_iter().filter(|(_, n)| *n > 0);
        parts.flat_map(|(at, n)| {
            let last = at + (n - 1);
            let words = (at / WORD..=last / WORD).map(|number| (number, self.0.get(&number)));
            words.flat_map(move |(number, word)| {
                let start = number * WORD;
                let bytes = at.max(start)..=last.min(start + (WORD - 1));
                bytes.map(move |at| word.and_then(|word| word.get(at - start)).cloned())
            })
        })
    }

    /// What eight bytes hold from a multiple of eight on; `None` if none of them was written.
    pub(crate) fn word(&self, at: u64) -> Option<[Option<&MemoryByte<Term>>; WORD as usize]> {
        let word = self.0.get(&(at / WORD)).filter(|word| word.written != 0)?;
        Some(std::array::from_fn(|at| word.get(at as u64)))
    }

    /// The first byte from an offset on that was written.
    pub(crate) fn next(&self, at: u64) -> Option<u64> {
        let mut from_here = self.0.range(at / WORD..).flat_map(|(number, word)| {
            let start = number * WORD;
            word.bytes().map(move |(at, _)| start + at)
        });
        from_here.find(|&written| written >= at)
    }

    /// All bytes that were written, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &MemoryByte<Term>)> {
        self.0.iter().flat_map(|(number, word)| {
            let start = number * WORD;
            word.bytes().map(move |(at, byte)| (start + at, byte))
        })
    }

    /// The multiples of eight from which on some of eight bytes were written, ascending.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.0.keys().map(|number| number * WORD)
    }

    /// Writes bytes.
    pub(crate) fn write(&mut self, at: u64, bytes: Bytes) {
        let mut bytes = bytes.into_iter();
        let mut here = at;
        while bytes.len() > 0 {
            let first = here % WORD;
            let some = bytes.by_ref().take((WORD - first) as usize);
            match self.0.get_mut(&(here / WORD)) {
                Some(word) => word.write(first, some),
                None => {
                    let mut word = Word::NONE;
                    word.write(first, some);
                    self.0.insert(here / WORD, word);
                }
            }
            here = here.wrapping_add(WORD - first);
        }
    }
}

impl FromIterator<(u64, MemoryByte<Term>)> for Cells {
    fn from_iter<I: IntoIterator<Item = (u64, MemoryByte<Term>)>>(bytes: I) -> Self {
        let mut new = Self::default();
        for (at, byte) in bytes {
            new.write(at, Bytes::from_iter([byte]));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constants(values: &[u8]) -> Bytes {
        values.iter().map(|&byte| MemoryByte::Constant(byte)).collect()
    }

    /// What an allocator keeps in front of what it gives.
    #[test]
    fn bytes_in_front_of_an_object_are_bytes_like_others() {
        let mut cells = Cells::default();
        cells.write(8u64.wrapping_neg(), constants(&[1, 2, 3, 4, 5, 6, 7, 8]));
        let read = |cells: &Cells, at: u64, n| cells.read(at, n).collect::<Option<Bytes>>();
        assert_eq!(read(&cells, 8u64.wrapping_neg(), 8), Some(constants(&[1, 2, 3, 4, 5, 6, 7, 8])));
        assert_eq!(read(&cells, u64::MAX, 1), Some(constants(&[8])));
        assert_eq!(read(&cells, 2u64.wrapping_neg(), 4), None, "what is behind the first byte was not written");
        cells.write(2u64.wrapping_neg(), constants(&[11, 12, 13, 14]));
        assert_eq!(read(&cells, 3u64.wrapping_neg(), 5), Some(constants(&[6, 11, 12, 13, 14])));
        assert_eq!(cells.next(u64::MAX), Some(u64::MAX));
    }

    #[test]
    fn bytes_across_words_are_found_again() {
        let mut cells = Cells::default();
        cells.write(6, constants(&[1, 2, 3, 4]));
        cells.write(24, constants(&[5, 6, 7, 8, 9, 10, 11, 12]));
        let read = |at, n| cells.read(at, n).collect::<Vec<_>>();
        let [one, two, three] = [1, 2, 3].map(|byte| Some(MemoryByte::Constant(byte)));
        assert_eq!(read(5, 4), [None, one, two, three]);
        assert_eq!(read(30, 3), [Some(MemoryByte::Constant(11)), Some(MemoryByte::Constant(12)), None]);
        assert_eq!(read(40, 2), [None, None]);
        assert_eq!(cells.iter().map(|(at, _)| at).collect::<Vec<_>>(), [6, 7, 8, 9, 24, 25, 26, 27, 28, 29, 30, 31]);
        assert_eq!([0, 7, 10, 31, 32].map(|at| cells.next(at)), [Some(6), Some(7), Some(24), Some(31), None]);
        assert_eq!(cells.get(9), Some(&MemoryByte::Constant(4)));
        assert_eq!((cells.get(10), cells.word(16)), (None, None));
        assert_eq!(cells.word(24).map(|bytes| bytes.iter().flatten().count()), Some(8));
    }
}

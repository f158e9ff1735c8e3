//! What bytes of an object of the initial state hold, by offset: in pieces, since neighbours are mostly known together.

use std::ops::RangeInclusive;

use icsched_smt::Term;

use icsched_machine::domain::MemoryByte;

/// Bytes of a piece.
const PIECE: u64 = u64::BITS as u64;

/// Some bytes at offsets from a multiple of [`PIECE`] on.
#[derive(Debug)]
struct Piece {
    /// A bit for each that is known.
    known: u64,
    bytes: [MemoryByte<Term>; PIECE as usize],
}

/// The known bytes of an object.
#[derive(Default, Debug)]
pub(crate) struct KnownBytes {
    /// With their offsets / [`PIECE`], ascending: most are set in that order.
    pieces: Vec<(u64, Box<Piece>)>,
}

impl KnownBytes {
    /// Says what a byte holds.
    pub(crate) fn set(&mut self, at: u64, byte: MemoryByte<Term>) {
        let piece = self.piece(at / PIECE);
        piece.known |= 1 << (at % PIECE);
        piece.bytes[(at % PIECE) as usize] = byte;
    }

    /// Says what some of the bytes from an offset on hold: those with a bit in `known`.
    pub(crate) fn set_page(&mut self, start: u64, known: u64, bytes: &[u8; PIECE as usize]) {
        let known = (0..PIECE).zip(bytes).filter(|(bit, _)| known >> bit & 1 != 0);
        let known = known.map(|(bit, &byte)| (bit, MemoryByte::Constant(byte)));
        if !start.is_multiple_of(PIECE) {
            return known.for_each(|(bit, byte)| self.set(start + bit, byte));
        }
        let piece = self.piece(start / PIECE);
        for (bit, byte) in known {
            piece.known |= 1 << bit;
            piece.bytes[bit as usize] = byte;
        }
    }

    fn piece(&mut self, number: u64) -> &mut Piece {
        let place = match self.pieces.last() {
            Some(last) if last.0 == number => self.pieces.len() - 1,
            _ => self.place(number).unwrap_or_else(|place| {
                let none = Piece { known: 0, bytes: [const { MemoryByte::Constant(0) }; PIECE as usize] };
                self.pieces.insert(place, (number, Box::new(none)));
                place
            }),
        };
        &mut self.pieces[place].1
    }

    /// Where a piece is, or would have to be.
    fn place(&self, number: u64) -> Result<usize, usize> {
        self.pieces.binary_search_by_key(&number, |piece| piece.0)
    }

    /// What a byte holds, if that is known.
    pub(crate) fn get(&self, at: u64) -> Option<&MemoryByte<Term>> {
        let (_, piece) = &self.pieces[self.place(at / PIECE).ok()?];
        (piece.known >> (at % PIECE) & 1 != 0).then(|| &piece.bytes[(at % PIECE) as usize])
    }

    /// What eight bytes hold from a multiple of eight on, if all of them are constants.
    pub(crate) fn word(&self, at: u64) -> Option<u64> {
        let (_, piece) = &self.pieces[self.place(at / PIECE).ok()?];
        let first = (at % PIECE) as usize;
        let held = piece.bytes.get(first..first + 8).filter(|_| piece.known >> first & 0xff == 0xff)?;
        held.iter().rev().try_fold(0, |word, byte| match byte {
            MemoryByte::Constant(byte) => Some(word << 8 | u64::from(*byte)),
            MemoryByte::Symbolic(_) => None,
        })
    }

    /// The offset of the last byte that is known.
    pub(crate) fn last(&self) -> Option<u64> {
        let (number, piece) = self.pieces.last()?;
        piece.known.checked_ilog2().map(|bit| number * PIECE + u64::from(bit))
    }

    /// The known bytes at these offsets, ascending.
    pub(crate) fn range(&self, offsets: RangeInclusive<u64>) -> impl Iterator<Item = (u64, &MemoryByte<Term>)> {
        let first = self.pieces.partition_point(|piece| piece.0 < offsets.start() / PIECE);
        let last = *offsets.end();
        let pieces = self.pieces[first..].iter().take_while(move |(piece, _)| piece * PIECE <= last);
        let bytes = pieces.flat_map(|(piece, held)| {
            let known = (0..PIECE).filter(|at| held.known >> at & 1 != 0);
            known.map(move |at| (piece * PIECE + at, &held.bytes[at as usize]))
        });
        bytes.filter(move |(at, _)| offsets.contains(at))
    }

    /// The multiples of eight from which on some of eight bytes are known, ascending.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.pieces.iter().flat_map(|(piece, held)| {
            let known = (0..PIECE).step_by(8).filter(|at| held.known >> at & 0xff != 0);
            known.map(move |at| piece * PIECE + at)
        })
    }

    /// All that are known, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &MemoryByte<Term>)> {
        self.range(0..=u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_in_order_across_pieces() {
        let mut known = KnownBytes::default();
        assert_eq!(known.last(), None);
        for at in [200, 63, 64, 0, 65] {
            known.set(at, MemoryByte::Constant(at as u8));
            assert_eq!(known.last(), Some(200));
        }
        known.set(64, MemoryByte::Constant(7));
        let offsets = |range: RangeInclusive<u64>| known.range(range).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(offsets(0..=u64::MAX), [0, 63, 64, 65, 200]);
        assert_eq!(offsets(1..=64), [63, 64]);
        assert_eq!(offsets(66..=199), []);
        assert_eq!(offsets(1..=62), []);
        assert_eq!(known.get(64), Some(&MemoryByte::Constant(7)));
        assert_eq!(known.get(66), None);
        assert_eq!(known.iter().count(), 5);
        assert_eq!(known.words().collect::<Vec<_>>(), [0, 56, 64, 200]);
        assert_eq!(known.word(64), None, "some of the bytes are not known");
        for at in 64..72 {
            known.set(at, MemoryByte::Constant(at as u8));
        }
        assert_eq!(known.word(64), Some(0x4746_4544_4342_4140));
        let mut page = [0; PIECE as usize];
        (page[0], page[9]) = (1, 2);
        for start in [128, 400] {
            known.set_page(start, 1 | 1 << 9, &page);
            let set = known.range(start..=start + (PIECE - 1)).collect::<Vec<_>>();
            assert_eq!(set, [(start, &MemoryByte::Constant(1)), (start + 9, &MemoryByte::Constant(2))]);
        }
    }
}

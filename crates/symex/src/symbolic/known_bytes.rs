//! What bytes of an object of the initial state hold, by offset: in pieces, since neighbours are mostly known together.

use std::collections::BTreeMap;
use std::ops::Range;

use icsched_smt::Term;

use crate::domain::MemoryByte;

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
    /// By offset / [`PIECE`].
    pieces: BTreeMap<u64, Box<Piece>>,
}

impl KnownBytes {
    /// Says what a byte holds.
    pub(crate) fn set(&mut self, at: u64, byte: MemoryByte<Term>) {
        let new = || Box::new(Piece { known: 0, bytes: [const { MemoryByte::Constant(0) }; PIECE as usize] });
        let piece = self.pieces.entry(at / PIECE).or_insert_with(new);
        piece.known |= 1 << (at % PIECE);
        piece.bytes[(at % PIECE) as usize] = byte;
    }

    /// What a byte holds, if that is known.
    pub(crate) fn get(&self, at: u64) -> Option<&MemoryByte<Term>> {
        let piece = self.pieces.get(&(at / PIECE))?;
        (piece.known >> (at % PIECE) & 1 != 0).then(|| &piece.bytes[(at % PIECE) as usize])
    }

    /// The known bytes at these offsets, ascending.
    pub(crate) fn range(&self, offsets: Range<u64>) -> impl Iterator<Item = (u64, &MemoryByte<Term>)> {
        let last = if offsets.is_empty() { 0 } else { offsets.end.div_ceil(PIECE) };
        let pieces = (!offsets.is_empty()).then(|| self.pieces.range(offsets.start / PIECE..last));
        let bytes = pieces.into_iter().flatten().flat_map(|(&piece, held)| {
            let known = (0..PIECE).filter(|at| held.known >> at & 1 != 0);
            known.map(move |at| (piece * PIECE + at, &held.bytes[at as usize]))
        });
        bytes.filter(move |(at, _)| offsets.contains(at))
    }

    /// All that are known, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &MemoryByte<Term>)> {
        self.range(0..u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_in_order_across_pieces() {
        let mut known = KnownBytes::default();
        for at in [200, 63, 64, 0, 65] {
            known.set(at, MemoryByte::Constant(at as u8));
        }
        known.set(64, MemoryByte::Constant(7));
        let offsets = |range: Range<u64>| known.range(range).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(offsets(0..u64::MAX), [0, 63, 64, 65, 200]);
        assert_eq!(offsets(1..65), [63, 64]);
        assert_eq!(offsets(66..200), []);
        assert_eq!(offsets(64..64), []);
        assert_eq!(known.get(64), Some(&MemoryByte::Constant(7)));
        assert_eq!(known.get(66), None);
        assert_eq!(known.iter().count(), 5);
    }
}

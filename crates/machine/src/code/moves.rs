//! Parallel moves in sequence.

use super::instr::Slot;

/// Orders moves that happen at once so that they can be executed one after the other; `scratch` breaks cycles.
pub(super) fn sequentialise(mut pending: Vec<(Slot, Slot)>, scratch: Slot, out: &mut Vec<(Slot, Slot)>) {
    pending.retain(|&(dst, src)| dst != src);
    while !pending.is_empty() {
        let ready = (0..pending.len()).find(|&i| pending.iter().all(|&(_, src)| src != pending[i].0));
        if let Some(i) = ready {
            out.push(pending.remove(i));
            continue;
        }
        // Every destination is still read by somebody: save one of them.
        let saved = pending[0].0;
        out.push((scratch, saved));
        for (_, src) in &mut pending {
            if *src == saved {
                *src = scratch;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(moves: &[(Slot, Slot)]) {
        let mut registers: Vec<u32> = (0..8).collect();
        let expected: Vec<(Slot, u32)> = moves.iter().map(|&(dst, src)| (dst, registers[src as usize])).collect();
        let mut sequence = Vec::new();
        sequentialise(moves.to_vec(), 7, &mut sequence);
        for (dst, src) in sequence {
            registers[dst as usize] = registers[src as usize];
        }
        for (dst, value) in expected {
            assert_eq!(registers[dst as usize], value, "{moves:?}");
        }
    }

    #[test]
    fn all_small_permutations_and_copies() {
        for code in 0..4u32.pow(4) {
            let sources = (0..4).map(|i| code / 4u32.pow(i) % 4);
            check(&(0..4).zip(sources).collect::<Vec<_>>());
        }
        check(&[(0, 1), (1, 0), (2, 3), (3, 2), (4, 0), (5, 3)]);
    }
}

//! Data races in runs: two accesses of a variable by different threads, one of them a write, that no synchronisation
//! orders. A result of icsched holds if there are none.

use std::collections::{BTreeSet, HashMap};

use super::clock::Clock;
use super::names::Names;
use super::trace::{Access, Run, Step};

/// Where a step or a run is cut: words with more accesses than this are looked at no further.
const MOST_OF_WORD: usize = 64;

/// Addresses from here on are of stacks and maps, which are used again: nothing is said of them.
const MAPS: u64 = 0x7000_0000_0000;

/// The data races of a run, in words.
pub(super) fn races(run: &Run, names: &mut Names<'_>) -> BTreeSet<String> {
    let mut clocks: Vec<Clock> = Vec::new();
    let mut last: HashMap<u64, usize> = HashMap::new();
    let mut words: HashMap<u64, Vec<(usize, Access)>> = HashMap::new();
    let mut found = BTreeSet::new();
    for (at, step) in run.steps.iter().enumerate() {
        let thread = step.choice.thread;
        let mut clock = last.get(&thread).map(|&before| clocks[before].clone()).unwrap_or_default();
        for access in step.touched.words() {
            for (earlier, other) in words.get(&access.word()).into_iter().flatten() {
                if access.conflicts(*other) && access.synchronises() && other.synchronises() {
                    clock.join(&clocks[*earlier]);
                }
            }
        }
        // The operation comes first: what the step does behind it is ordered by the thread's next operation.
        clock.set(thread, last.get(&thread).map_or(0, |&before| clocks[before].of(thread) + 1));
        for &access in step.touched.words() {
            let of_word = words.entry(access.word()).or_default();
            for &(earlier, other) in of_word.iter() {
                let first = run.steps[earlier].choice.thread;
                let plain = !(access.synchronises() && other.synchronises());
                if first != thread && plain && access.conflicts(other) && clock.of(first) <= clocks[earlier].of(first) {
                    found.extend(describe(access, &run.steps[earlier], step, names));
                }
            }
            if of_word.len() < MOST_OF_WORD {
                of_word.push((at, access));
            }
        }
        clocks.push(clock);
        last.insert(thread, at);
    }
    found
}

fn describe(access: Access, first: &Step, second: &Step, names: &mut Names<'_>) -> Option<String> {
    let address = access.word() << 2;
    if address >= MAPS {
        return None;
    }
    let what = match names.variable(address) {
        Some((name, 0)) => name.to_owned(),
        Some((name, offset)) => format!("{name}+{offset}"),
        None => "the heap".to_owned(),
    };
    let mut behind = |step: &Step| {
        let place = names.place(step.pending(), &[]);
        format!("behind {place}")
    };
    Some(format!("{what}: {}, and {}", behind(first), behind(second)))
}

//! The idioms, in the order in which they are asked.

use super::all_present::AllPresent;
use super::distinct::Distinct;
use super::handed_over::HandedOver;
use super::idiom::{Idiom, Inputs, Invariants, Threads};
use super::in_step::InStep;
use super::least_expected::LeastExpected;
use super::same_iteration::SameIteration;

/// Makes each idiom, with nothing remembered. What an idiom finds is known to those below it.
const TABLE: [fn() -> Box<dyn Idiom>; 6] = [
    // Looks at creations and counters alone.
    || Box::<Distinct>::default(),
    // Looks at creations alone; what all threads are handed the same is what threads in step agree on.
    || Box::<HandedOver>::default(),
    // Starts from the parameters that relations so far make equal.
    || Box::<InStep>::default(),
    // Compares iterations of one loop, without following the code: adds what threads in step were not seen to share.
    || Box::<SameIteration>::default(),
    // Counts threads, whatever they hold.
    || Box::<LeastExpected>::default(),
    // Turns the least that barriers expect into the most.
    || Box::<AllPresent>::default(),
];

/// All idioms, with what they remember between contexts.
pub(crate) struct Idioms(Vec<Box<dyn Idiom>>);

impl Default for Idioms {
    fn default() -> Self {
        Self(TABLE.iter().map(|make| make()).collect())
    }
}

impl Idioms {
    /// What all idioms say of the threads of a context.
    pub(crate) fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>) -> Invariants {
        let mut found = Invariants::default();
        for idiom in &mut self.0 {
            idiom.recognise(inputs, threads, &mut found);
        }
        found
    }
}

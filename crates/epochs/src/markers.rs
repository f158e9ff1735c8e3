//! Epoch markers: where an epoch ends (Bergan 3.3.1, figure 3.2).
//!
//! A thread that comes to a marker ends its epoch *before* it executes the instruction there, each time it comes by.
//! What placement promises: between two markers a thread synchronises only so often, as far as the number of threads
//! and what they are notified of is bounded. And a loop or recursion that synchronises does not repeat without a
//! marker because some of its iterations do nothing. So markers go where synchronisation repeats, bottom-up over the
//! call graph and over the loops of each function, and nowhere else. `docs/concepts/markers.md` has the argument.
//!
//! Deviations:
//!
//! 1. A barrier is a marker only if it is needed to cover a loop. Bergan ends an epoch at every barrier; outside of
//!    loops that makes more epochs and bounds nothing.
//! 2. Several markers may cover a loop together, on different ways through it, and iterations that are trivial need
//!    none.
//! 3. Loops that create or join threads are trivial only if they are counted, and do one of the two: a loop without a
//!    bound can create threads that end, however few of them live. A wait with a timeout is not trivial either, since
//!    nobody has to notify for it to return.
//! 4. Recursion gets markers (Bergan has none): at entries, and behind calls where the way back synchronises. So do
//!    threads that create threads that do, and functions of the program that a library model calls in a loop.
//! 5. Atomic operations are synchronisation.

mod code;
mod cover;
mod marker;
mod place;
mod placer;
mod recursion;
mod trivial;

pub use marker::{LoopMark, MarkerKind, MarkerOptions, Markers, Unmarked};

//! Ending queries from another thread: at a time limit, a memory limit, or when the user wants it.
//!
//! Z3 can be told to give up while it works. Solvers [register](Interrupt::register) their Z3 context; whoever watches
//! a run [asks](Interrupt::ask) them to stop, once or again and again, and [looks](Interrupt::look) whether a query
//! takes longer than its clock.
//!
//! Invariant: a context is alive as long as it is registered, and is taken off the list under the list's lock.
#![expect(
    unsafe_code,
    reason = "Z3's handle of a context is a pointer, and only its C interface interrupts from another thread"
)]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use z3::Context;

/// Who looks at the clock of queries.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Z3 itself, by a thread of its own.
    Solver,
    /// Somebody who calls [`Interrupt::look`] all the time.
    Watched,
    /// Nobody, since there are no more threads: queries end by the work that they may be.
    Nobody,
}

const SOLVER: u8 = 0;
const WATCHED: u8 = 1;
const NOBODY: u8 = 2;

/// Asks solvers to end their queries undecided. Threads share it.
#[derive(Default, Debug)]
pub struct Interrupt {
    is_asked: AtomicBool,
    clock: AtomicU8,
    queries: Mutex<Vec<Arc<Query>>>,
    /// What this is a part of: whoever interrupts that interrupts this.
    whole: Option<Arc<Interrupt>>,
}

/// The query of a context, if one is under way.
#[derive(Debug)]
struct Query {
    context: NonNull<z3_sys::_Z3_context>,
    /// When it is to end.
    end: Mutex<Option<Instant>>,
}

// SAFETY: other threads do nothing with the context but to interrupt it, which Z3 allows from any thread.
unsafe impl Send for Query {}
// SAFETY: the same.
unsafe impl Sync for Query {}

impl Query {
    /// Has no effect if no query is under way.
    fn interrupt(&self) {
        // SAFETY: the context is alive while it is registered, and whoever calls this holds the lock of the list.
        unsafe { z3_sys::Z3_interrupt(self.context) }
    }
}

impl Interrupt {
    /// For a part, whose queries end alone if it is asked to, and with those of the whole.
    pub fn part_of(whole: &Arc<Interrupt>) -> Self {
        Self { whole: Some(Arc::clone(whole)), ..Self::default() }
    }

    /// Ends all queries that are under way, and those to come at once.
    pub fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
        locked(&self.queries).iter().for_each(|query| query.interrupt());
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed) || self.whole.as_ref().is_some_and(|whole| whole.is_asked())
    }

    /// Says who looks at the clock from now on. Without that it is Z3.
    pub fn set_clock(&self, clock: Clock) {
        let code = match clock {
            Clock::Solver => SOLVER,
            Clock::Watched => WATCHED,
            Clock::Nobody => NOBODY,
        };
        self.clock.store(code, Ordering::Relaxed);
    }

    /// Who looks at the clock.
    pub fn clock(&self) -> Clock {
        match (&self.whole, self.clock.load(Ordering::Relaxed)) {
            (Some(whole), _) => whole.clock(),
            (None, WATCHED) => Clock::Watched,
            (None, NOBODY) => Clock::Nobody,
            (None, _) => Clock::Solver,
        }
    }

    /// Ends queries that take longer than they may.
    pub fn look(&self) {
        let now = Instant::now();
        for query in locked(&self.queries).iter() {
            let end = locked(&query.end);
            // The next query cannot begin meanwhile.
            if end.is_some_and(|end| end <= now) {
                query.interrupt();
            }
        }
    }

    /// Queries of the thread's Z3 context end when this is asked for, until what is returned is dropped.
    pub(crate) fn register(self: &Arc<Self>) -> Registered {
        let context = Context::thread_local();
        let query = Arc::new(Query { context: context.get_z3_context(), end: Mutex::default() });
        let registered = Registered { query, interrupt: Arc::clone(self), _context: context };
        self.and_wholes(|interrupt| locked(&interrupt.queries).push(Arc::clone(&registered.query)));
        registered
    }

    /// This, and what it is a part of.
    fn and_wholes(&self, act: impl Fn(&Self)) {
        let mut next = Some(self);
        while let Some(interrupt) = next {
            act(interrupt);
            next = interrupt.whole.as_deref();
        }
    }
}

/// A context whose queries can be interrupted.
#[derive(Debug)]
pub(crate) struct Registered {
    query: Arc<Query>,
    interrupt: Arc<Interrupt>,
    /// Keeps it alive.
    _context: Context,
}

impl Registered {
    /// Whether queries are to end.
    pub(crate) fn is_asked(&self) -> bool {
        self.interrupt.is_asked()
    }

    /// Who looks at the clock.
    pub(crate) fn clock(&self) -> Clock {
        self.interrupt.clock()
    }

    /// A query begins that may take so long.
    pub(crate) fn begin(&self, clock: Duration) {
        *locked(&self.query.end) = Instant::now().checked_add(clock);
    }

    /// It has ended.
    pub(crate) fn end(&self) {
        *locked(&self.query.end) = None;
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let is_other = |query: &Arc<Query>| !Arc::ptr_eq(query, &self.query);
        self.interrupt.and_wholes(|interrupt| locked(&interrupt.queries).retain(is_other));
    }
}

/// A list is as good after a panic as before.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{TryRecvError, channel};
    use std::thread;

    use z3::ast::BV;
    use z3::{SatResult, Solver};

    use super::*;

    /// That a large prime is no product of two numbers takes Z3 longer than any test.
    fn hard() -> Solver {
        let solver = Solver::new();
        let factor = |name: &str| BV::new_const(name, 64);
        let (x, y) = (factor("x"), factor("y"));
        let prime = BV::from_str(128, "604462909807314587353111").expect("a numeral");
        solver.assert(x.zero_ext(64).bvmul(y.zero_ext(64)).eq(&prime));
        let one = BV::from_u64(1, 64);
        solver.assert(x.bvugt(&one));
        solver.assert(y.bvugt(&one));
        solver
    }

    /// Asks a hard question while another thread does something again and again; then an easy one of the same context.
    fn answers(interrupt: &Arc<Interrupt>, meanwhile: impl Fn(&Interrupt) + Send) -> (SatResult, SatResult) {
        thread::scope(|scope| {
            let (sender, receiver) = channel::<()>();
            scope.spawn(move || {
                while receiver.try_recv() == Err(TryRecvError::Empty) {
                    meanwhile(interrupt);
                    thread::yield_now();
                }
            });
            let registered = interrupt.register();
            registered.begin(Duration::ZERO);
            let to_hard = hard().check();
            registered.end();
            drop(sender);
            (to_hard, Solver::new().check())
        })
    }

    #[test]
    fn a_query_ends_by_the_clock_of_whoever_looks() {
        let answers = answers(&Arc::default(), Interrupt::look);
        assert_eq!(answers, (SatResult::Unknown, SatResult::Sat));
    }

    #[test]
    fn a_query_ends_when_the_whole_is_asked_to() {
        let whole = Arc::new(Interrupt::default());
        let asked = Arc::clone(&whole);
        assert_eq!(answers(&Arc::new(Interrupt::part_of(&whole)), move |_| asked.ask()).0, SatResult::Unknown);
    }

    #[test]
    fn a_context_is_off_the_lists_when_its_solver_is_dropped() {
        let whole = Arc::new(Interrupt::default());
        let part = Arc::new(Interrupt::part_of(&whole));
        let (first, second) = (part.register(), part.register());
        assert_eq!((locked(&whole.queries).len(), locked(&part.queries).len()), (2, 2));
        drop(first);
        assert_eq!((locked(&whole.queries).len(), locked(&part.queries).len()), (1, 1));
        drop(second);
        assert_eq!((locked(&whole.queries).len(), locked(&part.queries).len()), (0, 0));
    }
}

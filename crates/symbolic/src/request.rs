//! Stopping a run from outside, and what it says of where it is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use icsched_ir::ProgramPoint;
use icsched_smt::Interrupt;

use icsched_machine::stop::{Limit, StopSignal};

/// Asks whoever runs a program to stop soon, with what is known. Threads share it; the first cause stays.
///
/// Solvers that were made with its [`interrupt`](Self::interrupt)
/// give up at once.
#[derive(Default, Debug)]
pub struct StopRequest {
    cause: Arc<AtomicUsize>,
    interrupt: Arc<Interrupt>,
    /// What this is a part of; a request to stop that is one to stop this.
    whole: Option<Arc<StopRequest>>,
    doing: Mutex<Doing>,
}

const TIME: usize = 1;
const MEMORY: usize = 2;
const INTERRUPTED: usize = 3;

impl StopRequest {
    /// For a part, which stops alone if it is asked to, and with the whole.
    pub fn part_of(whole: &Arc<StopRequest>) -> Self {
        let interrupt = Arc::new(Interrupt::part_of(&whole.interrupt));
        Self { interrupt, whole: Some(Arc::clone(whole)), ..Self::default() }
    }

    /// Asks to stop; may be repeated. Limits that cut single paths count as an interruption.
    pub fn ask(&self, cause: Limit) {
        let code = Self::number(cause);
        // Somebody else was first: nothing is to be done.
        let _ = self.cause.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
        self.interrupt.ask();
    }

    /// For who may do nothing but store a [number](Self::number), as signal handlers: where to store it. Solvers do not
    /// give up before somebody [asks](Self::ask) as well.
    pub fn flag(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.cause)
    }

    /// What stands for a cause.
    pub fn number(cause: Limit) -> usize {
        match cause {
            Limit::Time => TIME,
            Limit::Memory => MEMORY,
            Limit::Interrupted | Limit::Instructions | Limit::Decisions | Limit::Events => INTERRUPTED,
        }
    }

    /// Why to stop, if it was asked for.
    #[inline]
    pub fn asked(&self) -> Option<Limit> {
        match self.cause.load(Ordering::Relaxed) {
            TIME => Some(Limit::Time),
            MEMORY => Some(Limit::Memory),
            INTERRUPTED => Some(Limit::Interrupted),
            _ => self.whole.as_ref().and_then(|whole| whole.asked()),
        }
    }

    /// Ends queries of solvers.
    pub fn interrupt(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    /// Says what is being done from now on, at the same place.
    pub fn begin(&self, activity: Activity) {
        self.state().activity = activity;
    }

    /// What is being done, as it was said last.
    pub fn doing(&self) -> Doing {
        *self.state()
    }

    fn state(&self) -> MutexGuard<'_, Doing> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StopSignal for StopRequest {
    fn asked(&self) -> Option<Limit> {
        StopRequest::asked(self)
    }

    fn note(&self, at: Option<ProgramPoint>) {
        self.state().at = at;
    }
}

/// What a run is doing, and where.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Doing {
    /// What.
    pub activity: Activity,
    /// Where in the program, models left out.
    pub at: Option<ProgramPoint>,
}

/// What a run is doing.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Activity {
    /// Reading the program and its models.
    #[default]
    Loading,
    /// What pointers may point to.
    PointsTo,
    /// Which code cannot be reached.
    Specialising,
    /// What functions write and read.
    ModRef,
    /// What decides what is executed.
    Control,
    /// Which numbers, locks and fields are worth to know.
    Shapes,
    /// Where epochs end.
    Markers,
    /// What must hold where an epoch begins.
    Beginning,
    /// Executing a path, with its number from 1.
    Path(u64),
    /// Which decisions of a path matter, and which inputs it covers.
    Slicing(u64),
    /// What holds at the ends of paths.
    Ends,
    /// Which inputs are left.
    Covering,
    /// Putting schedules together and making constraints short.
    Schedules,
    /// Writing the result.
    Writing,
}

impl Activity {
    /// A part of a sentence, as in "while it was ...".
    pub fn words(self) -> &'static str {
        match self {
            Activity::Loading => "loading the program",
            Activity::PointsTo => "finding out what pointers point to",
            Activity::Specialising => "finding out which code cannot be reached",
            Activity::ModRef => "finding out what functions write and read",
            Activity::Control => "finding out what decides what is executed",
            Activity::Shapes => "finding out which numbers are worth to know",
            Activity::Markers => "placing epoch markers",
            Activity::Beginning => "finding out what holds where an epoch begins",
            Activity::Path(_) => "executing a path",
            Activity::Slicing(_) => "slicing a path",
            Activity::Ends => "finding out what holds at the ends of paths",
            Activity::Covering => "looking for inputs that are left",
            Activity::Schedules => "putting schedules together",
            Activity::Writing => "writing the result",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_stays() {
        let request = StopRequest::default();
        assert_eq!(request.asked(), None);
        request.ask(Limit::Memory);
        request.ask(Limit::Time);
        assert_eq!(request.asked(), Some(Limit::Memory));
    }

    #[test]
    fn a_part_stops_with_the_whole_and_not_the_other_way_round() {
        let whole = Arc::new(StopRequest::default());
        let (first, second) = (StopRequest::part_of(&whole), StopRequest::part_of(&whole));
        first.ask(Limit::Interrupted);
        assert_eq!((whole.asked(), second.asked()), (None, None));
        assert_eq!((whole.interrupt().is_asked(), first.interrupt().is_asked()), (false, true));
        whole.ask(Limit::Memory);
        assert_eq!((first.asked(), second.asked()), (Some(Limit::Interrupted), Some(Limit::Memory)));
        assert!(second.interrupt().is_asked());
    }

    #[test]
    fn a_signal_handler_may_store_a_number() {
        let whole = Arc::new(StopRequest::default());
        let part = StopRequest::part_of(&whole);
        whole.flag().store(StopRequest::number(Limit::Interrupted), Ordering::Relaxed);
        assert_eq!(part.asked(), Some(Limit::Interrupted));
    }
}

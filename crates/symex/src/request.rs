//! Stopping a run from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::stop::Limit;

/// Asks whoever runs a program to stop soon, with what is known. Threads share it; the first cause stays.
///
/// A machine looks at it after every bulk operation and before every slice of instructions, so that one `memset` of
/// gigabytes delays a stop and a hundred of them do not.
#[derive(Default, Debug)]
pub struct StopRequest {
    cause: AtomicU8,
    /// What this is a part of; a request to stop that is one to stop this.
    whole: Option<Arc<StopRequest>>,
}

const TIME: u8 = 1;
const MEMORY: u8 = 2;
const INTERRUPTED: u8 = 3;

impl StopRequest {
    /// For a part, which stops alone if it is asked to, and with the whole.
    pub fn part_of(whole: &Arc<StopRequest>) -> Self {
        Self { cause: AtomicU8::default(), whole: Some(Arc::clone(whole)) }
    }

    /// Asks to stop. Limits that cut single paths count as an interruption.
    pub fn ask(&self, cause: Limit) {
        let code = match cause {
            Limit::Time => TIME,
            Limit::Memory => MEMORY,
            Limit::Interrupted | Limit::Instructions | Limit::Decisions | Limit::Events => INTERRUPTED,
        };
        // Somebody else was first: nothing is to be done.
        let _ = self.cause.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
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
        whole.ask(Limit::Memory);
        assert_eq!((first.asked(), second.asked()), (Some(Limit::Interrupted), Some(Limit::Memory)));
    }
}

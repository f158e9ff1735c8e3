//! Stopping a run from outside.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::stop::Limit;

/// Asks whoever runs a program to stop soon, with what is known. Threads share it; the first cause stays.
///
/// A machine looks at it after every bulk operation and before every slice of instructions, so that one `memset` of
/// gigabytes delays a stop and a hundred of them do not.
#[derive(Default, Debug)]
pub struct StopRequest(AtomicU8);

const TIME: u8 = 1;
const MEMORY: u8 = 2;
const INTERRUPTED: u8 = 3;

impl StopRequest {
    /// Asks to stop. Limits that cut single paths count as an interruption.
    pub fn ask(&self, cause: Limit) {
        let code = match cause {
            Limit::Time => TIME,
            Limit::Memory => MEMORY,
            Limit::Interrupted | Limit::Instructions | Limit::Decisions | Limit::Events => INTERRUPTED,
        };
        // Somebody else was first: nothing is to be done.
        let _ = self.0.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Why to stop, if it was asked for.
    #[inline]
    pub fn asked(&self) -> Option<Limit> {
        match self.0.load(Ordering::Relaxed) {
            TIME => Some(Limit::Time),
            MEMORY => Some(Limit::Memory),
            INTERRUPTED => Some(Limit::Interrupted),
            _ => None,
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
}

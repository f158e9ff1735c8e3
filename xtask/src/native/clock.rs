//! Vector clocks (Mattern 1989).

/// How many steps of each thread happen before something.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Clock(Vec<u32>);

impl Clock {
    /// Steps of a thread.
    pub(super) fn of(&self, thread: u64) -> u32 {
        self.0.get(index(thread)).copied().unwrap_or(0)
    }

    /// Sets them.
    pub(super) fn set(&mut self, thread: u64, steps: u32) {
        let at = index(thread);
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = steps;
    }

    /// What happens before either.
    pub(super) fn join(&mut self, other: &Clock) {
        for (thread, &steps) in (0..).zip(&other.0) {
            if self.of(thread) < steps {
                self.set(thread, steps);
            }
        }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("numbers of threads are small")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks() {
        let mut clock = Clock::default();
        clock.set(2, 3);
        let mut other = Clock(vec![1, 5]);
        other.join(&clock);
        assert_eq!(other, Clock(vec![1, 5, 3]));
        assert_eq!((other.of(2), other.of(9)), (3, 0));
    }
}

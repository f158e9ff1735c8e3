//! The steps of a finding on rows and lanes: a lane per thread, a row per step that matters.

use icsched_schedule::{Finding, TraceStep};

/// Of the rows that are kept when the middle is left out, the part at the beginning: one of so many.
const BEGINNING: usize = 3;

/// The run that shows a finding, placed on rows.
pub(crate) struct Steps<'a> {
    /// The threads by number; a lane is an index into this.
    pub(crate) threads: Vec<u32>,
    /// The rows, top down.
    pub(crate) rows: Vec<StepRow<'a>>,
    /// Per lane the rows of its first step and of its last.
    spans: Vec<(usize, usize)>,
}

/// A row.
#[derive(Copy, Clone)]
pub(crate) enum StepRow<'a> {
    /// A step: its number in the whole run, from 1, and its lane.
    Step { number: usize, lane: usize, step: &'a TraceStep },
    /// So many steps are left out here.
    LeftOut(usize),
}

impl<'a> Steps<'a> {
    /// The steps that matter; all of them if none is said to. At most about `most` rows.
    pub(crate) fn new(finding: &'a Finding, most: usize) -> Self {
        let all = finding.trace.iter().enumerate();
        let is_marked = finding.trace.iter().any(|step| step.matters);
        let mut kept: Vec<_> = all.filter(|(_, step)| step.matters || !is_marked).collect();
        if kept.len() > most {
            let beginning = most / BEGINNING;
            kept.drain(beginning..kept.len() - (most - beginning));
        }
        let mut threads: Vec<u32> = kept.iter().map(|(_, step)| step.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let mut steps = Self { spans: vec![(usize::MAX, 0); threads.len()], threads, rows: Vec::new() };
        let mut next = 0;
        for (place, step) in kept {
            steps.leave_out(place - next);
            next = place + 1;
            steps.add(place + 1, step);
        }
        steps.leave_out(finding.trace.len() - next);
        steps
    }

    fn leave_out(&mut self, count: usize) {
        if count > 0 {
            self.rows.push(StepRow::LeftOut(count));
        }
    }

    fn add(&mut self, number: usize, step: &'a TraceStep) {
        let lane = self.threads.binary_search(&step.thread).expect("every thread with a step has a lane");
        let row = self.rows.len();
        self.spans[lane] = (self.spans[lane].0.min(row), row);
        self.rows.push(StepRow::Step { number, lane, step });
    }

    /// Whether a lane's first step is at or above a row, and its last one at or below.
    pub(crate) fn is_alive(&self, lane: usize, row: usize) -> bool {
        let (first, last) = self.spans[lane];
        first <= row && row <= last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample;

    /// Rows as `3:1`, the step and its lane, and `-2` where two are left out.
    fn rows(finding: &Finding, most: usize) -> String {
        let row = |row: &StepRow<'_>| match row {
            StepRow::Step { number, lane, .. } => format!("{number}:{lane}"),
            StepRow::LeftOut(count) => format!("-{count}"),
        };
        Steps::new(finding, most).rows.iter().map(row).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_does_not_matter_is_left_out() {
        assert_eq!(rows(&sample::leaked_lock(), 99), "1:0 2:0 -2 5:1 6:1 7:0 8:0 9:2");
        assert_eq!(rows(&sample::lock_cycle(), 99), "");
    }

    #[test]
    fn the_end_of_a_long_run_is_kept() {
        assert_eq!(rows(&sample::leaked_lock(), 3), "1:0 -6 8:0 9:1");
    }

    #[test]
    fn all_are_shown_if_none_matters() {
        let mut finding = sample::leaked_lock();
        finding.trace.iter_mut().for_each(|step| step.matters = false);
        assert_eq!(rows(&finding, 99), "1:0 2:0 3:0 4:0 5:1 6:1 7:0 8:0 9:2");
    }
}

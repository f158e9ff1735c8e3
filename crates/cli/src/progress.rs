//! Progress on standard error: a line that moves on a terminal, a plain line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use icsched_driver::experiment::{BatchProgress, Ended, Figure, Row};
use icsched_driver::{Counts, Progress};
use indicatif::{ProgressBar, ProgressStyle};

/// Time between two plain lines; a run that is over before needs none.
const INTERVAL: Duration = Duration::from_secs(5);

/// Time between two looks of a moving line at what is to be shown.
const MOVES: Duration = Duration::from_millis(100);

pub(crate) enum ShownProgress {
    Hidden,
    Bar { bar: ProgressBar, latest: Instant },
    Lines { started: Instant, latest: Instant },
}

impl ShownProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Hidden;
        }
        let now = Instant::now();
        if !io::stderr().is_terminal() {
            return Self::Lines { started: now, latest: now };
        }
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::new_spinner().with_style(style.expect("the template is a valid one"));
        bar.set_message("loading");
        bar.enable_steady_tick(Duration::from_millis(120));
        Self::Bar { bar, latest: now }
    }

    pub(crate) fn finish(self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }

    /// Does something while no line is on the terminal.
    pub(crate) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        match self {
            Self::Bar { bar, .. } => bar.suspend(work),
            Self::Hidden | Self::Lines { .. } => work(),
        }
    }

    /// Says how many paths there are, and how many were begun.
    pub(crate) fn paths(&mut self, paths: usize, waiting: usize) {
        self.show(|| {
            let memory = icsched_driver::watch::resident_bytes().map(|bytes| format!(", {} MiB", bytes >> 20));
            format!("{paths} paths, {waiting} waiting{}", memory.unwrap_or_default())
        });
    }

    /// Shows a text, now and then.
    fn show(&mut self, text: impl FnOnce() -> String) {
        match self {
            Self::Hidden => {}
            Self::Bar { bar, latest } => {
                if latest.elapsed() >= MOVES {
                    *latest = Instant::now();
                    bar.set_message(text());
                }
            }
            Self::Lines { started, latest } => {
                if latest.elapsed() >= INTERVAL {
                    *latest = Instant::now();
                    crate::output::note(&format!("{} s: {}\n", started.elapsed().as_secs(), text()));
                }
            }
        }
    }
}

impl Progress for ShownProgress {
    fn path(&mut self, paths: u64, waiting: usize, schedules: usize) {
        self.show(|| format!("{paths} paths, {schedules} schedules, {waiting} input constraints to explore"));
    }

    fn epochs(&mut self, counts: &Counts) {
        let Counts { epochs, waiting, paths, doubted } = *counts;
        self.show(|| {
            let again = match doubted {
                0 => String::new(),
                1 => "once more, to see whether the deadlock can happen: ".to_owned(),
                _ => format!("once more, to see whether {doubted} deadlocks can happen: "),
            };
            format!("{again}{epochs} epochs, {waiting} to search, {paths} paths")
        });
    }
}

/// A line for each run of a batch when it begins, and one when it ends.
pub(crate) struct BatchLines {
    pub(crate) quiet: bool,
}

impl BatchProgress for BatchLines {
    fn begins(&mut self, number: usize, of: usize, run: &str, configuration: &str) {
        if !self.quiet {
            crate::output::note(&format!("[{number}/{of}] {run} {configuration}\n"));
        }
    }

    fn ended(&mut self, row: &Row, kept: bool) {
        if self.quiet {
            return;
        }
        let Row { run, configuration, ended } = row;
        let how = match ended {
            Ended::Done(_) if kept => "kept from an earlier batch".to_owned(),
            Ended::Done(outcome) => {
                let seconds = outcome.figures.get(&Figure::Seconds).copied().unwrap_or_default();
                let paths = outcome.figures.get(&Figure::Paths).copied().unwrap_or_default();
                let incomplete = if outcome.complete { "" } else { ", incomplete" };
                format!("{seconds:.1} s, {paths:.0} paths{incomplete}")
            }
            Ended::Failed(failure) => format!("no result: {failure}"),
        };
        crate::output::note(&format!("  {run} {configuration}: {how}\n"));
    }
}

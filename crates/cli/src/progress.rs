//! Progress on standard error: a line that moves on a terminal, a plain line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use icsched_driver::Progress;
use icsched_driver::experiment::{BatchProgress, Ended, Figure, Row};
use indicatif::{ProgressBar, ProgressStyle};

/// Time between two plain lines; a run that is over before needs none.
const INTERVAL: Duration = Duration::from_secs(5);

pub(crate) enum ShownProgress {
    Hidden,
    Bar(ProgressBar),
    Lines { started: Instant, latest: Instant },
}

impl ShownProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Hidden;
        }
        if !io::stderr().is_terminal() {
            let now = Instant::now();
            return Self::Lines { started: now, latest: now };
        }
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::new_spinner().with_style(style.expect("the template is a valid one"));
        bar.set_message("loading");
        bar.enable_steady_tick(Duration::from_millis(120));
        Self::Bar(bar)
    }

    pub(crate) fn finish(self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Progress for ShownProgress {
    fn path(&mut self, paths: u64, waiting: usize, schedules: usize) {
        let text = || format!("{paths} paths, {schedules} schedules, {waiting} input constraints to explore");
        match self {
            Self::Hidden => {}
            Self::Bar(bar) => bar.set_message(text()),
            Self::Lines { started, latest } => {
                if latest.elapsed() >= INTERVAL {
                    *latest = Instant::now();
                    crate::output::note(&format!("{} s: {}\n", started.elapsed().as_secs(), text()));
                }
            }
        }
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

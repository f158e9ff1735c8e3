//! Progress on standard error: a line that moves on a terminal, a plain line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use icsched_driver::Progress;
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

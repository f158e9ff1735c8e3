//! Progress on standard error: a line that moves on a terminal, a plain line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use icsched_driver::config::Activity;
use icsched_driver::experiment::{BatchProgress, Ended, Figure, Row};
use icsched_driver::watch::MemoryUse;
use icsched_driver::{Counts, Diagnostic, Progress, Working};
use indicatif::{ProgressBar, ProgressStyle};

use crate::guard;
use crate::guard::news::News;
use crate::output;

/// Time between two plain lines; a run that is over before needs none.
const INTERVAL: Duration = Duration::from_secs(5);

/// Time between two looks of a moving line at what is to be shown.
const MOVES: Duration = Duration::from_millis(100);

/// Bytes of the stack of the thread that shows.
const STACK: usize = 1 << 19;

/// Shows what is being done, and tells the [parent](guard).
pub(crate) struct ShownProgress {
    shown: Option<Arc<Shown>>,
    /// When it got a new text.
    latest: Instant,
    /// What the parent was told last, and of which place.
    told: (String, String),
    /// Dropped to end the thread that shows.
    _showing: Option<Sender<()>>,
}

/// What is on the terminal.
struct Shown {
    started: Instant,
    /// A line that moves, if it is a terminal.
    bar: Option<ProgressBar>,
    /// The text to be shown next.
    text: Mutex<String>,
}

impl Shown {
    fn text(&self) -> MutexGuard<'_, String> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows it until nobody wants it any more.
    fn show(&self, ended: &Receiver<()>) {
        let mut latest = self.started;
        while ended.recv_timeout(MOVES) == Err(RecvTimeoutError::Timeout) {
            match &self.bar {
                Some(bar) => {
                    bar.set_message(self.text().clone());
                    bar.tick();
                }
                None if latest.elapsed() >= INTERVAL => {
                    latest = Instant::now();
                    output::note(&format!("{} s: {}\n", self.started.elapsed().as_secs(), self.text()));
                }
                None => {}
            }
        }
    }
}

impl ShownProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self { shown: None, latest: Instant::now(), told: Default::default(), _showing: None };
        }
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let style = style.expect("the template is a valid one");
        let bar = io::stderr().is_terminal().then(|| ProgressBar::new_spinner().with_style(style));
        let text = Mutex::new(Activity::Loading.words().to_owned());
        let shown = Arc::new(Shown { started: Instant::now(), bar, text });
        let (showing, ended) = channel();
        let own = Arc::clone(&shown);
        let thread = Builder::new().name("progress".to_owned()).stack_size(STACK);
        // Where the system gives no thread nothing is shown.
        let showing = thread.spawn(move || own.show(&ended)).ok().map(|_| showing);
        Self { shown: Some(shown), latest: Instant::now(), told: Default::default(), _showing: showing }
    }

    pub(crate) fn finish(self) {
        if let Some(bar) = self.shown.as_ref().and_then(|shown| shown.bar.as_ref()) {
            bar.finish_and_clear();
        }
    }

    /// Does something while no line is on the terminal.
    pub(crate) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        match self.shown.as_ref().and_then(|shown| shown.bar.as_ref()) {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    /// Says how many paths there are, and how many were begun.
    pub(crate) fn paths(&mut self, paths: usize, waiting: usize) {
        self.show(|| {
            let memory = MemoryUse::of_process().map(|used| format!(", {} MiB", used.resident() >> 20));
            format!("{paths} paths, {waiting} waiting{}", memory.unwrap_or_default())
        });
    }

    /// Has a text shown when it is time. Some texts are wanted too often to be made each time.
    fn show(&mut self, text: impl FnOnce() -> String) {
        if let Some(shown) = self.shown.as_ref().filter(|_| self.latest.elapsed() >= MOVES) {
            self.latest = Instant::now();
            *shown.text() = text();
        }
    }

    /// Tells the parent what is being done where, if that is not what it was told last.
    fn tell(&mut self, doing: &str, at: &str) {
        if self.told.0 != doing {
            guard::tell::tell(&News::Doing(doing.to_owned()));
            self.told = (doing.to_owned(), String::new());
        }
        if self.told.1 != at {
            guard::tell::tell(&News::At(at.to_owned()));
            self.told.1 = at.to_owned();
        }
    }
}

impl Progress for ShownProgress {
    fn suspects(&mut self, done: usize, all: usize, runs: u64) {
        self.tell("looking for runs of what is wrong", "");
        if let Some(shown) = &self.shown {
            *shown.text() = format!("looking for runs: {done} of {all} suspects decided, {runs} runs");
        }
    }

    fn path(&mut self, paths: u64, waiting: usize, schedules: usize) {
        self.show(|| format!("{paths} paths, {schedules} schedules, {waiting} input constraints to explore"));
    }

    fn doing(&mut self, activity: Activity) {
        if let Some(shown) = &self.shown {
            activity.words().clone_into(&mut shown.text());
        }
        self.tell(activity.words(), "");
        if activity == Activity::Writing {
            guard::tell::tell(&News::Writing);
        }
    }

    fn warn(&mut self, warning: &Diagnostic) {
        output::diagnostic(warning);
    }

    fn stored(&mut self) {
        guard::tell::tell(&News::Stored);
    }

    fn epochs(&mut self, counts: &Counts) {
        let Counts { epochs, waiting, paths, doubted, working } = counts;
        self.show(|| {
            let again = match doubted {
                0 => String::new(),
                1 => "once more, to see whether the deadlock can happen: ".to_owned(),
                _ => format!("once more, to see whether {doubted} deadlocks can happen: "),
            };
            let working = working.as_ref().map(|working| format!("; {working}")).unwrap_or_default();
            format!("{again}{epochs} epochs, {waiting} to search, {paths} paths{working}")
        });
        if let Some(Working { activity, at, .. }) = working {
            self.tell(activity.words(), at);
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

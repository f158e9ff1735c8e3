//! What a search says of what is kept.

use std::sync::Arc;

use icsched_enumerate::{Journal, Progress, Run, enumerate_by};
use icsched_epochs::{Request, RunLimits, SearchOptions};
use icsched_schedule::{Enumeration, EpochResult};

/// A journal that takes nothing, or everything.
struct Disk {
    is_full: bool,
    asked: usize,
}

impl Journal for Disk {
    fn begin(&mut self, _: &Enumeration) {}

    fn keep(&mut self, _: &str, _: Option<&EpochResult>) -> bool {
        self.asked += 1;
        !self.is_full
    }
}

/// How often it was said that something is kept.
#[derive(Default)]
struct Stored(usize);

impl Progress for Stored {
    fn path(&mut self, _: u64, _: usize, _: usize) {}

    fn stored(&mut self) {
        self.0 += 1;
    }
}

fn request() -> Request {
    let text = "function @main(%v0: i32, %v1: ptr) -> i32 {\nat0:\n    return 0\n}";
    Request {
        program: Arc::new(icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"))),
        inputs: Default::default(),
        externs: Default::default(),
        memory_errors: Default::default(),
        search: SearchOptions::default(),
        limits: RunLimits::default(),
        without: Vec::new(),
    }
}

/// Whoever tells the result of a search that was killed takes it from where it is kept.
#[test]
fn only_what_is_kept_is_said_to_be() {
    for is_full in [false, true] {
        let (mut journal, mut progress) = (Disk { is_full, asked: 0 }, Stored::default());
        let run = Run { jobs: 1, kept: Vec::new(), journal: &mut journal, progress: &mut progress };
        assert!(enumerate_by(&request(), run).expect("the program starts").result.is_complete());
        assert!(journal.asked > 0);
        assert_eq!(progress.0, if is_full { 0 } else { journal.asked });
    }
}

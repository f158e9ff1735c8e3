//! What `icsched check` found: something that goes wrong, with the input and the order of threads that show it.
//!
//! A [`Finding`] is plain data and needs no program to be understood: every renderer, a file of its own and the
//! database have the same one. What each part means for a reader is in `docs/concepts/findings.md`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Contents, Input};
use crate::reason::Reason;

/// Name and version of the document that `icsched check --json` writes.
pub const CHECK_SCHEMA: &str = "icsched/check/1";

/// Name and version of the document that holds one finding.
pub const FINDING_SCHEMA: &str = "icsched/finding/1";

/// What goes wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Threads wait for each other, or for what never comes.
    Deadlock,
    /// A loop goes round for ever, and no other thread can change that.
    NoProgress,
    /// An assertion fails.
    Assert,
    /// The program calls `abort`.
    Abort,
    /// A memory access, division or call that C leaves undefined.
    MemoryError,
}

impl FindingKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Deadlock, Self::NoProgress, Self::Assert, Self::Abort, Self::MemoryError];

    /// The kind as one stable word; for files and options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::NoProgress => "no-progress",
            Self::Assert => "assert",
            Self::Abort => "abort",
            Self::MemoryError => "memory-error",
        }
    }

    /// The kind with this [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What such a finding is, in a sentence; for lists of rules.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Deadlock => "Threads wait for each other, or for what never comes.",
            Self::NoProgress => "A loop goes round for ever, and no other thread can change what it reads.",
            Self::Assert => "An assertion fails.",
            Self::Abort => "The program ends itself with abort().",
            Self::MemoryError => "An access to memory, a division or a call that C leaves undefined.",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How sure a finding is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A run of the program has shown it; the finding has its input and its order.
    Confirmed,
    /// It is in the schedules, and no run has shown it: [`Finding::why`] says what stood in the way.
    Possible,
    /// It is in no schedule: only a program that is not held to them can get there.
    Predicted,
}

impl Verdict {
    /// As one stable word; for files and options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Possible => "possible",
            Self::Predicted => "predicted",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Why threads of a deadlock cannot go on.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeadlockClass {
    /// Each thread of a cycle holds a lock that the next one waits for.
    LockCycle,
    /// A thread waits for a lock that it holds itself.
    SelfDeadlock,
    /// A thread has ended, and a lock that it held is still locked.
    LeakedLock,
    /// The signal came before the wait.
    LostSignal,
    /// Nobody is left who would signal.
    NobodyToSignal,
    /// Fewer threads come to a barrier than it waits for.
    ShortBarrier,
    /// Nobody is left who would post the semaphore.
    NoPost,
    /// A thread is joined that never ends.
    JoinNeverEnds,
    /// Threads join each other, or themselves.
    JoinCycle,
}

impl DeadlockClass {
    /// As one stable word; for files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LockCycle => "lock-cycle",
            Self::SelfDeadlock => "self-deadlock",
            Self::LeakedLock => "leaked-lock",
            Self::LostSignal => "lost-signal",
            Self::NobodyToSignal => "nobody-to-signal",
            Self::ShortBarrier => "short-barrier",
            Self::NoPost => "no-post",
            Self::JoinNeverEnds => "join-never-ends",
            Self::JoinCycle => "join-cycle",
        }
    }

    /// What the class is, in one sentence.
    pub const fn explain(self) -> &'static str {
        match self {
            Self::LockCycle => {
                "Each thread waits for the next one, for a lock that it holds or for its end, and the last one for the first."
            }
            Self::SelfDeadlock => "A thread waits for a lock that it holds itself.",
            Self::LeakedLock => "A thread ended without unlocking what it had locked, so nobody ever can.",
            Self::LostSignal => "The signal came before the wait, and is not kept.",
            Self::NobodyToSignal => "All threads that could signal have ended or wait themselves.",
            Self::ShortBarrier => "Fewer threads come to the barrier than it waits for.",
            Self::NoPost => "All threads that could post the semaphore have ended or wait themselves.",
            Self::JoinNeverEnds => "The thread that is joined waits for something itself, and never ends.",
            Self::JoinCycle => "Threads wait for each other to end.",
        }
    }
}

impl fmt::Display for DeadlockClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A place in the source, with the function it is in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The function.
    pub function: String,
    /// The file: directory and name of the debug information. Empty without any.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

impl Site {
    /// The place without the function: `dir/file.c:12:5`.
    pub fn place(&self) -> String {
        match (self.line, self.column) {
            (0, _) => self.file.clone(),
            (line, 0) => format!("{}:{line}", self.file),
            (line, column) => format!("{}:{line}:{column}", self.file),
        }
    }
}

/// `worker at dir/file.c:12:5`.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.is_empty() {
            true => f.write_str(&self.function),
            false => write!(f, "{} at {}", self.function, self.place()),
        }
    }
}

/// Something that a thread has acquired and not released.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// The object, as the source names it.
    pub object: String,
    /// Where it was acquired: `dir/file.c:12:5`.
    pub since: String,
    /// The calls that led there, the outermost first.
    pub frames: Vec<Site>,
}

/// Where a thread has ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadEnd {
    /// `dir/file.c:12:5`.
    pub at: String,
}

/// A thread that takes part in a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingThread {
    /// Its number: 0 is the main thread, the others are in order of creation.
    pub thread: u32,
    /// The calls that it is in, the outermost first: `worker at dir/file.c:12:5`.
    pub stack: Vec<String>,
    /// The same, taken apart.
    pub frames: Vec<Site>,
    /// The library function that it waits in; empty if it does not wait.
    pub operation: String,
    /// What would have to happen for it to go on, as half a sentence; empty if it does not wait.
    pub waits_for: String,
    /// The object that it waits at; empty if it does not wait.
    pub object: String,
    /// The thread that would have to let it go on, if that is one.
    pub holder: Option<u32>,
    /// What it holds.
    pub holds: Vec<Held>,
    /// Where it has ended, if it has.
    pub ended: Option<ThreadEnd>,
}

/// What a step of a thread does, as far as readers and other tools tell it apart.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepRole {
    /// Acquires something: a lock, a unit of a semaphore.
    Acquire,
    /// Gives something back, or wakes somebody.
    Release,
    /// Creates a thread.
    Create,
    /// Waits for a thread to end.
    Join,
    /// Waits, and cannot go on any more.
    Blocked,
    /// Goes wrong: an assertion fails, the process aborts, memory is misused.
    Fails,
    /// Ends.
    End,
    /// Anything else that synchronises.
    Other,
}

/// One synchronisation of the run that shows a finding, in the order of the run; at last what goes wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TraceStep {
    /// The thread.
    pub thread: u32,
    /// The library function; where something goes wrong what that is, `assertion fails`.
    pub operation: String,
    /// The object; of a creation or join, `thread 2`.
    pub object: String,
    /// What it does.
    pub role: StepRole,
    /// The calls that led there, the outermost first. Empty: the thread's function has returned.
    pub frames: Vec<Site>,
    /// What the thread holds behind it.
    pub holds: Vec<String>,
    /// Whether it is about a thread and an object of the finding: the others may be left out.
    pub matters: bool,
}

/// A schedule of the chain of epochs that leads to a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChainLink {
    /// The epoch.
    pub epoch: String,
    /// The schedule that is followed in it.
    pub schedule: String,
}

/// A good input that is nearly the one of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Near {
    /// The input, with which the program does not do what the finding says.
    pub input: Input,
    /// A condition that is true of the finding's input and false of this one, as C.
    pub condition: String,
}

/// Who runs: a stretch of one thread.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The thread.
    pub thread: u32,
    /// How many times in a row it is chosen at points where another thread might be.
    pub times: u32,
}

/// Something that goes wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Of a deadlock: which sort of one.
    pub class: Option<DeadlockClass>,
    /// How sure it is.
    pub verdict: Verdict,
    /// Whether a run has shown it.
    pub confirmed: bool,
    /// What happens, in a sentence without a full stop.
    pub message: String,
    /// The places it is about, the most important first: `dir/file.c:12:5`.
    pub at: Vec<String>,
    /// The threads that take part.
    pub threads: Vec<FindingThread>,
    /// The smallest input that was found.
    pub input: Option<Input>,
    /// An input that is nearly the same, and good.
    pub near: Option<Near>,
    /// For which inputs it happens in its epoch, as C.
    pub constraint: String,
    /// Of one that is not confirmed: what stood in the way.
    pub why: Option<String>,
    /// The epoch that it is in; empty if it is in no schedule.
    pub epoch: String,
    /// The schedule.
    pub schedule: String,
    /// The schedules that lead there, the first epoch's first, its own last.
    pub chain: Vec<ChainLink>,
    /// The synchronisation of the run that shows it.
    pub trace: Vec<TraceStep>,
    /// Who ran in that run.
    pub order: Vec<Turn>,
    /// The same for the same bug, also after lines were moved.
    pub fingerprint: String,
    /// In how many other schedules it is.
    pub also_in: usize,
}

/// A finding that was not reported.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// Why: what the comment in the source says, or that it is in the baseline.
    pub reason: String,
}

/// What a check cost. The only part of a result that differs from run to run.
#[derive(Copy, Clone, PartialEq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckStatistics {
    /// Wall-clock seconds, enumeration included.
    pub seconds: f64,
    /// Seconds of the enumeration.
    pub enumerate_seconds: f64,
    /// Runs in the concrete domain.
    pub runs: u64,
    /// Paths that were followed in the symbolic domain to find inputs.
    pub paths: u64,
    /// Instructions of both.
    pub instructions: u64,
}

/// The result of `icsched check`, as its JSON has it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// [`CHECK_SCHEMA`].
    pub schema: String,
    /// The program's file, as the user gave it.
    pub program: String,
    /// BLAKE3 of the bitcode, in hexadecimal.
    pub digest: String,
    /// The options and arguments that the result depends on, as they would be typed.
    pub options: Vec<String>,
    /// Whether the schedules cover all inputs, and each finding is decided.
    pub complete: bool,
    /// Why not, if so.
    pub reasons: Vec<Reason>,
    /// What is taken for granted, in half sentences.
    pub assumptions: Vec<String>,
    /// What was found, what is most certain first.
    pub findings: Vec<Finding>,
    /// What was found and not reported.
    pub suppressed: Vec<Suppressed>,
    /// How many epochs and schedules were looked at.
    pub epochs: usize,
    /// See [`epochs`](Self::epochs).
    pub schedules: usize,
    /// What it cost.
    pub statistics: CheckStatistics,
}

/// A finding in a file of its own: all that `icsched replay` needs beside the program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingFile {
    /// [`FINDING_SCHEMA`].
    pub schema: String,
    /// The program's file.
    pub program: String,
    /// BLAKE3 of the bitcode, in hexadecimal.
    pub digest: String,
    /// The options and arguments of the check, as they would be typed.
    pub options: Vec<String>,
    /// Contents of files that the options name by their digests.
    #[serde(default, skip_serializing_if = "Contents::is_empty")]
    pub contents: Contents,
    /// The finding.
    pub finding: Finding,
}

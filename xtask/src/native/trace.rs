//! What a run says of itself: at each choice point who could do what, who was chosen, and what that step touched.
//!
//! The words are those of `xtask/native/trace` (see `scheduler.c` and `server.c`).

use anyhow::{Context as _, Result, bail, ensure};

/// What kind of operation a choice point is; the names are those of `xtask/native/kinds.h`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// A thread begins.
    Start,
    /// A thread ends.
    Exit,
    /// The process exits.
    ProcessExit,
    /// The process aborts.
    Abort,
    /// A thread has executed too much without a call.
    Endless,
    /// A thread is created.
    Create,
    /// Waits for a thread's end.
    Join,
    /// Cancellation is asked for, or looked for.
    Cancel,
    /// Looks whether the thread was cancelled.
    TestCancel,
    /// Takes a mutex, and may wait for it.
    Lock,
    /// Gives a mutex back.
    Unlock,
    /// Begins to wait on a condition variable.
    Wait,
    /// Ends a wait on a condition variable.
    Wake,
    /// Takes the mutex again after a wait whose time was up.
    Relock,
    /// Wakes one or all waiters of a condition variable.
    Signal,
    /// Waits for a semaphore.
    SemWait,
    /// Posts a semaphore.
    SemPost,
    /// Comes to a barrier.
    Arrive,
    /// Leaves a barrier.
    Leave,
    /// Takes a read-write lock.
    RwLock,
    /// Gives a read-write lock back.
    RwUnlock,
    /// Takes a spin lock.
    SpinLock,
    /// Gives a spin lock back.
    SpinUnlock,
    /// Comes to a `pthread_once`.
    Once,
    /// Ends the routine of a `pthread_once`.
    OnceEnd,
    /// Loads atomically.
    Load,
    /// Stores or updates atomically.
    Store,
    /// Accesses volatile memory.
    Volatile,
    /// Lets others run, or sleeps.
    Yield,
    /// Does not wait whatever the state is: the `try` functions.
    Try,
}

impl Kind {
    fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "START" => Kind::Start,
            "EXIT" => Kind::Exit,
            "PROCESS_EXIT" => Kind::ProcessExit,
            "ABORT" => Kind::Abort,
            "ENDLESS" => Kind::Endless,
            "CREATE" => Kind::Create,
            "JOIN" | "TIMEDJOIN" => Kind::Join,
            "CANCEL" => Kind::Cancel,
            "TESTCANCEL" => Kind::TestCancel,
            "LOCK" | "TIMEDLOCK" => Kind::Lock,
            "UNLOCK" => Kind::Unlock,
            "WAIT" => Kind::Wait,
            "WAKE" => Kind::Wake,
            "RELOCK" => Kind::Relock,
            "SIGNAL" | "BROADCAST" => Kind::Signal,
            "SEM_WAIT" | "SEM_TIMEDWAIT" => Kind::SemWait,
            "SEM_POST" => Kind::SemPost,
            "ARRIVE" => Kind::Arrive,
            "LEAVE" => Kind::Leave,
            "RDLOCK" | "WRLOCK" | "TIMEDRDLOCK" | "TIMEDWRLOCK" => Kind::RwLock,
            "RWUNLOCK" => Kind::RwUnlock,
            "SPIN_LOCK" => Kind::SpinLock,
            "SPIN_UNLOCK" => Kind::SpinUnlock,
            "ONCE" => Kind::Once,
            "ONCE_END" => Kind::OnceEnd,
            "LOAD" => Kind::Load,
            "STORE" | "UPDATE" => Kind::Store,
            "VOLATILE_READ" | "VOLATILE_WRITE" => Kind::Volatile,
            "YIELD" => Kind::Yield,
            "TRYLOCK" | "TRYJOIN" | "SEM_TRYWAIT" | "SEM_GETVALUE" | "TRYRDLOCK" | "TRYWRLOCK" | "SPIN_TRYLOCK" => {
                Kind::Try
            }
            _ => bail!("the scheduler knows a kind of operation that xtask does not: {name}"),
        })
    }

    /// Whether no schedule has a node for it.
    pub(super) fn is_silent(self) -> bool {
        matches!(
            self,
            Kind::Start
                | Kind::ProcessExit
                | Kind::Abort
                | Kind::Endless
                | Kind::TestCancel
                | Kind::Volatile
                | Kind::Yield
        )
    }

    /// Whether an operation of this kind lets a waiting one of kind `other` on the same object go on, so that there is
    /// no state in which both can be next, unless the other one may [give up](Operation::may_give_up).
    pub(super) fn only_enables(self, other: Kind) -> bool {
        matches!(
            (self, other),
            (Kind::Unlock | Kind::Wait, Kind::Lock | Kind::Relock | Kind::Wake)
                | (Kind::Exit, Kind::Join)
                | (Kind::Create, Kind::Start)
                | (Kind::SpinUnlock, Kind::SpinLock)
                | (Kind::OnceEnd, Kind::Once)
                | (Kind::Arrive, Kind::Leave)
                | (Kind::Signal, Kind::Wake)
                | (Kind::RwUnlock, Kind::RwLock)
        )
    }
}

/// An operation of the program, as the scheduler names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// As schedules name it: `pthread_mutex_lock`, `atomic load`.
    pub(super) name: String,
    /// What it is.
    pub(super) kind: Kind,
    /// Whether a thread that waits in it may go on without what it waits for: its time may be up, or it may be
    /// cancelled.
    pub(super) may_give_up: bool,
}

/// The operations, by number, of a program that cancels threads or does not.
///
/// # Errors
/// The text is no list of operations.
pub(super) fn operations(text: &str, cancels: bool) -> Result<Vec<Operation>> {
    let operation = |line: &str| {
        let (name, kind) = line.split_once('\t').context("the scheduler's list of operations is damaged")?;
        let may_give_up = cancels || ["timed", "clock"].iter().any(|part| name.contains(part));
        Ok(Operation { name: name.to_owned(), kind: Kind::named(kind)?, may_give_up })
    };
    text.lines().map(operation).collect()
}

/// A word of memory of four bytes that is touched, and how.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Access(pub(super) u64);

impl Access {
    const WRITES: u64 = 1;
    const SYNCS: u64 = 2;
    const POSTS: u64 = 4;

    /// Which word: its address divided by four.
    pub(super) fn word(self) -> u64 {
        self.0 >> 3
    }

    /// Whether an operation of synchronisation touches it, and nothing else.
    pub(super) fn synchronises(self) -> bool {
        self.0 & Self::SYNCS != 0
    }

    /// Whether the order of two accesses of one word can matter.
    pub(super) fn conflicts(self, other: Access) -> bool {
        (self.0 | other.0) & Self::WRITES != 0 && self.0 & other.0 & Self::POSTS == 0
    }
}

/// What a step touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Touched {
    /// So much that it counts as everything.
    Everything,
    /// These words, each once.
    Words(Vec<Access>),
}

impl Touched {
    /// The words; none for everything.
    pub(super) fn words(&self) -> &[Access] {
        match self {
            Touched::Everything => &[],
            Touched::Words(words) => words,
        }
    }

    /// Whether the order of two steps can matter. O(product of their sizes) at worst; lists are short where it is
    /// asked.
    pub(super) fn conflicts(&self, other: &Touched) -> bool {
        match (self, other) {
            (Touched::Words(a), Touched::Words(b)) => {
                let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
                few.iter().any(|x| many.iter().any(|y| x.word() == y.word() && x.conflicts(*y)))
            }
            _ => true,
        }
    }
}

/// Who goes on, and which way.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Choice {
    /// Number of the thread, in the order of creation.
    pub(super) thread: u64,
    /// 0 as usual, 1 its time is up, 2 it is cancelled, 16 + N: it wakes thread N.
    pub(super) variant: u64,
}

/// The variant of an operation whose time is up.
pub(super) const TIMED_OUT: u64 = 1;
/// The variant of an operation in which the thread is cancelled.
pub(super) const CANCELLED: u64 = 2;
/// The variant of a signal that wakes thread 0.
pub(super) const FIRST_WAITER: u64 = 16;

/// A way in which a thread can go on, with what its operation touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// See [`Choice::variant`].
    pub(super) variant: u64,
    /// What the operation itself touches.
    pub(super) touched: Touched,
}

/// A thread and what it does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pending {
    /// Number of the thread.
    pub(super) thread: u64,
    /// Number of its operation.
    pub(super) operation: usize,
    /// Address of what it is on.
    pub(super) object: u64,
    /// Address of a second object: the mutex of a wait.
    pub(super) second: u64,
    /// Return address of the call.
    pub(super) caller: u64,
    /// It goes round without changing anything until somebody else does.
    pub(super) goes_round: bool,
    /// It cannot go on in this state.
    pub(super) blocked: bool,
    /// How it can go on; if it cannot, how it would.
    pub(super) ways: Vec<Way>,
}

/// All threads that have not ended, at a choice point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// A time-out that is possible was left out because the thread had enough of them.
    pub(super) left_out: bool,
    /// By number.
    pub(super) threads: Vec<Pending>,
}

impl State {
    /// The thread of this number, if it lives.
    pub(super) fn thread(&self, number: u64) -> Option<&Pending> {
        self.threads.iter().find(|pending| pending.thread == number)
    }

    /// All that can be done next, by thread.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        self.threads.iter().filter(|pending| !pending.blocked).flat_map(Pending::choices)
    }

    /// The choice as one of its thread's ways.
    pub(super) fn way(&self, choice: Choice) -> Option<&Way> {
        self.thread(choice.thread)?.ways.iter().find(|way| way.variant == choice.variant)
    }
}

impl Pending {
    /// The choices that let this thread go on, if it is not blocked.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        self.ways.iter().map(|way| Choice { thread: self.thread, variant: way.variant })
    }
}

/// A state, what was chosen in it, and what the chosen thread did until its next operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Before it.
    pub(super) state: State,
    /// Who went on.
    pub(super) choice: Choice,
    /// What the operation and the code behind it touched.
    pub(super) touched: Touched,
}

impl Step {
    /// What the chosen thread was about to do.
    pub(super) fn pending(&self) -> &Pending {
        self.state.thread(self.choice.thread).expect("what was chosen is a thread that lives")
    }
}

/// How a run ended, as it says itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum RunEnd {
    /// The process exits with this status.
    Exit(i32),
    /// `abort`, or an assertion.
    Abort,
    /// A signal that the program has not sent: an access of memory that is not there.
    Crash(i32),
    /// Nobody can go on.
    Stuck,
    /// More steps, or more time, than allowed.
    Cut,
    /// All that could follow was explored before.
    Asleep,
    /// It did not do what it had done before.
    Diverged,
    /// It was told to stop.
    Stopped,
    /// The process ended in another way: a signal that it sent itself.
    Killed(i32),
    /// It waited for something that the scheduler does not know.
    Late,
}

/// One execution.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// In order.
    pub(super) steps: Vec<Step>,
    /// The state in which nothing was chosen any more, if there was one.
    pub(super) last: Option<State>,
    /// How it ended.
    pub(super) end: RunEnd,
    /// Thread that ended it, and where.
    pub(super) ended_by: Option<(u64, u64)>,
}

const TAG_ACCESSES: u64 = 1;
const TAG_STATE: u64 = 2;
const TAG_CHOICE: u64 = 3;
const TAG_END: u64 = 4;

/// Makes a run of words as they come.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    steps: Vec<Step>,
    state: Option<State>,
    end: Option<(RunEnd, u64, u64)>,
}

impl Decoder {
    /// The state that waits for a choice, if there is one.
    pub(super) fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Steps so far.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Takes more words: whole records.
    ///
    /// # Errors
    /// The words are no records.
    pub(super) fn take(&mut self, words: &[u64]) -> Result<()> {
        let mut words = Words(words);
        while let Some(tag) = words.maybe() {
            match tag {
                TAG_ACCESSES => {
                    let touched = words.touched()?;
                    self.steps.last_mut().context("accesses without a step")?.touched = touched;
                }
                TAG_STATE => self.state = Some(words.state()?),
                TAG_CHOICE => {
                    let choice = Choice { thread: words.next()?, variant: words.next()? };
                    let state = self.state.take().context("a choice without a state")?;
                    ensure!(state.thread(choice.thread).is_some(), "a choice of no thread");
                    self.steps.push(Step { state, choice, touched: Touched::Everything });
                }
                TAG_END => self.end = Some(words.end()?),
                _ => bail!("a run's trace is damaged: tag {tag}"),
            }
        }
        Ok(())
    }

    /// The run, with how its process ended (as `wait` says) and whether it took too long.
    pub(super) fn finish(self, status: u64, late: bool) -> Run {
        let status = i32::try_from(status & 0xffff).expect("16 bits");
        let end = match self.end {
            Some((end, ..)) => end,
            None if late => RunEnd::Late,
            None if status & 0x7f == 9 || status & 0x7f == 24 => RunEnd::Cut,
            None if status & 0x7f != 0 => RunEnd::Killed(status & 0x7f),
            None => RunEnd::Exit(status >> 8),
        };
        Run { steps: self.steps, last: self.state, end, ended_by: self.end.map(|(_, thread, caller)| (thread, caller)) }
    }
}

struct Words<'a>(&'a [u64]);

impl Words<'_> {
    fn maybe(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn next(&mut self) -> Result<u64> {
        self.maybe().context("a run's trace is cut off")
    }

    fn touched(&mut self) -> Result<Touched> {
        let count = self.next()?;
        if count == u64::MAX {
            return Ok(Touched::Everything);
        }
        (0..count).map(|_| self.next().map(Access)).collect::<Result<_>>().map(Touched::Words)
    }

    fn state(&mut self) -> Result<State> {
        let left_out = self.next()? != 0;
        let count = self.next()?;
        let threads = (0..count).map(|_| self.pending()).collect::<Result<_>>()?;
        Ok(State { left_out, threads })
    }

    fn pending(&mut self) -> Result<Pending> {
        let thread = self.next()?;
        let operation = usize::try_from(self.next()?)?;
        let (object, second, caller) = (self.next()?, self.next()?, self.next()?);
        let goes_round = self.next()? != 0;
        let count = self.next()?;
        let ways = (0..count.max(1)).map(|_| self.way()).collect::<Result<_>>()?;
        Ok(Pending { thread, operation, object, second, caller, goes_round, blocked: count == 0, ways })
    }

    fn way(&mut self) -> Result<Way> {
        Ok(Way { variant: self.next()?, touched: self.touched()? })
    }

    fn end(&mut self) -> Result<(RunEnd, u64, u64)> {
        let (end, detail) = (self.next()?, self.next()?);
        let number = i32::try_from(detail & 0xffff)?;
        let end = match end {
            1 => RunEnd::Exit(number),
            2 => RunEnd::Abort,
            3 => RunEnd::Crash(number),
            4 => RunEnd::Stuck,
            5 => RunEnd::Cut,
            6 => RunEnd::Asleep,
            7 => RunEnd::Diverged,
            8 => RunEnd::Stopped,
            _ => bail!("a run's trace is damaged: end {end}"),
        };
        Ok((end, self.next()?, self.next()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_in_pieces() {
        let mut decoder = Decoder::default();
        decoder.take(&[TAG_STATE, 0, 1, 7, 2, 0x40, 0, 0x99, 0, 1, 0, 1, 0x10 << 3 | 3]).expect("a state");
        assert_eq!(decoder.state().map(|state| state.choices().count()), Some(1));
        decoder.take(&[TAG_CHOICE, 7, 0, TAG_ACCESSES, u64::MAX, TAG_END, 1, 3, 7, 0]).expect("a choice and the end");
        let run = decoder.finish(0, false);
        assert_eq!((run.end, run.steps.len(), run.last), (RunEnd::Exit(3), 1, None));
        assert_eq!(run.steps[0].touched, Touched::Everything);
    }

    #[test]
    fn damaged_traces_are_errors() {
        for words in [&[9][..], &[TAG_STATE, 0], &[TAG_CHOICE, 0, 0], &[TAG_ACCESSES, 0], &[TAG_END, 77, 0, 0, 0]] {
            assert!(Decoder::default().take(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn what_conflicts() {
        let access = |word: u64, flags: u64| Access(word << 3 | flags);
        assert!(access(1, 1).conflicts(access(1, 0)));
        assert!(!access(1, 2).conflicts(access(1, 2)));
        assert!(!access(1, 7).conflicts(access(1, 7)), "two posts");
        assert!(access(1, 7).conflicts(access(1, 3)), "a post and a wait");
        let words =
            |list: &[(u64, u64)]| Touched::Words(list.iter().map(|&(word, flags)| access(word, flags)).collect());
        assert!(words(&[(1, 0), (5, 1)]).conflicts(&words(&[(5, 0)])));
        assert!(!words(&[(1, 1)]).conflicts(&words(&[(2, 1)])));
        assert!(Touched::Everything.conflicts(&words(&[])));
    }

    #[test]
    fn processes_that_say_nothing_of_their_end() {
        let end = |status, late| Decoder::default().finish(status, late).end;
        assert_eq!(end(0x0300, false), RunEnd::Exit(3));
        assert_eq!(end(15, false), RunEnd::Killed(15));
        assert_eq!((end(9, true), end(9, false)), (RunEnd::Late, RunEnd::Cut));
    }
}

//! Options of a run.

use std::sync::Arc;

use super::answers::Answers;
use super::epoch_length::EpochLength;
use super::failures::Failures;
use super::surroundings::{KnownFile, Surroundings};
use crate::budgets::BUDGETS;
use crate::code::Marks;
use crate::stop::{MemoryErrors, StopSignal};

/// Where another thread may run (Bergan 2.5.1).
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Switching {
    /// Where the scheduler says: one interleaving.
    #[default]
    Scheduler,
    /// Any enabled thread at the start, and where the current one waits or ends.
    Blocking,
    /// The same, and at every scheduling point.
    Everywhere,
}

/// What a call of a function without definition and model does (`--extern NAME=…`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extern {
    /// Returns fresh inputs (zero in the concrete domain); memory behind its arguments stays as it is.
    Havoc,
    /// Returns zero.
    Pure,
    /// Ends the path.
    Abort,
    /// Goes on only if its first argument is not zero, as `__VERIFIER_assume`; returns zero.
    Assume,
}

/// What is recorded of the objects that synchronisation is on, where their addresses depend on inputs. Two nodes of a
/// schedule are ordered if they are on one object.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum SyncObjects {
    /// What their addresses look like.
    #[default]
    Described,
    /// Which ones they are: it is decided.
    Decided,
    /// All that they may be, where these are few; what follows is ordered after all of them (Bergan 3.4.1.5).
    Candidates,
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What undefined functions do; others end the path as unmodelled.
    pub externs: std::collections::BTreeMap<String, Extern>,
    /// Most activations in one thread.
    pub max_frames: usize,
    /// Most bytes of stack objects in one thread.
    pub max_stack_bytes: u64,
    /// Names and sizes of symbolic files (`--sym-file`).
    pub symbolic_files: Vec<(String, u64)>,
    /// Size of the symbolic standard input (`--sym-stdin`).
    pub symbolic_stdin: Option<u64>,
    /// Files, and a standard input, with known contents.
    pub surroundings: Arc<Surroundings>,
    /// Which calls of library functions may fail.
    pub failures: Arc<Failures>,
    /// Where it is a choice which thread goes on.
    pub switching: Switching,
    /// In the concrete domain, models do what they do in the symbolic one: they ask for inputs, and get these.
    pub answers: Option<Answers>,
    /// Models look at the bytes of text one by one, also where these are inputs, and ask for nothing that follows from
    /// them: an input is all that a run needs. For paths that follow a run.
    pub exact: bool,
    /// Where epochs end, and which loops are replaced.
    pub marks: Marks,
    /// Whether there is always enough memory for an object of a size that depends on inputs.
    pub allocations_succeed: bool,
    /// Which markers threads pass within an epoch.
    pub epoch_length: EpochLength,
    /// What is recorded of the objects that synchronisation is on.
    pub objects: SyncObjects,
    /// What happens behind undefined behaviour. It counts from the initial state on.
    pub memory_errors: MemoryErrors,
    /// Stops every run of the machine, with [`PathEnd::Limit`].
    pub stop: Arc<dyn StopSignal>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            externs: Default::default(),
            max_frames: BUDGETS.frames,
            max_stack_bytes: BUDGETS.stack_bytes,
            symbolic_files: Vec::new(),
            symbolic_stdin: None,
            surroundings: Arc::default(),
            failures: Arc::default(),
            switching: Switching::default(),
            answers: None,
            exact: false,
            marks: Marks::default(),
            allocations_succeed: false,
            epoch_length: EpochLength::default(),
            objects: SyncObjects::default(),
            memory_errors: MemoryErrors::default(),
            stop: Arc::new(()),
        }
    }
}

impl Options {
    /// The number of the file with this name, if something is known of it.
    pub(super) fn number_of_file(&self, name: &[u8]) -> Option<usize> {
        let symbolic = self.symbolic_files.iter().map(|(file, _)| file);
        let mut names = symbolic.chain(self.surroundings.files.iter().map(|(file, _)| file));
        names.position(|file| file.as_bytes() == name)
    }

    /// The file with this number; the standard input for -1.
    pub(super) fn known_file(&self, number: u64) -> Option<KnownFile<'_>> {
        if number as u32 == u32::MAX {
            let symbolic = self.symbolic_stdin.map(|size| KnownFile::Input("stdin", size));
            return symbolic.or(self.surroundings.stdin.as_deref().map(KnownFile::Given));
        }
        let number = usize::try_from(number).ok()?;
        if let Some((name, size)) = self.symbolic_files.get(number) {
            return Some(KnownFile::Input(name, *size));
        }
        let (_, content) = self.surroundings.files.get(number - self.symbolic_files.len())?;
        Some(content.as_deref().map_or(KnownFile::Missing, KnownFile::Given))
    }
}

//! `icsched verify`: proves a schedule database again, without trusting the search that made it (design decision D11).
//!
//! - [`form`]: names fit, and every epoch that follows is there.
//! - [`epoch`]: the constraints of an epoch, as they are in the file, cover it; the paths that each admits are those of
//!   its schedule.
//! - [`concrete`]: runs of the program on inputs of a schedule are what it says.
//! - [`order`]: which thread is which in the epoch that follows.
//! - [`known`]: what is taken for granted where an epoch begins is what the paths to it leave.
//!
//! What is trusted: the interpreter, dataflow and points-to analysis, the models, the solver, and where epoch markers
//! are. Of the search only the states in which epochs begin are used; they are made again.

mod compare;
mod concrete;
mod epoch;
mod explore;
mod form;
mod known;
mod order;
pub mod outcome;

use std::collections::BTreeMap;

use icsched_enumerate::{EnumerateError, Progress, Request, SearchedEpoch};
use icsched_explore::explore::Limits;
use icsched_machine::code::Marks;
use icsched_schedule::{Assumption, Enumeration, EpochId, IncompleteKind, Reason};
use icsched_slicing::control::Control;
use icsched_slicing::modref::ModRef;
use icsched_slicing::stuck_loops::never_left;
use icsched_smt::{SolverOptions, Z3Solver};

pub use crate::outcome::{Cover, EpochCheck, Fault, FaultKind, Verification};

use crate::concrete::Runs;
use crate::epoch::Checker;
use crate::explore::Explorer;
use crate::known::Known;

/// The states in which epochs begin, and why some may be missing.
pub struct States {
    /// Each epoch's, of the last search of it.
    pub epochs: BTreeMap<EpochId, SearchedEpoch>,
    /// What the search that made them says itself.
    reasons: Vec<Reason>,
    /// Whether it has come to all epochs.
    is_whole: bool,
    /// Whether a limit, or the user, has ended it.
    is_cut: bool,
}

/// Collects them.
struct Collected<'p> {
    epochs: BTreeMap<EpochId, SearchedEpoch>,
    /// Those of a first search, while there is a second one.
    first: BTreeMap<EpochId, SearchedEpoch>,
    progress: &'p mut dyn Progress,
}

impl Progress for Collected<'_> {
    fn path(&mut self, paths: u64, waiting: usize, schedules: usize) {
        self.progress.path(paths, waiting, schedules);
    }

    fn end_epoch(&mut self, epoch: SearchedEpoch) {
        self.epochs.insert(epoch.id.clone(), epoch);
    }

    fn begin_again(&mut self) {
        self.first = std::mem::take(&mut self.epochs);
    }

    fn end_again(&mut self, is_better: bool) {
        let first = std::mem::take(&mut self.first);
        if !is_better {
            self.epochs = first;
        }
    }
}

impl States {
    /// Makes them, by a search.
    ///
    /// # Errors
    /// If the program cannot be started with these inputs.
    pub fn new(request: &Request, progress: &mut dyn Progress) -> Result<Self, EnumerateError> {
        let mut collected = Collected { epochs: BTreeMap::new(), first: BTreeMap::new(), progress };
        let again = icsched_enumerate::enumerate_with(request, &mut collected)?;
        let reasons = again.all_reasons().into_iter().cloned().collect();
        let (is_whole, is_cut) = (again.reasons.is_empty(), is_cut(&again));
        Ok(Self { epochs: collected.epochs, reasons, is_whole, is_cut })
    }
}

/// Whether a limit of the whole run, or the user, has ended a search.
fn is_cut(search: &Enumeration) -> bool {
    search.reasons.iter().any(|reason| matches!(reason.kind, IncompleteKind::Limit | IncompleteKind::Interrupted))
}

/// Checks a database that was made of the program with the options of the request. For each schedule at most
/// `max_paths` paths are executed; if there are more, they are tried and not proved.
///
/// # Errors
/// If the program cannot be started with these inputs.
pub fn verify(
    request: &Request,
    database: &Enumeration,
    max_paths: usize,
    progress: &mut dyn Progress,
) -> Result<Verification, EnumerateError> {
    let states = States::new(request, progress)?;
    verify_with(request, database, max_paths, states, progress)
}

/// The same with states that were made before.
///
/// # Errors
/// If the program has no `main`.
pub fn verify_with(
    request: &Request,
    database: &Enumeration,
    max_paths: usize,
    states: States,
    progress: &mut dyn Progress,
) -> Result<Verification, EnumerateError> {
    let States { mut epochs, reasons, is_whole, is_cut: is_cut_here } = states;
    let mut result =
        Verification { reasons: database.all_reasons().into_iter().cloned().collect(), ..Verification::default() };
    let stopped = || request.limits.stop_reason(&request.program);
    // What a search has not come to may weaken what is known where epochs begin.
    result.reasons.extend(reasons);
    result.reasons.extend(stopped());
    let entry = EpochId::entry(request.program.main.ok_or(EnumerateError::NoMain)?);
    result.faults =
        form::check(database, &entry, request.assumed_of_errors(), &|id| epochs.contains_key(id) || !is_whole);
    if !database.reasons.is_empty() {
        // A search that was cut says itself that epochs are missing.
        result.faults.retain(|fault| !(fault.kind == FaultKind::Epoch && fault.schedule.is_some()));
    }
    let known: BTreeMap<EpochId, Known> = epochs.values().map(|epoch| (epoch.id.clone(), Known::of(epoch))).collect();
    let mut control = None;
    for (number, stored) in database.epochs.iter().enumerate() {
        if let Some(reason) = stopped() {
            result.reasons.push(reason);
            break;
        }
        let Some(mut state) = epochs.remove(&stored.id) else {
            let message = format!("epoch {}: no state was made in which it begins", stored.key());
            let kind = IncompleteKind::Limit;
            result.reasons.push(Reason { kind, message, at: None });
            continue;
        };
        let program = &state.machine.program;
        let control = control.get_or_insert_with(|| {
            let mut control = Control::new(program, &|f| f.is_declaration(), true, None);
            let modref = ModRef::new(program, &control);
            control.find_stuck_tests(program, &modref, never_left(program));
            control
        });
        let runs = state.is_entry.then(|| {
            let markers = std::sync::Arc::clone(&state.machine.options.marks.markers);
            let Marks { folding, concrete_threads, .. } = state.machine.options.marks.clone();
            let marks = Marks { markers, folding, concrete_threads, ..Default::default() };
            Runs { request, program: std::sync::Arc::clone(program), marks }
        });
        let SearchedEpoch { machine, initial, is_entry, .. } = &mut state;
        machine.domain.subscripts_in_range = database.assumptions.contains(&Assumption::SubscriptsInRange);
        let limits = Limits {
            instructions: request.limits.max_instructions,
            events: request.limits.max_events,
            undecided: request.limits.undecided,
            deadline: request.limits.deadline,
            memory: request.limits.memory.resident.unwrap_or(u64::MAX),
            errors: *is_entry,
            ..Limits::default()
        };
        let explorer = Explorer::new(machine, initial, control, limits);
        let options = SolverOptions { timeout: Some(request.limits.solver_timeout), ..SolverOptions::default() };
        let solver = Z3Solver::new(options).interrupted_by(request.limits.stop.interrupt());
        let mut checker = Checker::new(explorer, stored, &known, max_paths, solver, &stopped, runs.as_ref());
        let check = checker.check();
        tracing::info!(epoch = %stored.key(), number, ?check, "epoch checked");
        result.faults.append(&mut checker.faults);
        result.reasons.append(&mut checker.reasons);
        progress.path(check.paths, database.epochs.len() - number - 1, check.schedules);
        result.epochs.push(check);
    }
    if is_cut_here || is_cut(database) {
        result.doubt(&entry);
    }
    result.tidy();
    Ok(result)
}

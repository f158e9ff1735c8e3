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
//! are. Nothing is searched: the database says what is known where epochs begin, and what is summarised there.

mod budgets;
mod compare;
mod concrete;
mod epoch;
mod explore;
mod form;
mod known;
mod order;
pub mod outcome;

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_epochs::{EpochFacts, Request, RestoreError, Restored, Setting, StartError, prepare};
use icsched_explore::explore::Limits;
use icsched_machine::code::Marks;
use icsched_schedule::{Assumption, Enumeration, EpochId, EpochResult, IncompleteKind, Reason};
use icsched_slicing::QuietEnds;
use icsched_slicing::control::Control;
use icsched_slicing::modref::ModRef;
use icsched_slicing::stuck_loops::never_left;
use icsched_smt::{CachingSolver, SolverOptions, Z3Solver};
use icsched_symbolic::request::Activity;
use icsched_symbolic::symbolic::SymbolicDomain;

pub use crate::outcome::{Cover, EpochCheck, Fault, FaultKind, Verification};

use crate::concrete::Runs;
use crate::epoch::Checker;
use crate::explore::Explorer;
use crate::known::Known;

/// Receives how far a verification is.
pub trait Progress {
    /// What is being done before the first epoch.
    fn doing(&mut self, activity: Activity);

    /// An epoch with so many schedules was checked on so many paths; so many are left.
    fn checked(&mut self, paths: u64, left: usize, schedules: usize);
}

/// Nobody is interested.
impl Progress for () {
    fn doing(&mut self, _: Activity) {}

    fn checked(&mut self, _: u64, _: usize, _: usize) {}
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
    mut progress: &mut dyn Progress,
) -> Result<Verification, StartError> {
    let doing = |progress: &mut &mut dyn Progress, activity| progress.doing(activity);
    let prepared = prepare(request, &mut progress, doing, |setting, progress| {
        Verifier::new(setting, database, max_paths)?.run(&mut **progress)
    });
    prepared.unwrap_or_else(|reason| {
        let mut result = Verification::of(database);
        result.reasons.push(reason);
        result.tidy();
        Ok(result)
    })
}

/// Whether a limit of the whole run, or the user, has ended a search.
fn is_cut(search: &Enumeration) -> bool {
    search.reasons.iter().any(|reason| matches!(reason.kind, IncompleteKind::Limit | IncompleteKind::Interrupted))
}

/// A verification on its way.
struct Verifier<'a, 'p> {
    setting: &'a Setting<'p>,
    database: &'a Enumeration,
    max_paths: usize,
    entry: EpochId,
    /// What the database says is known where each epoch begins.
    facts: BTreeMap<EpochId, EpochFacts>,
    /// What is checked of that.
    known: BTreeMap<EpochId, Known>,
    control: Control,
    result: Verification,
}

impl<'a, 'p> Verifier<'a, 'p> {
    fn new(setting: &'a Setting<'p>, database: &'a Enumeration, max_paths: usize) -> Result<Self, StartError> {
        let entry = setting.entry().ok_or(StartError::NoMain)?;
        let mut result = Verification::of(database);
        result.faults = form::check(database, &entry, setting.request.assumed_of_errors());
        let (mut facts, mut known) = (BTreeMap::new(), BTreeMap::new());
        for stored in &database.epochs {
            match setting.stored_facts(&stored.id, &stored.searched_with) {
                Ok(found) => {
                    known.insert(stored.id.clone(), Known::new(stored.id == entry, &found));
                    facts.insert(stored.id.clone(), found);
                }
                Err(why) => result.faults.push(damaged(stored, &why)),
            }
        }
        let program = setting.program;
        let mut control = Control::new(program, &|f| f.is_declaration(), QuietEnds::All, None);
        let modref = ModRef::new(program, &control);
        control.find_stuck_tests(program, &modref, never_left(program));
        Ok(Self { setting, database, max_paths, entry, facts, known, control, result })
    }

    fn run(mut self, progress: &mut dyn Progress) -> Result<Verification, StartError> {
        for (number, stored) in self.database.epochs.iter().enumerate() {
            if let Some(reason) = self.stopped() {
                self.result.reasons.push(reason);
                break;
            }
            let check = self.epoch(stored)?;
            let Some(check) = check else { continue };
            tracing::info!(epoch = %stored.key(), number, ?check, "epoch checked");
            progress.checked(check.paths, self.database.epochs.len() - number - 1, check.schedules);
            self.result.epochs.push(check);
        }
        if is_cut(self.database) {
            self.result.doubt(&self.entry);
        }
        self.result.tidy();
        Ok(self.result)
    }

    fn stopped(&self) -> Option<Reason> {
        self.setting.request.limits.stop_reason(&self.setting.request.program)
    }

    /// Checks one epoch; nothing if it cannot be made ready, which is told.
    fn epoch(&mut self, stored: &EpochResult) -> Result<Option<EpochCheck>, StartError> {
        let Some(facts) = self.facts.get(&stored.id) else { return Ok(None) };
        let domain = SymbolicDomain::new(Box::new(CachingSolver::new(self.solver())));
        let mut ready = match self.setting.restore(&stored.id, facts, &stored.searched_with, domain) {
            Ok(ready) => ready,
            Err(RestoreError::Start(why)) => return Err(why),
            Err(RestoreError::NoState(reason)) => {
                self.result.reasons.push(reason);
                return Ok(None);
            }
            Err(why) => {
                self.result.faults.push(damaged(stored, &why));
                return Ok(None);
            }
        };
        let request = self.setting.request;
        request.limits.stop.begin(Activity::Path(1));
        let runs = ready.is_entry.then(|| {
            let Marks { markers, folding, concrete_threads, .. } = ready.machine.options.marks.clone();
            let marks = Marks { markers, folding, concrete_threads, ..Default::default() };
            Runs { request, program: Arc::clone(self.setting.program), marks }
        });
        let Restored { machine, initial, is_entry } = &mut ready;
        machine.domain.subscripts_in_range = self.database.assumptions.contains(&Assumption::SubscriptsInRange);
        let limits = Limits {
            instructions: request.limits.max_instructions,
            events: request.limits.max_events,
            undecided: request.limits.undecided,
            deadline: request.limits.deadline,
            memory: request.limits.memory.resident.unwrap_or(u64::MAX),
            errors: *is_entry,
            ..Limits::default()
        };
        let explorer = Explorer::new(machine, initial, &self.control, limits);
        let stopped = || request.limits.stop_reason(&request.program);
        let solver = self.solver();
        let mut checker = Checker::new(explorer, stored, &self.known, self.max_paths, solver, &stopped, runs.as_ref());
        let check = checker.check();
        self.result.faults.append(&mut checker.faults);
        self.result.reasons.append(&mut checker.reasons);
        Ok(Some(check))
    }

    fn solver(&self) -> Z3Solver {
        let limits = &self.setting.request.limits;
        let options = SolverOptions { timeout: Some(limits.solver_timeout), ..SolverOptions::default() };
        Z3Solver::new(options).interrupted_by(limits.stop.interrupt())
    }
}

/// What is stored of an epoch does not fit the program.
fn damaged(stored: &EpochResult, why: &RestoreError) -> Fault {
    let kind = if matches!(why, RestoreError::NoEpoch) { FaultKind::Epoch } else { FaultKind::Form };
    form::fault(kind, Some(stored.key()), None, why.to_string())
}

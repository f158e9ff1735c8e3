//! Holds a result of `enumerate` against native runs: every input must have a schedule, and every schedule of an input
//! must be followed to its end.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Result;

use super::build::Program;
use super::constraint::Constraints;
use super::end::End;
use super::hold::{Departure, Fault, Held, Holder};
use super::names::Names;
use super::schedule::{Enumeration, Epoch, Schedule};
use super::server::{Limits, Server};

/// Something that is wrong with a result.
#[derive(Clone, Debug)]
pub(super) struct Violation {
    /// What kind it is.
    pub(super) fault: Fault,
    /// Arguments for which it is so.
    pub(super) arguments: Vec<String>,
    /// Number of the schedule in the first epoch, from 1; `None` if none is meant.
    pub(super) schedule: Option<usize>,
    /// In words.
    pub(super) why: String,
    /// What was done until then.
    pub(super) order: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.fault {
            Fault::CannotFollow => "cannot be followed",
            Fault::MissingOrder => "order is missing",
            Fault::MissedDeadlock => "deadlock is missed",
            Fault::ImpossibleDeadlock => "deadlock cannot happen",
            Fault::WrongEnd => "wrong end",
            Fault::Uncovered => "input without a schedule",
            Fault::NeverFollowed => "is never followed",
            Fault::Malformed => "malformed",
        };
        let schedule = self.schedule.map(|number| format!(", schedule {number}")).unwrap_or_default();
        write!(f, "{fault}: arguments {:?}{schedule}: {}", self.arguments, self.why)
    }
}

/// What a comparison has come to.
#[derive(Clone, Debug, Default)]
pub(super) struct Compared {
    /// What is wrong.
    pub(super) violations: Vec<Violation>,
    /// Runs that followed a schedule to its end, or ended the process on the way.
    pub(super) followed: usize,
    /// Inputs of which the result says nothing: they have a memory error.
    pub(super) excluded: usize,
    /// Constraints that are no C.
    pub(super) not_c: Vec<String>,
    /// Inputs that a result which is not complete does not cover.
    pub(super) uncovered: usize,
    /// Runs that may go on in more ways than are tried.
    pub(super) open: usize,
}

impl Compared {
    /// Whether runs of so many inputs have shown nothing: none followed a schedule, and not all of them are excluded.
    pub(super) fn is_empty(&self, inputs: usize) -> bool {
        self.followed == 0 && self.excluded < inputs
    }
}

/// Compares a result with runs for all these arguments. `lines`: see [`Holder::lines`].
///
/// # Errors
/// The program cannot be run, or a tool is missing.
pub(super) fn compare(
    program: &Program,
    result: &Enumeration,
    inputs: &[Vec<String>],
    limits: &Limits,
    stdin: Option<&Path>,
    lines: bool,
) -> Result<Compared> {
    let mut server = Server::start(program, limits.clone(), stdin)?;
    let operations = server.operations.clone();
    let mut names = Names::new(program, &operations)?;
    let Some(epoch) = result.epochs.first() else { return Ok(Compared::default()) };
    let conditions = Conditions::of(result, epoch)?;
    let not_c = conditions.not_c();
    let mut compared = Compared { not_c, ..Compared::default() };
    let mut early = Early::default();
    for arguments in inputs {
        let said = conditions.said(&program.executable, arguments)?;
        if said.has_error {
            compared.excluded += 1;
            continue;
        }
        let (server, names) = (&mut server, &mut names);
        let mut holder = Holder { server, names, result, arguments, lines, deadlock: None };
        input(&mut holder, &said, &mut compared, &mut early)?;
    }
    compared.violations.extend(never_followed(early));
    Ok(compared)
}

/// Inputs that end the process on the way, as long as none comes to the end.
#[derive(Default)]
struct Early(BTreeMap<Coming, Option<Vec<Ending>>>);

/// The arguments of a run, and how it ends.
type Ending = (Vec<String>, End);

/// What runs may come to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Coming {
    /// The end of a schedule of the first epoch.
    Schedule(usize),
    /// A deadlock behind that, by its schedule.
    Deadlock(String),
}

impl Early {
    fn has_come(&mut self, to: Coming) {
        self.0.insert(to, None);
    }

    fn has_ended(&mut self, before: Coming, arguments: &[String], end: &End) {
        if let Some(inputs) = self.0.entry(before).or_insert_with(|| Some(Vec::new())) {
            inputs.push((arguments.to_vec(), end.clone()));
        }
    }
}

/// Inputs on the way of one schedule that make it suspicious.
const MANY_EARLY: usize = 3;

/// Schedules that several inputs begin and none follows to its end: it may have calls that no run makes; and deadlocks
/// that none comes to.
fn never_followed(early: Early) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (coming, inputs) in early.0 {
        let inputs = inputs.unwrap_or_default();
        if inputs.len() >= MANY_EARLY
            && let Some((arguments, end)) = inputs.into_iter().next()
        {
            let (fault, schedule, what) = match coming {
                Coming::Schedule(at) => (Fault::NeverFollowed, Some(at + 1), "the schedule".to_owned()),
                Coming::Deadlock(id) => (Fault::ImpossibleDeadlock, None, format!("the deadlock of schedule {id}")),
            };
            let why = format!("the run {end}, as for all inputs that were tried, and {what} has more calls");
            violations.push(Violation { fault, arguments, schedule, why, order: Vec::new() });
        }
    }
    violations
}

/// Follows all schedules that are for these arguments.
fn input(holder: &mut Holder<'_, '_>, said: &Said, compared: &mut Compared, early: &mut Early) -> Result<()> {
    let mut violation = |fault, schedule: Option<usize>, why: String, order| {
        let arguments = holder.arguments.to_vec();
        compared.violations.push(Violation { fault, arguments, schedule: schedule.map(|at| at + 1), why, order });
    };
    if said.sure.is_empty() && said.perhaps.is_empty() && !said.exits_early {
        if holder.result.complete {
            violation(Fault::Uncovered, None, "no constraint is true".to_owned(), Vec::new());
        } else {
            compared.uncovered += 1;
        }
        return Ok(());
    }
    for &schedule in &said.sure {
        match holder.hold(schedule, &[])? {
            Held::Left(Departure { fault, why, order }) => violation(fault, Some(schedule), why, order),
            Held::Open => compared.open += 1,
            Held::Followed(_) => {
                compared.followed += 1;
                early.has_come(Coming::Schedule(schedule));
                holder.deadlock.take().into_iter().for_each(|id| early.has_come(Coming::Deadlock(id)));
            }
            Held::Early(end) => {
                compared.followed += 1;
                let deadlock = holder.deadlock.take().map(Coming::Deadlock);
                for before in deadlock.into_iter().chain([Coming::Schedule(schedule)]) {
                    early.has_ended(before, holder.arguments, &end);
                }
            }
        }
    }
    if said.sure.is_empty() && !said.exits_early && !said.perhaps.is_empty() {
        let mut last = None;
        for &schedule in &said.perhaps {
            match holder.hold(schedule, &[])? {
                Held::Left(departure) => last = Some((schedule, departure)),
                Held::Open => {
                    compared.open += 1;
                    return Ok(());
                }
                Held::Followed(_) | Held::Early(_) => {
                    compared.followed += 1;
                    return Ok(());
                }
            }
        }
        if let Some((schedule, Departure { fault, why, order })) = last {
            violation(fault, Some(schedule), why, order);
        }
    }
    Ok(())
}

/// What a result says of one input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Said {
    /// Schedules of the first epoch that are for it.
    sure: Vec<usize>,
    /// Those of which nobody knows.
    perhaps: Vec<usize>,
    /// It ends the process on the way.
    exits_early: bool,
    /// It causes a memory error.
    has_error: bool,
}

/// The printed conditions of the first epoch.
struct Conditions<'a> {
    epoch: &'a Epoch,
    texts: Vec<&'a str>,
    compiled: Constraints,
}

impl<'a> Conditions<'a> {
    fn of(result: &'a Enumeration, epoch: &'a Epoch) -> Result<Self> {
        let of_schedules = epoch.schedules.iter().map(|schedule| schedule.constraint.as_str());
        let early = epoch.early_exits.as_deref().unwrap_or("0");
        let errors = result.errors.iter().map(|error| error.constraint.as_str());
        let texts: Vec<&str> = of_schedules.chain([early]).chain(errors).collect();
        let compiled = Constraints::compile(&texts)?;
        Ok(Self { epoch, texts, compiled })
    }

    fn not_c(&self) -> Vec<String> {
        self.compiled.not_c.iter().map(|&at| self.texts[at].to_owned()).collect()
    }

    fn said(&self, name: &Path, arguments: &[String]) -> Result<Said> {
        let values = self.compiled.of(name, arguments)?;
        let count = self.epoch.schedules.len();
        let mut said = Said { exits_early: values[count] == Some(true), ..Said::default() };
        said.has_error = values[count + 1..].contains(&Some(true));
        for (at, schedule) in self.epoch.schedules.iter().enumerate() {
            if schedule.ends == "input" {
                continue;
            }
            match self.value(schedule, at, &values) {
                Some(true) => said.sure.push(at),
                Some(false) => {}
                None => said.perhaps.push(at),
            }
        }
        Ok(said)
    }

    /// Whether a schedule's constraint holds, and those of the parts that it continues.
    fn value(&self, schedule: &Schedule, at: usize, values: &[Option<bool>]) -> Option<bool> {
        let own = values[at];
        let Some(before) = schedule.after.filter(|&before| before < at) else { return own };
        match (own, self.value(&self.epoch.schedules[before], before, values)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

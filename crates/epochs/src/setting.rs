//! From a request to what all epochs of a program are searched with: stages, in order.
//!
//! Each stage needs those before it. Between stages the limits of the run are asked: a run that is over ends early.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_dataflow::termination::Termination;
use icsched_ir::{BlockId, FuncId, Function, Global, Origin, Program, ProgramPoint};
use icsched_machine::folding::Folding;
use icsched_pointsto::{PointsTo, Startup};
use icsched_schedule::{EpochId, Reason};
use icsched_slicing::aliases::Aliases;
use icsched_slicing::control::Control;
use icsched_slicing::modref::ModRef;
use icsched_symbolic::request::Activity;

use crate::analyses::Analyses;
use crate::beginnings::Beginnings;
use crate::folding;
use crate::markers::{MarkerOptions, Markers};
use crate::request::Request;
use crate::specialise;
use crate::statics::Statics;
use crate::technique::Technique;

/// What all epochs of a program are searched with.
#[derive(Clone)]
pub struct Setting<'p> {
    /// What was asked for.
    pub request: &'p Request,
    /// The program as it is executed.
    pub program: &'p Arc<Program>,
    /// What slices are computed with, and the limits.
    pub statics: Statics<'p>,
    /// Where epochs end.
    pub markers: &'p Markers,
    /// The same as the machine needs them.
    pub marked: Arc<BTreeSet<ProgramPoint>>,
    /// Which activations of recursions the names of epochs tell apart.
    pub folding: Arc<Folding>,
    /// Loops without a way out, which are summarised from the start.
    pub endless: Vec<(FuncId, BlockId)>,
    /// What states in the middle of the program need; without it there is only the first epoch.
    pub analyses: Option<&'p Analyses<'p>>,
}

impl<'p> Setting<'p> {
    /// The same with limits of its own.
    pub fn with_request<'q>(&self, request: &'q Request) -> Setting<'q>
    where
        'p: 'q,
    {
        let slicing = icsched_slicing::Statics { time: &request.limits, ..self.statics.slicing };
        let statics = Statics { slicing, limits: &request.limits };
        Setting { request, statics, ..self.clone() }
    }

    /// The epoch that the program begins with.
    pub fn entry(&self) -> Option<EpochId> {
        self.program.main.map(EpochId::entry)
    }

    /// Whether an epoch is the one that the program begins with.
    pub fn is_entry(&self, epoch: &EpochId) -> bool {
        self.entry().as_ref() == Some(epoch)
    }
}

/// Prepares a program, and hands the result to `go`. Before each stage `doing` is told what it is.
///
/// # Errors
/// If a limit of the run is reached before all is prepared; says which.
pub fn prepare<W: ?Sized, R>(
    request: &Request,
    watch: &mut W,
    doing: impl Fn(&mut W, Activity),
    go: impl FnOnce(&Setting<'_>, &mut W) -> R,
) -> Result<R, Reason> {
    let harmless = |f: &Function| is_harmless(request, f);
    let mut begin = |activity| match request.limits.stop_reason(&request.program) {
        Some(reason) => Err(reason),
        None => {
            request.limits.stop.begin(activity);
            doing(watch, activity);
            Ok(())
        }
    };
    begin(Activity::PointsTo)?;
    let (program, points_to) = specialised(request);
    let program = &program;
    begin(Activity::ModRef)?;
    let modref = points_to.as_ref().map(|p| icsched_pointsto::ModRef::new(program, p, &harmless));
    let aliases = modref.as_ref().filter(|_| !request.is_off(Technique::PointsTo)).map(Aliases::new);
    begin(Activity::Control)?;
    let targets = points_to.as_deref().filter(|_| !request.is_off(Technique::PointsTo));
    let mut control = Control::new(program, &harmless, request.quiet_ends(), targets);
    let writes = ModRef::new(program, &control);
    let startup = modref.as_ref().map(Startup::new);
    let termination = modref.as_ref().zip(startup.as_ref()).map(|(modref, startup)| Termination::new(modref, startup));
    let never_left = termination.as_ref().map_or_else(Vec::new, Termination::plainly_endless);
    control.find_stuck_tests(program, &writes, never_left);
    let statics = statics(request, program, &control, &writes, aliases.as_ref());
    begin(Activity::Shapes)?;
    let variables = modref.as_ref().map(icsched_dataflow::Statics::new);
    let analyses = match (&points_to, &modref, &startup, &termination, &variables) {
        (Some(points_to), Some(modref), Some(startup), Some(termination), Some(variables)) => {
            Some(Analyses::new(points_to, modref, startup, (termination, variables), beginnings(request)))
        }
        _ => None,
    };
    begin(Activity::Markers)?;
    let markers = markers(request, program, &control, modref.as_ref());
    let summarises = !request.is_off(Technique::InputAbstraction) && !request.is_off(Technique::Epochs);
    let setting = Setting {
        request,
        program,
        statics,
        marked: Arc::new(markers.iter().map(|(point, _)| point).collect()),
        markers: &markers,
        folding: Arc::new(folding::folding(program, &control, request.search.fold_depth)),
        endless: if summarises { control.endless_loops(program) } else { Vec::new() },
        analyses: analyses.as_ref(),
    };
    Ok(go(&setting, watch))
}

/// Whether the user, or the table of library functions, vouches for a function that is not defined: it does not
/// synchronise.
fn is_harmless(request: &Request, function: &Function) -> bool {
    request.externs.contains_key(&function.name)
        || icsched_externals::known_not_to_synchronise(&function.name, function.params.len())
}

/// What slices are computed with, and the limits.
fn statics<'p>(
    request: &'p Request,
    program: &'p Program,
    control: &'p Control,
    modref: &'p ModRef,
    aliases: Option<&'p Aliases<'p>>,
) -> Statics<'p> {
    let slicing =
        icsched_slicing::Statics { program, control, modref, aliases, time: &request.limits, corrections: false };
    Statics { slicing, limits: &request.limits }
}

/// What is asked of dataflow analysis where epochs begin.
fn beginnings(request: &Request) -> Beginnings {
    Beginnings::new(icsched_dataflow::Options {
        reaching_defs: !request.is_off(Technique::ReachingDefs),
        sync_invariants: !request.is_off(Technique::SyncInvariants),
    })
}

/// Where epochs end.
fn markers(
    request: &Request,
    program: &Program,
    control: &Control,
    modref: Option<&icsched_pointsto::ModRef<'_>>,
) -> Markers {
    let options = MarkerOptions { prune: !request.is_off(Technique::MarkerPruning) };
    match request.is_off(Technique::Epochs) {
        true => Markers::none(),
        false => Markers::place(program, control, modref, &options),
    }
}

/// The program without code that it cannot reach, and what points-to analysis says of it, if there was time for that.
fn specialised(request: &Request) -> (Arc<Program>, Option<Arc<PointsTo>>) {
    let interrupted = || request.limits.is_over();
    let program = told_of_text(request);
    let folded = match request.is_off(Technique::PointsTo) {
        true => specialise::without_points_to(&program, &interrupted),
        false => specialise::from_main(&program, &interrupted),
    };
    match folded {
        Ok((program, points_to)) => (Arc::new(program), Some(Arc::new(points_to))),
        Err(_) => (Arc::new(specialise::specialise(&program)), None),
    }
}

/// The models' variable that says whether the content of some file was given.
const TEXT_IS_GIVEN: &str = "__ics_text_is_given";

/// The program, with models that know whether contents of files were given.
fn told_of_text(request: &Request) -> Cow<'_, Program> {
    if request.inputs.surroundings.is_empty() {
        return Cow::Borrowed(&request.program);
    }
    let mut told = Program::clone(&request.program);
    let is_flag = |global: &Global| global.name == TEXT_IS_GIVEN && global.origin == Origin::Model;
    if let Some((_, flag)) = told.globals.iter_mut().find(|(_, global)| is_flag(global)) {
        flag.data = vec![1, 0, 0, 0];
    }
    Cow::Owned(told)
}

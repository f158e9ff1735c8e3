//! Where epochs begin, and what dataflow analysis knows of that: the same in all searches of an epoch, so it is asked
//! for once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use icsched_dataflow::{Analysis, Context, ExprPool, InitialState, Options, Status, ThreadContext};
use icsched_ir::{CallStack, Origin, Program};
use icsched_pointsto::{ModRef, Startup};
use icsched_schedule::{EpochId, IncompleteKind, Reason};
use icsched_symbolic::request::Activity;

use crate::statics::Statics;

/// Where an epoch's threads are, and what is known of that.
pub struct Beginning {
    /// Where the threads are.
    pub context: Context,
    /// What holds there.
    pub known: InitialState,
    /// The expressions of what is known.
    pub pool: ExprPool,
}

/// Those that were asked for.
pub struct Beginnings {
    asked: Options,
    /// By epoch, and whether no thread has ended there.
    known: Mutex<BTreeMap<(EpochId, bool), Arc<Beginning>>>,
}

impl Beginnings {
    /// None yet, of whatever is wanted of them.
    pub fn new(asked: Options) -> Self {
        Self { asked, known: Mutex::default() }
    }

    /// That of an epoch. It is the answer of an analysis of its own, so it does not depend on what was asked before.
    ///
    /// # Errors
    /// If there is none, or no time to find out.
    pub fn of(
        &self,
        statics: &Statics<'_>,
        analyses: (&ModRef<'_>, &Startup),
        epoch: &EpochId,
        none_ended: bool,
    ) -> Result<Arc<Beginning>, Reason> {
        let key = (epoch.clone(), none_ended);
        let found = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(found) = found {
            return Ok(found);
        }
        let context = context(statics.program, epoch, none_ended);
        let made = Arc::new(begin(statics, analyses, context, &self.asked)?);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&made));
        Ok(made)
    }
}

fn begin(
    statics: &Statics<'_>,
    (modref, startup): (&ModRef<'_>, &Startup),
    context: Context,
    asked: &Options,
) -> Result<Beginning, Reason> {
    let (program, limits) = (statics.program, statics.limits);
    limits.stop.begin(Activity::Beginning);
    let interrupted = || limits.is_over();
    let mut analysis = Analysis::new(modref, startup).interrupted_by(&interrupted);
    let known = analysis.initial_state(&context, asked).map_err(|error| Reason {
        kind: IncompleteKind::Unsupported,
        message: format!("an epoch begins where no state can be made for: {error}"),
        at: None,
    })?;
    if analysis.is_interrupted() {
        return Err(limits.stop_reason(program).unwrap_or_else(stopped));
    }
    let pool = analysis.into_pool();
    for relation in &known.relations {
        let of = |(thread, e): (usize, _)| format!("{thread}: {}", pool.describe(program, e));
        tracing::trace!(kind = ?relation.kind, a = of(relation.a), b = of(relation.b), "known of threads");
    }
    Ok(Beginning { context, known, pool })
}

fn stopped() -> Reason {
    Reason { kind: IncompleteKind::Interrupted, message: "the search was stopped".to_owned(), at: None }
}

/// The context of an epoch: threads wait that are inside of models, since markers are in the program itself.
fn context(program: &Program, epoch: &EpochId, none_ended: bool) -> Context {
    let status = |stack: &CallStack| match stack.0.last() {
        Some(p) if program.functions[p.func].origin == Origin::Model => Status::Waiting,
        _ => Status::Running,
    };
    let thread = |(stack, folds): (&CallStack, &Vec<u32>)| ThreadContext {
        stack: stack.clone(),
        complete: true,
        folds: folds.clone(),
        status: status(stack),
    };
    Context { threads: epoch.stacks().iter().zip(epoch.folds()).map(thread).collect(), none_ended }
}

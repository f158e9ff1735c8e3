//! The analyses of one program, put together.

use std::collections::{BTreeMap, BTreeSet};

use icsched_pointsto::{ModRef, PointsTo, Startup};

use crate::barriers::answers::Barriers;
use crate::context::{Context, ContextError, ThreadContext};
use crate::expr::ExprPool;
use crate::icfg::Icfg;
use crate::idioms::idiom::{Inputs, Threads};
use crate::idioms::table::Idioms;
use crate::locks::held::Held;
use crate::locks::summarise::Locksets;
use crate::patterns::handover::Handovers;
use crate::reaching::definitions::Definitions;
use crate::reaching::solved::Reaching;
use crate::reaching::walk::{Walk, drop_races, merged};
use crate::state::{InitialState, Options, ThreadFacts};
use crate::view::ProgramView;
use crate::waits::{self, WaitError};

/// What must hold at contexts of one program (Bergan 2.5.1, 2.5.4, 2.6.2). What was found is kept between contexts.
pub struct Analysis<'m, 'p> {
    reaching: Reaching<'m, 'p>,
    locks: Locksets,
    /// What threads that have ended may have left taken, once that was asked.
    abandoned: Option<Held>,
    barriers: Barriers,
    handovers: Handovers,
    idioms: Idioms,
}

impl<'m, 'p> Analysis<'m, 'p> {
    /// Nothing solved yet; makes the [`Icfg`].
    pub fn new(modref: &'m ModRef<'p>, startup: &'m Startup) -> Self {
        let view = ProgramView::new(modref, startup);
        Self {
            locks: Locksets::new(view.points_to.instances().len()),
            reaching: Reaching::new(view),
            abandoned: None,
            barriers: Barriers::default(),
            handovers: Handovers::default(),
            idioms: Idioms::default(),
        }
    }

    /// The same, asking now and then whether to go on. When `interrupted` is true, everything ends soon, and what is
    /// said from then on is wrong: [`is_interrupted`](Self::is_interrupted).
    #[must_use]
    pub fn interrupted_by(mut self, interrupted: &'m dyn Fn() -> bool) -> Self {
        self.reaching.view.interrupt_by(interrupted);
        self
    }

    /// Whether the analysis was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.reaching.view.is_interrupted()
    }

    /// The expressions that facts are made of.
    pub fn pool(&self) -> &ExprPool {
        &self.reaching.view.pool
    }

    /// The expressions that facts are made of, when nothing more is asked.
    pub fn into_pool(self) -> ExprPool {
        self.reaching.view.pool
    }

    /// What pointers of the program point to.
    pub fn points_to(&self) -> &'p PointsTo {
        self.reaching.view.points_to
    }

    /// How control gets from function to function.
    pub fn icfg(&self) -> &Icfg {
        &self.reaching.view.icfg
    }

    /// [`Self::definitions`] of every thread of a context. A shared variable that several threads say something of is
    /// one that they race for, or cannot be there together: nothing is said of it (Bergan 2.6.2).
    ///
    /// # Errors
    /// The first stack that is none of the program's.
    pub fn context(&mut self, context: &Context) -> Result<Vec<Definitions>, ContextError> {
        self.reaching.context(context)
    }

    /// What must hold when a thread is where `thread` says, in every execution of the program, whatever other threads
    /// have done meanwhile.
    ///
    /// # Errors
    /// The stack is none of the program's.
    pub fn definitions(&mut self, thread: &ThreadContext) -> Result<Definitions, ContextError> {
        self.reaching.definitions(thread)
    }

    /// The thread when it waits: its stack goes on through the models to the operation that blocks.
    ///
    /// Of several that the call can get to, the one that blocks on the call's first argument is meant:
    /// `pthread_cond_wait` waits for the condition variable, and only then for the mutex.
    ///
    /// # Errors
    /// If there is no such place, or several are left.
    pub fn waiting(&mut self, thread: &ThreadContext) -> Result<ThreadContext, WaitError> {
        waits::waiting(&mut self.reaching, thread)
    }

    /// What must hold in every concrete state at a context.
    ///
    /// Where a thread's stack is [folded](ThreadContext::folds), what is said of it is about its frames from the
    /// [oldest known](ThreadContext::oldest_known) one on, which is frame 0.
    ///
    /// # Errors
    /// The first stack that is none of the program's.
    pub fn initial_state(&mut self, context: &Context, options: &Options) -> Result<InitialState, ContextError> {
        let context = &context.innermost();
        let walks: Result<Vec<Vec<Walk>>, ContextError> =
            context.threads.iter().map(|thread| self.reaching.walks(thread)).collect();
        let walks = walks?;
        let mut state = InitialState::default();
        if options.sync_invariants {
            self.add_invariants(context, &walks, &mut state);
        } else {
            state.threads.resize(context.threads.len(), ThreadFacts::default());
        }
        for ((walks, stack), thread) in walks.into_iter().zip(&context.threads).zip(&mut state.threads) {
            thread.definitions = merged(walks.into_iter().map(|walk| walk.definitions), stack);
            if !options.reaching_defs {
                thread.definitions.registers.iter_mut().for_each(BTreeMap::clear);
                thread.definitions.places.clear();
            }
        }
        drop_races(state.threads.iter_mut().map(|t| &mut t.definitions).collect());
        Ok(state)
    }

    /// Everything but definitions: what idioms say of the threads, what is held, and what barriers expect.
    fn add_invariants(&mut self, context: &Context, walks: &[Vec<Walk>], state: &mut InitialState) {
        let Self { reaching, locks, barriers, handovers, .. } = self;
        let mut inputs = Inputs { reaching, barriers, handovers };
        let found = self.idioms.recognise(&mut inputs, &Threads { context, walks });
        state.relations = found.relations;
        state.least_expected = found.least_expected;
        state.most_expected = found.most_expected;
        state.locks_known = true;
        let mut ranges = found.ranges.into_iter();
        for (thread, walks) in context.threads.iter().zip(walks) {
            let mut held = BTreeSet::new();
            for walk in walks {
                match locks.held(reaching, &walk.chain, &thread.stack.0, &walk.solutions, thread.complete) {
                    Some(locks) => held.extend(locks),
                    None => state.locks_known = false,
                }
            }
            let ranges = ranges.next().unwrap_or_default();
            state.threads.push(ThreadFacts { held: held.into_iter().collect(), ranges, ..ThreadFacts::default() });
        }
        state.barriers = barriers.counts.all(reaching);
        match self.abandoned.get_or_insert_with(|| locks.abandoned(reaching)) {
            Some(locks) => state.abandoned = locks.iter().cloned().collect(),
            None => state.locks_known = false,
        }
    }
}

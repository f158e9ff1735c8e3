//! Everything that is known of the concrete states at a context, for all its threads together (Bergan 2.5.1, 2.5.4).

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::ProgramPoint;
use icsched_pointsto::{InstanceId, ObjectId, Offsets};

use crate::analysis::Analysis;
use crate::context::{Context, ContextError};
use crate::definitions::{Definitions, Walk, drop_races, merged};
use crate::expr::ExprId;
use crate::place::Place;

/// What is said of the initial state. The two options are those that Bergan's evaluation switches off (2.9.1, table 2.1).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Reaching definitions; `-RD` is without.
    pub reaching_defs: bool,
    /// What is known of locks, of barriers and between threads; `-SI` is without.
    pub sync_invariants: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { reaching_defs: true, sync_invariants: true }
    }
}

/// What holds in every concrete state at a context.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct InitialState {
    /// One entry per thread of the context, in its order.
    pub threads: Vec<ThreadFacts>,
    /// Whether the threads' `held` name every lock that is held. If not, any lock may be.
    pub locks_known: bool,
    /// Locks that threads that have ended may have left taken. Their addresses mention no register.
    pub abandoned: Vec<HeldLock>,
    /// `B^cnts`.
    pub barriers: Vec<BarrierCount>,
    /// Every barrier that was initialised expects at least this many: all threads that ever wait at one do not exceed what it expects,
    /// and of the context's threads so many may wait at one.
    pub least_expected: u64,
    /// What every barrier that was initialised expects at most, if that is known because [all threads](Context::none_ended) are in the context.
    pub most_expected: Option<u64>,
    /// What holds between threads.
    pub relations: Vec<Relation>,
}

/// What holds for one thread.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ThreadFacts {
    /// What its registers and memory hold.
    pub definitions: Definitions,
    /// `L+`: the locks that it may hold. Means nothing unless [`InitialState::locks_known`].
    pub held: Vec<HeldLock>,
    /// What numbers of its are between.
    pub ranges: Vec<Range>,
}

/// `start <= value < bound`, as signed numbers; `start` is not negative.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// An expression over the thread's registers.
    pub value: ExprId,
    /// The least that it may be.
    pub start: u64,
    /// What it is less than; a number, or what a place of a global holds, sign-extended to the width of the value.
    pub bound: Count,
}

/// A lock that a thread may hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HeldLock {
    /// One, so often at most.
    At {
        /// Its address, an expression over the thread's registers.
        lock: ExprId,
        /// How often; `None`: not known.
        times: Option<u8>,
    },
    /// Any one, or several, of those that start at one of these places.
    Within(Vec<(ObjectId, Offsets)>),
}

/// What an initialisation of a barrier may have told it.
///
/// A barrier that has been initialised expects one of the counts of all entries that it is in; what it expects is not known if one of them
/// says [`Count::Any`] or it is in none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BarrierCount {
    /// Where the barriers start that the initialisation may be about.
    pub barriers: Vec<(ObjectId, Offsets)>,
    /// What they are to expect.
    pub count: Count,
}

/// How many threads a barrier may have been told to expect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Count {
    /// This many.
    Constant(u64),
    /// What this place of a global holds; it has not been written since.
    Place(Place),
    /// Not known.
    Any,
}

/// How two values compare.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RelationKind {
    /// They are the same.
    Equal,
    /// They differ.
    Distinct,
}

/// What holds between two threads of the context, or within one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Relation {
    /// How they compare.
    pub kind: RelationKind,
    /// The position of a thread in the context, and an expression over its registers.
    pub a: (usize, ExprId),
    /// The position of a thread, and an expression of the same width over its registers.
    pub b: (usize, ExprId),
}

impl Analysis<'_, '_> {
    /// What must hold in every concrete state at a context. Where a thread's stack is [folded](crate::ThreadContext::folds), what is said of it is about
    /// its frames from the [oldest known](crate::ThreadContext::oldest_known) one on, which is frame 0.
    ///
    /// # Errors
    /// The first stack that is none of the program's.
    pub fn initial_state(&mut self, context: &Context, options: &Options) -> Result<InitialState, ContextError> {
        let mut state = InitialState { locks_known: options.sync_invariants, ..InitialState::default() };
        let context = &context.innermost();
        let walks: Result<Vec<Vec<Walk>>, ContextError> =
            context.threads.iter().map(|thread| self.walks(thread)).collect();
        let walks = walks?;
        if options.sync_invariants && context.threads.len() > 1 {
            let ways: Vec<&[Walk]> = walks.iter().map(|w| &w[..]).collect();
            let points: Vec<&[ProgramPoint]> = context.threads.iter().map(|t| &t.stack.0[..]).collect();
            state.relations = self.distinct(&ways, &points);
        }
        let mut ranges: Vec<Vec<Range>> = Vec::new();
        if options.sync_invariants {
            let ways: Vec<&[Walk]> = walks.iter().map(|w| &w[..]).collect();
            let points: Vec<&[ProgramPoint]> = context.threads.iter().map(|t| &t.stack.0[..]).collect();
            let handed = self.handed(&ways, &points);
            state.relations.extend(handed.relations);
            ranges = handed.ranges;
        }
        if options.sync_invariants && context.threads.len() > 1 {
            for relation in self.matched(&context.threads, &walks, &state.relations) {
                if !state.relations.contains(&relation) {
                    state.relations.push(relation);
                }
            }
        }
        ranges.resize(context.threads.len(), Vec::new());
        if options.sync_invariants {
            let oldest: Vec<Vec<InstanceId>> =
                walks.iter().map(|walks| walks.iter().map(|walk| walk.chain[0]).collect()).collect();
            state.least_expected = self.least_expected(&oldest);
            if context.none_ended {
                let present = self.present(context, &walks, state.least_expected);
                state.most_expected = present.most_expected;
                state.relations.extend(present.relations);
            }
        }
        for ((thread, walks), ranges) in context.threads.iter().zip(walks).zip(ranges) {
            let mut held = BTreeSet::new();
            for walk in walks.iter().filter(|_| options.sync_invariants) {
                match self.held(&walk.chain, &thread.stack.0, &walk.solutions, thread.complete) {
                    Some(locks) => held.extend(locks),
                    None => state.locks_known = false,
                }
            }
            let ways = walks.into_iter().map(|walk| walk.definitions);
            let mut definitions = merged(ways, thread);
            if !options.reaching_defs {
                definitions.registers.iter_mut().for_each(BTreeMap::clear);
                definitions.places.clear();
            }
            state.threads.push(ThreadFacts { definitions, held: held.into_iter().collect(), ranges });
        }
        if options.sync_invariants {
            state.barriers = self.barrier_counts();
            match self.abandoned() {
                Some(locks) => state.abandoned = locks.into_iter().collect(),
                None => state.locks_known = false,
            }
        }
        let definitions: Vec<&mut Definitions> = state.threads.iter_mut().map(|t| &mut t.definitions).collect();
        drop_races(definitions);
        Ok(state)
    }
}

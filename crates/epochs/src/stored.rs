//! What an epoch was searched with, to the database and back: whoever wants to execute its paths needs no search.

use icsched_ir::{BlockId, CallStack, Callee, EntityId as _, Op, Program, ProgramPoint};
use icsched_machine::step::{EpochLength, FollowedMarkers};
use icsched_machine::{Machine, State, SyncObjects};
use icsched_schedule::{EpochId, Json, Reason, SearchedWith, Summarised};
use icsched_symbolic::initial::{RepeatError, StoredDiscoveries};
use icsched_symbolic::symbolic::SymbolicDomain;
use thiserror::Error;

use crate::epoch_facts::EpochFacts;
use crate::error::StartError;
use crate::graph::place;
use crate::setting::Setting;
use crate::summarisable::{Summarisable, can_be_summarised};

/// An epoch that is ready for paths to be executed.
pub struct Restored {
    /// The machine; it follows no markers.
    pub machine: Machine<SymbolicDomain>,
    /// The state where paths begin.
    pub initial: State<SymbolicDomain>,
    /// Whether that is the program's entry.
    pub is_entry: bool,
}

/// Why an epoch of a database cannot be made ready.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// The program cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// There is no state for it, or no time to find out.
    #[error("{}", .0.message)]
    NoState(Reason),
    /// It is no epoch of the program.
    #[error("it begins where no thread of the program can be")]
    NoEpoch,
    /// What is known there cannot be read, or is about what is not there.
    #[error("what is known where it begins is damaged")]
    Facts,
    /// Something is summarised that cannot be.
    #[error("it summarises code at {0} that cannot be summarised")]
    Summary(String),
    /// What names stand for cannot be read.
    #[error("what its names stand for is damaged")]
    Names,
    /// The same, with what is wrong.
    #[error(transparent)]
    Repeat(#[from] RepeatError),
}

impl Setting<'_> {
    /// What the database keeps of how an epoch was searched.
    pub fn searched_with(
        &self,
        facts: &EpochFacts,
        summarised: &[Summarisable],
        machine: &Machine<SymbolicDomain>,
    ) -> SearchedWith {
        let told = |&code: &Summarisable| {
            let point = match code {
                Summarisable::Loop(func, block) => ProgramPoint { func, block, inst: 0 },
                Summarisable::Recursion(func) => ProgramPoint { func, block: BlockId::from_index(0), inst: 0 },
            };
            Summarised { code, at: place(self.program, &CallStack(vec![point])) }
        };
        SearchedWith {
            facts: Json::of(facts),
            summarised: summarised.iter().map(told).collect(),
            objects_open: machine.options.objects == SyncObjects::Candidates,
            names: Json::of(&machine.domain.discoveries()),
        }
    }

    /// What a database says is known where an epoch begins. Nothing is taken to be about this program before that was
    /// looked at.
    ///
    /// # Errors
    /// If the epoch is none of the program, or what is stored of it does not fit.
    pub fn stored_facts(&self, epoch: &EpochId, with: &SearchedWith) -> Result<EpochFacts, RestoreError> {
        if !self.is_entry(epoch) && !is_of(self.program, epoch) {
            return Err(RestoreError::NoEpoch);
        }
        let facts: EpochFacts = with.facts.value().map_err(|_| RestoreError::Facts)?;
        let objects = self.analyses.map_or(0, |analyses| analyses.points_to.objects().len());
        match facts.shape.fits(self.program, epoch.stacks(), objects) {
            true => Ok(facts),
            false => Err(RestoreError::Facts),
        }
    }

    /// An epoch as it was searched, with the facts that are [stored](Self::stored_facts).
    ///
    /// # Errors
    /// If what is stored beside the facts does not fit, or there is no state for the epoch.
    pub fn restore(
        &self,
        epoch: &EpochId,
        facts: &EpochFacts,
        with: &SearchedWith,
        domain: SymbolicDomain,
    ) -> Result<Restored, RestoreError> {
        if let Some(wrong) = with.summarised.iter().find(|s| !can_be_summarised(&self.statics, s.code)) {
            return Err(RestoreError::Summary(wrong.at.clone()));
        }
        let is_entry = self.is_entry(epoch);
        let summarised: Vec<Summarisable> = with.summarised.iter().map(|s| s.code).collect();
        let objects = if with.objects_open { SyncObjects::Candidates } else { SyncObjects::Decided };
        let marks = self.marks(self.summaries(&summarised));
        let no_marker = EpochLength::Instructions { least: 0, balance: None, followed: FollowedMarkers::default() };
        let mut machine = self.machine(domain, marks, objects, no_marker);
        let initial = if is_entry {
            self.at_entry(&mut machine)?.0
        } else {
            let (analyses, known) = self.beginning(epoch, facts.none_ended).map_err(RestoreError::NoState)?;
            self.at_context(&mut machine, (analyses, &known), facts)
        };
        let names: StoredDiscoveries = with.names.value().map_err(|_| RestoreError::Names)?;
        machine.domain.repeat_discoveries(&names)?;
        Ok(Restored { machine, initial, is_entry })
    }
}

/// Whether threads can be at these stacks: each call leads to the next function, as far as calls say where they lead.
fn is_of(program: &Program, epoch: &EpochId) -> bool {
    let is_there = |stack: &CallStack| !stack.0.is_empty() && stack.0.iter().all(|point| exists(program, *point));
    let leads_on = |pair: &[ProgramPoint]| match calls(program, pair[0]) {
        Some(Callee::Direct(func)) => *func == pair[1].func,
        Some(Callee::Indirect(_)) => true,
        Some(Callee::Intrinsic(_)) | None => false,
    };
    let folds = epoch.stacks().iter().zip(epoch.folds());
    let is_stack = |(stack, folds): (&CallStack, &Vec<u32>)| {
        let is_folded = |at: usize| folds.contains(&u32::try_from(at + 1).unwrap_or(u32::MAX));
        is_there(stack)
            && folds.iter().all(|&fold| (fold as usize) < stack.0.len())
            && stack.0.windows(2).enumerate().all(|(at, pair)| is_folded(at) || leads_on(pair))
    };
    !epoch.stacks().is_empty() && folds.into_iter().all(is_stack)
}

fn exists(program: &Program, point: ProgramPoint) -> bool {
    let function = program.functions.get(point.func);
    let block = function.and_then(|function| function.blocks.get(point.block));
    // Behind the last instruction is the terminator.
    block.is_some_and(|block| point.inst as usize <= block.insts.len())
}

fn calls(program: &Program, point: ProgramPoint) -> Option<&Callee> {
    match &program.functions[point.func].blocks[point.block].insts.get(point.inst as usize)?.op {
        Op::Call { callee, .. } => Some(callee),
        _ => None,
    }
}

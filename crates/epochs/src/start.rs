//! The machine of an epoch, and the state where it begins.

use std::sync::Arc;

use icsched_facts::KnownShape;
use icsched_machine::abstraction::Abstractions;
use icsched_machine::code::Marks;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::EpochLength;
use icsched_machine::stop::Stop;
use icsched_machine::{Machine, Options, State, SyncObjects};
use icsched_pointsto::Piece;
use icsched_schedule::{EpochId, IncompleteKind, Reason};
use icsched_smt::Term;
use icsched_symbolic::initial::{InitialStates as _, Start, StartOptions};
use icsched_symbolic::symbolic::SymbolicDomain;

use crate::analyses::Analyses;
use crate::beginnings::Beginning;
use crate::epoch_facts::EpochFacts;
use crate::error::StartError;
use crate::setting::Setting;
use crate::summaries::effects;
use crate::summarisable::{Helps, Summarisable};
use crate::technique::Technique;

impl Setting<'_> {
    /// Where epochs end for the machine, and what it summarises.
    pub fn marks(&self, summaries: Arc<Abstractions>) -> Marks {
        Marks {
            markers: Arc::clone(&self.marked),
            abstractions: summaries,
            folding: Some(Arc::clone(&self.folding)),
            switches_at_calls: false,
            concrete_threads: self.request.is_off(Technique::SymbolicThreads),
        }
    }

    /// What these may do that are summarised, and the loops that always are: who goes round for ever need not be
    /// executed to see that.
    pub fn summaries(&self, of: &[Summarisable]) -> Arc<Abstractions> {
        let mut found = Arc::default();
        let endless = self.endless.iter().map(|&(func, header)| Summarisable::Loop(func, header));
        for summarised in endless.chain(of.iter().copied()) {
            self.summarise(Arc::make_mut(&mut found), summarised);
        }
        found
    }

    /// Summarises one more.
    pub fn summarise(&self, summaries: &mut Abstractions, of: Summarisable) {
        effects::summarise(self, summaries, of);
    }

    /// Whether more is known of what others have written if a loop is summarised: which bytes it may write when control
    /// comes to it, for only its induction variables move; or at least, where that is enough, that there are some that
    /// it does not write.
    pub fn helps(&self, wanted: Summarisable, when: Helps) -> bool {
        effects::helps(self, wanted, when)
    }

    /// Where what is summarised may write anywhere in objects, however often it goes round, as points-to analysis names
    /// places.
    pub fn scattered(&self, summarised: Summarisable) -> Vec<Piece> {
        effects::scattered(self, summarised)
    }

    /// A machine for paths of an epoch.
    pub fn machine(
        &self,
        domain: SymbolicDomain,
        marks: Marks,
        objects: SyncObjects,
        epoch_length: EpochLength,
    ) -> Machine<SymbolicDomain> {
        let options = Options { marks, objects, epoch_length, ..self.machine_options() };
        Machine::new(Arc::clone(self.program), domain, Box::new(MemoryHost::default()), options)
    }

    /// A machine for whole paths of the program as it was loaded, with threads switched as in runs. Text that is an
    /// input is looked at byte by byte if it is to be `exact`.
    pub fn machine_as_loaded(&self, domain: SymbolicDomain, exact: bool) -> Machine<SymbolicDomain> {
        let marks = Marks { switches_at_calls: true, ..Marks::default() };
        let options = Options { marks, exact, objects: SyncObjects::Described, ..self.machine_options() };
        Machine::new(Arc::clone(&self.request.program), domain, Box::new(MemoryHost::default()), options)
    }

    fn machine_options(&self) -> Options {
        let request = self.request;
        Options {
            externs: request.externs.clone(),
            symbolic_files: request.inputs.files.clone(),
            symbolic_stdin: request.inputs.stdin,
            surroundings: Arc::clone(&request.inputs.surroundings),
            failures: Arc::clone(&request.inputs.failures),
            stop: request.limits.stop.clone(),
            memory_errors: request.memory_errors,
            allocations_succeed: true,
            ..Options::default()
        }
    }

    /// The state at the program's entry, and the bounds of the inputs that always hold.
    ///
    /// # Errors
    /// If the start-up itself needs something that is not supported; says what.
    pub fn at_entry(
        &self,
        machine: &mut Machine<SymbolicDomain>,
    ) -> Result<(State<SymbolicDomain>, Vec<Term>), StartError> {
        let has_epochs = !self.request.is_off(Technique::Epochs);
        if let Some(analyses) = self.analyses.filter(|_| has_epochs) {
            machine.allow_unknown_sizes(analyses.points_to);
        }
        let (arguments, bounds) = self.request.inputs.arguments(&mut machine.domain);
        let mut initial = machine.initial_state(&arguments).map_err(|stop| StartError::NoStart(start_up(stop)))?;
        for &bound in &bounds {
            initial.path.constrain(&machine.domain.pool, bound);
        }
        initial.path.begin();
        Ok((initial, bounds))
    }

    /// Where an epoch behind the first one begins, as dataflow analysis knows it.
    ///
    /// # Errors
    /// If there is no state for it, or no time to find out.
    pub fn beginning(&self, epoch: &EpochId, none_ended: bool) -> Result<(&Analyses<'_>, Arc<Beginning>), Reason> {
        let analyses = self.analyses.ok_or_else(no_analyses)?;
        Ok((analyses, analyses.beginning(&self.statics, epoch, none_ended)?))
    }

    /// The state there: everything that may hold where the epoch's threads are (`MakeStateForEpoch`, Bergan chapter 2).
    /// Undefined behaviour is not looked for: of a state that nobody knows, it is always possible.
    pub fn at_context(
        &self,
        machine: &mut Machine<SymbolicDomain>,
        (analyses, beginning): (&Analyses<'_>, &Beginning),
        facts: &EpochFacts,
    ) -> State<SymbolicDomain> {
        let off = |technique| self.request.is_off(technique);
        let shape = &facts.shape;
        tracing::debug!(facts = ?facts.none_ended, bytes = shape.bytes.len(), words = shape.words.len(), registers = shape.registers.len(), objects = shape.heap.len(), "known of the epoch");
        shape.log();
        let start = Start {
            context: &beginning.context,
            facts: &beginning.known,
            pool: &beginning.pool,
            points_to: Arc::clone(analyses.points_to),
            statics: analyses.variables,
            known: &KnownShape { shape, indices: Some(&analyses.indices) },
            options: StartOptions {
                statics: !off(Technique::ReachingDefs),
                points_to: !off(Technique::PointsTo),
                memory_checks: false,
                sync_invariants: !off(Technique::SyncInvariants),
            },
        };
        machine.domain.shows_subscripts = true;
        let mut initial = machine.state_at(&start);
        initial.path.begin();
        initial
    }
}

fn no_analyses() -> Reason {
    let message = "an epoch begins where no state can be made for: the program was not analysed".to_owned();
    Reason { kind: IncompleteKind::Unsupported, message, at: None }
}

/// What a program needs before its first instruction and does not get.
fn start_up(stop: Stop<SymbolicDomain>) -> String {
    match stop {
        Stop::Unsupported { what } => format!("{what} is not supported"),
        Stop::Fault { message, .. } => message,
        Stop::End(end) => format!("{end:?}"),
        Stop::Undecided { .. } | Stop::Suspect { .. } | Stop::Hidden { .. } | Stop::Switch => {
            "its start depends on inputs".to_owned()
        }
    }
}

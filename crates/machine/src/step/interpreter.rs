//! The interpreter of one program: what it is made of.

use std::sync::Arc;

use icsched_ir::Program;

use super::event_texts::Shared;
use super::options::Options;
use super::variable_names::VariableNames;
use crate::code::Code;
use crate::domain::Domain;
use crate::host::Host;
use crate::scheduler::{Cooperative, Scheduler};
use crate::seen::Seen;

/// Runs states of one program.
pub struct Machine<D: Domain> {
    /// The program.
    pub program: Arc<Program>,
    /// Its decoded form.
    pub code: Arc<Code>,
    /// The domain.
    pub domain: D,
    /// The operating system.
    pub host: Box<dyn Host>,
    /// Picks threads.
    pub scheduler: Box<dyn Scheduler<D>>,
    /// Options.
    pub options: Options,
    /// A state of the path, to see whether it comes back there.
    pub(super) seen: Seen<D>,
    /// What events share.
    pub(super) shared: Shared,
    /// What inputs may not be called.
    pub(super) variable_names: VariableNames,
}

impl<D: Domain> Machine<D> {
    /// A machine for a verified program.
    pub fn new(program: Arc<Program>, domain: D, host: Box<dyn Host>, options: Options) -> Self {
        let code = Arc::new(Code::new(&program, &options.marks));
        Self {
            program,
            code,
            domain,
            host,
            scheduler: Box::new(Cooperative),
            options,
            seen: Seen::default(),
            shared: Default::default(),
            variable_names: VariableNames::default(),
        }
    }

    /// Forgets in which states a path was: it has ended, or another one begins.
    pub fn forget_states(&mut self) {
        self.seen = Seen::default();
    }
}

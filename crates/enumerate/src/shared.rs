//! What the searches of all epochs of a program share.

use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_ir::{BlockId, FuncId, Program, ProgramPoint};
use icsched_machine::folding::Folding;
use icsched_schedule::EpochId;

use crate::analyses::Analyses;
use crate::passed_markers::{Followed, Following};
use crate::request::Request;
use crate::slots::Slots;
use crate::statics::Statics;
use crate::technique::Technique;

/// What all epochs of a program share.
#[derive(Clone)]
pub(crate) struct Shared<'p> {
    pub(crate) request: &'p Request,
    /// The program as it is executed.
    pub(crate) program: &'p Arc<Program>,
    pub(crate) statics: Statics<'p>,
    pub(crate) markers: Arc<BTreeSet<ProgramPoint>>,
    /// Which activations of recursions the names of epochs tell apart.
    pub(crate) folding: Option<Arc<Folding>>,
    /// The program's markers, and recursions, that threads pass until inputs decide how they go on.
    pub(crate) everything: Followed,
    pub(crate) recursions: Followed,
    /// Loops without a way out, which are replaced from the start.
    pub(crate) endless: Vec<(FuncId, BlockId)>,
    /// For threads that help with an epoch.
    pub(crate) slots: Arc<Slots>,
    /// What initial states in the middle of the program need; without it there is only the first epoch.
    pub(crate) analyses: Option<&'p Analyses<'p>>,
}

impl Shared<'_> {
    /// The epoch that the program begins with.
    pub(crate) fn entry(&self) -> Option<EpochId> {
        self.program.main.map(EpochId::entry)
    }

    /// What is followed in an epoch, at most what `following` says.
    pub(crate) fn followed(&self, epoch: &EpochId, following: Following) -> Followed {
        match following {
            Following::Recursions => self.recursions.clone(),
            Following::Ways => self.recursions.in_all_ways(),
            Following::Nothing => Followed::default(),
            _ if !self.is_entry(epoch) => self.recursions.clone(),
            Following::Everything if self.follows_whole_runs() => self.everything.without_replacing(),
            Following::Everything | Following::EverythingBehindLoops => self.everything.clone(),
            Following::EverythingInAllWays => self.everything.in_all_ways(),
        }
    }

    /// Whether the whole run is searched as one epoch first, where inputs decide in few ways.
    pub(crate) fn follows_whole_runs(&self) -> bool {
        !self.request.without.contains(&Technique::WholeRuns)
    }

    pub(crate) fn is_entry(&self, epoch: &EpochId) -> bool {
        self.entry().as_ref() == Some(epoch)
    }
}

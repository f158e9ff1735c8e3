//! What the searches of all epochs of a program share.

use std::ops::Deref;
use std::sync::Arc;

use icsched_epochs::{Setting, Technique};
use icsched_schedule::EpochId;

use crate::passed_markers::{Followed, Following};
use crate::slots::Slots;

/// What all epochs of a program share: what they are searched with, and how threads may share the work.
#[derive(Clone)]
pub(crate) struct Shared<'p> {
    /// What they are searched with; all of it is reached through this.
    pub(crate) setting: Setting<'p>,
    /// The program's markers, and recursions, that threads pass until inputs decide how they go on.
    pub(crate) everything: Followed,
    pub(crate) recursions: Followed,
    /// For threads that help with an epoch.
    pub(crate) slots: Arc<Slots>,
}

impl<'p> Shared<'p> {
    /// For so many threads.
    pub(crate) fn new(setting: Setting<'p>, jobs: usize) -> Self {
        let (everything, recursions) = match setting.request.is_off(Technique::MarkerPruning) {
            true => Default::default(),
            false => {
                let (control, markers) = (setting.statics.control, setting.markers);
                (Followed::everything(markers), Followed::recursions(setting.program, control, markers))
            }
        };
        Self { setting, everything, recursions, slots: Slots::new(jobs) }
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
        !self.request.is_off(Technique::WholeRuns)
    }
}

impl<'p> Deref for Shared<'p> {
    type Target = Setting<'p>;

    fn deref(&self) -> &Self::Target {
        &self.setting
    }
}

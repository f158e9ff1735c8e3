//! Analyses of the whole program that epochs are searched with.

use std::sync::Arc;

use icsched_dataflow::Statics as Variables;
use icsched_dataflow::termination::Termination;
use icsched_facts::{Compared, Deciding, Fields, Indices, Locks, Pointers, Rings};
use icsched_pointsto::{ModRef, PointsTo, Startup};
use icsched_schedule::{EpochId, Reason};

use crate::beginnings::{Beginning, Beginnings};
use crate::statics::Statics;

/// Analyses of the whole program.
pub struct Analyses<'p> {
    /// Where pointers may point.
    pub points_to: &'p Arc<PointsTo>,
    /// What calls may read and write.
    pub modref: &'p ModRef<'p>,
    /// What memory holds before `main` begins.
    pub startup: &'p Startup,
    /// Which loops end.
    pub termination: &'p Termination<'p, 'p>,
    /// What the same variables hold in all states.
    pub variables: &'p Variables,
    /// What facts need to know of pointers: locks and rings.
    pub pointers: Pointers<'p>,
    /// The numbers at which bounds are looked for.
    pub thresholds: Arc<[i64]>,
    /// Those of them that masks and remainders are no greater than.
    pub result_limits: Arc<[i64]>,
    /// Of which numbers differences are.
    pub compared: Compared,
    /// Which numbers something is decided by.
    pub deciding: Arc<Deciding>,
    /// Where the fields of objects begin.
    pub fields: Arc<Fields>,
    /// Which numbers index arrays.
    pub indices: Indices,
    /// What dataflow analysis knows where epochs begin.
    pub beginnings: Beginnings,
}

impl<'p> Analyses<'p> {
    /// From those that others are made of.
    pub fn new(
        points_to: &'p Arc<PointsTo>,
        modref: &'p ModRef<'p>,
        startup: &'p Startup,
        (termination, variables): (&'p Termination<'p, 'p>, &'p Variables),
        beginnings: Beginnings,
    ) -> Self {
        let program = modref.program();
        Self {
            points_to,
            modref,
            startup,
            termination,
            variables,
            pointers: Pointers::new(
                points_to,
                Arc::new(Locks::new(program, points_to)),
                Rings::new(program, points_to),
            ),
            thresholds: icsched_facts::thresholds(program).into(),
            result_limits: icsched_facts::result_limits(program).into(),
            compared: Compared::new(program, points_to),
            deciding: Arc::new(Deciding::new(program, points_to)),
            fields: Arc::new(Fields::new(program, points_to)),
            indices: Indices::new(program, points_to),
            beginnings,
        }
    }

    /// What dataflow analysis knows of the beginning of an epoch.
    ///
    /// # Errors
    /// If there is no state for it, or no time to find out.
    pub fn beginning(
        &self,
        statics: &Statics<'_>,
        epoch: &EpochId,
        none_ended: bool,
    ) -> Result<Arc<Beginning>, Reason> {
        self.beginnings.of(statics, (self.modref, self.startup), epoch, none_ended)
    }
}

//! What is asked of a program, and when to stop.

use std::sync::Arc;
use std::time::Instant;

use icsched_frontend::LoadOptions;
use icsched_ir::{Function, Origin, Program};
use icsched_pointsto::PointsTo;

use crate::config::{Activity, Limit, Limits, ProgramConfig};
use crate::error::DriverError;

/// The program to look into, and when to stop.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// The program.
    pub program: ProgramConfig,
    /// When to stop: there is no answer then, or only its beginning, but [why](DriverError::Stopped).
    pub limits: Limits,
    /// The time at which that is.
    deadline: Option<Instant>,
}

impl Inspected {
    /// The time of the limits begins now.
    pub fn new(program: ProgramConfig, limits: Limits) -> Self {
        let deadline = limits.deadline();
        Self { program, limits, deadline }
    }

    /// Whether it is time to stop.
    pub(super) fn is_over(&self) -> bool {
        self.limits.stop.asked().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Loads a program or a part of one: it need not have a `main`.
    pub(super) fn load(&self) -> Result<Arc<Program>, DriverError> {
        let options = LoadOptions { needs_entry: false, ..LoadOptions::default() };
        let program = crate::enumerate::load_with(&self.program, &options, &self.limits)?;
        self.go_on_to(Activity::PointsTo)?;
        Ok(program)
    }

    pub(super) fn solve(&self, program: &Program, closed: bool) -> Result<PointsTo, DriverError> {
        let interrupted = || self.is_over();
        let options = icsched_pointsto::Options { closed, interrupted: &interrupted, ..Default::default() };
        let solved = PointsTo::new(program, &options).map_err(|_| self.stopped(Limit::Time))?;
        self.go_on_to(Activity::ModRef)?;
        Ok(solved)
    }

    /// What is done next, if it is to be done.
    pub(super) fn go_on_to(&self, next: Activity) -> Result<(), DriverError> {
        if let Some(limit) = self.limits.stop.asked() {
            return Err(self.stopped(limit));
        }
        self.limits.stop.begin(next);
        Ok(())
    }

    /// The limit that was asked for, or else this one.
    pub(super) fn stopped(&self, otherwise: Limit) -> DriverError {
        let Limits { stop, .. } = &self.limits;
        DriverError::Stopped { limit: stop.asked().unwrap_or(otherwise), activity: stop.doing().activity }
    }
}

/// How an answer is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: one object with the key `schema`.
    Json,
    /// For Graphviz.
    Dot,
}

/// What is shown of a program, and how.
#[derive(Clone, Debug)]
pub struct Selection {
    /// How.
    pub format: Format,
    /// Library models, too.
    pub models: bool,
    /// Only this function.
    pub function: Option<String>,
    /// See [`icsched_pointsto::Options::closed`].
    pub closed: bool,
}

impl Selection {
    pub(super) fn shows(&self, function: &Function) -> bool {
        match &self.function {
            // A model that is asked for by its name is meant.
            Some(name) => *name == function.name,
            None => self.models || function.origin == Origin::Program,
        }
    }
}

/// What is asked about epoch markers, and how the answer is written.
#[derive(Clone, Debug)]
pub struct MarkerSelection {
    /// [`Format::Dot`] is the same as [`Format::Text`].
    pub format: Format,
    /// Only what is in this function.
    pub function: Option<String>,
    /// Techniques that are off; those that markers do not depend on make no difference.
    pub without: Vec<icsched_epochs::Technique>,
}

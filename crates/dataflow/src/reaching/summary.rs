//! What a call of a function is known to do to registers and memory, as far as it has been found.

use std::rc::Rc;

use icsched_ir::IdVec;
use icsched_pointsto::InstanceId;

use super::facts::Facts;
use crate::expr::ExprId;

/// The summaries of all instances.
pub(crate) type Summaries = IdVec<InstanceId, CallSummary>;

/// What is known of the calls of an instance.
#[derive(Clone, Debug)]
pub(crate) enum CallSummary {
    /// Nothing was computed.
    NotComputed,
    /// They never return, as far as is known.
    NeverReturns,
    /// What holds when they have returned.
    Returns(Rc<Summary>),
}

/// What holds when a function has returned. Symbols are its registers: parameters, what it returns, and a few others.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Summary {
    pub(crate) results: Vec<Option<ExprId>>,
    pub(super) facts: Facts,
}

impl Summary {
    /// Keeps what holds in both.
    pub(super) fn join(&mut self, other: &Summary) {
        self.facts.join(&other.facts);
        for (value, other) in self.results.iter_mut().zip(&other.results) {
            *value = value.filter(|_| *value == *other);
        }
    }
}

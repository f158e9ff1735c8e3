//! What is marked in a program's code.

use std::collections::BTreeSet;
use std::sync::Arc;

use icsched_ir::ProgramPoint;

use crate::abstraction::Abstractions;
use crate::folding::Folding;

/// What is marked in a program's code.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    /// Where epochs end: in front of these instructions (Bergan 3.3.1).
    pub markers: Arc<BTreeSet<ProgramPoint>>,
    /// What is replaced by what it may do (Bergan 3.4.2).
    pub abstractions: Arc<Abstractions>,
    /// Which activations are told apart where epochs end; without it all are.
    pub folding: Option<Arc<Folding>>,
    /// Whether it belongs to an epoch which thread starts where, not only how many do (without Bergan 3.4.1.3).
    pub concrete_threads: bool,
}

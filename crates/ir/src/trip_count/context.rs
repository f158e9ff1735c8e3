//! A function with what is known of its control flow.

use fixedbitset::FixedBitSet;

use crate::cfg::Cfg;
use crate::definitions::Definitions;
use crate::dominators::DomTree;
use crate::loops::LoopForest;
use crate::program::Function;

/// What the analysis of a loop needs of its function.
#[derive(Copy, Clone)]
pub(super) struct Context<'a> {
    pub(super) function: &'a Function,
    pub(super) cfg: &'a Cfg,
    pub(super) dominators: &'a DomTree,
    pub(super) loops: &'a LoopForest,
    pub(super) definitions: &'a Definitions,
    pub(super) ignore: &'a FixedBitSet,
}

//! What comparisons among conditions say without a solver: intervals of terms, and their order.

pub(crate) mod interval;
pub(crate) mod order;
pub(crate) mod ranges;

//! What the suites share that hold symbolic execution against runs of the programs in `c-tests/`.

pub(crate) mod programs;
pub(crate) mod random;
pub(crate) mod recorded;
pub(crate) mod relation;
#[path = "../../../dataflow/tests/runs/returned.rs"]
pub(crate) mod returned;
pub(crate) mod spread;

//! Where values are defined, found once per function.

use icsched_ir::definitions::Definitions;
use icsched_ir::{FuncId, Program};
use rustc_hash::FxHashMap;

/// Where values are defined, by function.
pub(crate) type Defined = FxHashMap<FuncId, Definitions>;

/// The definitions of a function. Linear in its size when it is asked for first.
pub(crate) fn definitions<'d>(known: &'d mut Defined, program: &Program, func: FuncId) -> &'d Definitions {
    known.entry(func).or_insert_with(|| Definitions::new(&program.functions[func]))
}

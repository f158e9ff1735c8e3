//! What the program calls its variables: where a run begins in the middle of it, their values have these names.

use icsched_ir::{Function, Origin, Program};
use rustc_hash::FxHashSet;

/// Names of the program's variables, collected when they are first asked for.
#[derive(Default)]
pub(super) struct VariableNames(Option<FxHashSet<String>>);

impl VariableNames {
    /// Whether a variable has this name. O(values of the program) at first.
    pub(super) fn contains(&mut self, program: &Program, name: &str) -> bool {
        self.0.get_or_insert_with(|| collect(program)).contains(name)
    }
}

fn collect(program: &Program) -> FxHashSet<String> {
    let globals = program.globals.values().filter(|global| global.origin == Origin::Program);
    let functions = program.functions.values().filter(|function| function.origin == Origin::Program);
    let locals = functions.flat_map(|function: &Function| function.values.values()).filter_map(|v| v.name.clone());
    globals.map(|global| global.name.clone()).chain(locals).collect()
}

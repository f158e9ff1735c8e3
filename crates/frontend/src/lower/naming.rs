//! Names of functions and globals in a lowered program: `open`, `.str.3`, `unnamed.2`. Each has one, and no two have
//! the same. Those of C++ are the names in its source (`Pool::add`), without parameters, with a number if overloaded.
//!
//! Compilers leave constants without names (`clang -fsanitize=undefined`: every description of a check). Names that are
//! no UTF-8 are read with replacement characters, so two of them may become one.

use icsched_ir::{FuncId, MODEL_SUFFIX, Origin, Program, source_name};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function or global without a name is called.
const UNNAMED: &str = "unnamed";

/// Gives the program's functions the names that its author knows, and then everything a name of its own. O(functions +
/// globals).
pub(super) fn settle(program: &mut Program) {
    restore(program);
    name_as_in_source(program);
    make_distinct(program);
}

/// When a model and a `static` function of the program have one name, linking renames the program's. The user knows
/// that name, so it goes back and the model's gets a suffix.
fn restore(program: &mut Program) {
    let taken: FxHashMap<String, FuncId> = program
        .functions
        .iter()
        .filter(|(_, f)| f.origin == Origin::Model)
        .map(|(id, f)| (f.name.clone(), id))
        .collect();
    let renamed: Vec<(FuncId, FuncId)> = program
        .functions
        .iter()
        .filter(|(_, f)| f.origin == Origin::Program && !f.is_declaration())
        .filter_map(|(id, f)| {
            let (stem, suffix) = f.name.rsplit_once('.')?;
            let numbered = !suffix.is_empty() && suffix.bytes().all(|b| b.is_ascii_digit());
            numbered.then(|| taken.get(stem).map(|&model| (id, model))).flatten()
        })
        .collect();
    for (own, model) in renamed {
        let name = program.functions[model].name.clone();
        program.functions[model].name = format!("{name}{MODEL_SUFFIX}");
        program.functions[own].name = name;
    }
}

/// Functions and variables that the program defines in C++ get the names of its source. What the library has, or may
/// have, keeps its symbol: it is looked up by it.
fn name_as_in_source(program: &mut Program) {
    let is_own = |name: &str, is_definition: bool, origin: Origin| {
        is_definition && origin == Origin::Program && icsched_externals::lookup(name).is_none()
    };
    for (_, function) in program.functions.iter_mut() {
        if is_own(&function.name, !function.is_declaration(), function.origin) {
            function.name = source_name(&function.name).into_owned();
        }
    }
    for (_, global) in program.globals.iter_mut() {
        if is_own(&global.name, !global.external, global.origin) {
            global.name = source_name(&global.name).into_owned();
        }
    }
}

/// Names what has no name, and numbers what has the name of something before it.
fn make_distinct(program: &mut Program) {
    let names = || program.functions.values().map(|f| &f.name).chain(program.globals.values().map(|g| &g.name));
    let mut taken: FxHashSet<String> = names().filter(|name| !name.is_empty()).cloned().collect();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let functions = program.functions.iter_mut().map(|(_, f)| &mut f.name);
    for name in functions.chain(program.globals.iter_mut().map(|(_, g)| &mut g.name)) {
        if !name.is_empty() && seen.insert(name.clone()) {
            continue;
        }
        let stem = if name.is_empty() { UNNAMED.to_owned() } else { std::mem::take(name) };
        let number = numbers.entry(stem.clone()).or_insert(1);
        *name = loop {
            let numbered = if *number == 1 && stem == UNNAMED { stem.clone() } else { format!("{stem}.{number}") };
            *number += 1;
            if taken.insert(numbered.clone()) {
                break numbered;
            }
        };
        seen.insert(name.clone());
    }
}

//! Links the models of pthreads and of the C library with a program, as the C library is linked with it:
//!
//! ```text
//! the program calls  fstat    ->  the program's fstat, if it defines one; else the model
//! a model calls      fstat    ->  the model, always
//! strdup             malloc   ->  the program's malloc, if it defines one: the program frees what it gets
//! getopt sets        optind   ->  the program's optind, if it defines one
//! ```
//!
//! A model of which the program has a namesake is renamed before linking: `fstat.model`.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{FAILING_MODEL, LOCKED_MODEL, MODEL_SUFFIX};

use crate::LoadOptions;
use crate::error::LoadError;
use crate::library::{EXIT, library_name};
use crate::llvm::module::Session;
use crate::llvm::{LlvmError, Module};
use crate::lower::family_of;
use crate::module_asm;

/// All models in one bitcode file, made by the build script.
const MODELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));

/// What is not in the headers of the C++ library, in one bitcode file.
const CXX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cxx.bc"));

/// Metadata on everything that the models define.
pub(crate) const MODEL_MARK: &str = "icsched.model";

/// Functions by which a program itself locks a stream.
const LOCKS_STREAM: [&str; 2] = ["flockfile", "ftrylockfile"];

/// Variables that the C library and a program that defines them have in common. Of others (`environ`, `timezone`,
/// `signgam`) the C library has its own, under a name that programs may not use.
const SHARED_VARIABLES: [&str; 4] = ["optarg", "optind", "opterr", "optopt"];

/// What the models call for memory that the program frees or has made, with the function of the program that it is if
/// there is one. glibc calls these by their public names, too ("Replacing malloc" in its manual).
const PROGRAM_MEMORY: [(&str, &str); 4] = [
    ("ics_program_malloc", "malloc"),
    ("ics_program_calloc", "calloc"),
    ("ics_program_realloc", "realloc"),
    ("ics_program_free", "free"),
];

/// Stands for all functions that have a model which fails.
const ALL: &str = "all";

/// How the names of the engine's operations begin, and of what models have for them.
const ENGINE: &str = "__ics_";

/// What the names of a program's own functions end in that would be taken for the engine's.
const OWN_SUFFIX: &str = ".program";

/// Links what the program needs of the C++ library, as code of the program: it is C++ code above POSIX threads and the
/// C library, like the headers that call it. What the program defines itself wins.
pub(crate) fn link_cxx<'s>(path: &str, session: &'s Session, module: &Module<'s>) -> Result<(), LoadError> {
    let internal = |error: LlvmError| LoadError::Internal { path: path.to_owned(), detail: error.to_string() };
    let library = session.parse_lazily(CXX).map_err(internal)?;
    let missing: BTreeSet<String> = module.symbols().iter().filter(|s| !s.is_definition()).map(|s| s.name()).collect();
    if !library.symbols().iter().any(|symbol| symbol.is_definition() && missing.contains(&symbol.name())) {
        return Ok(());
    }
    library.make_library(None);
    module.link(library).map_err(|error| LoadError::LinkConflict { path: path.to_owned(), detail: error.to_string() })
}

/// Links what the program needs of the models. Metadata of kind [`MODEL_MARK`] is on what comes of them.
pub(crate) fn link_models<'s>(
    path: &str,
    session: &'s Session,
    module: &Module<'s>,
    options: &LoadOptions,
) -> Result<(), LoadError> {
    let internal = |error: LlvmError| LoadError::Internal { path: path.to_owned(), detail: error.to_string() };
    let conflict = |error: LlvmError| LoadError::LinkConflict { path: path.to_owned(), detail: error.to_string() };
    let models = session.parse_lazily(MODELS).map_err(internal)?;
    if let Some(assembly) = module.module_assembly() {
        let names: Vec<String> = models.functions().iter().filter(|f| !f.is_declaration()).map(|f| f.name()).collect();
        if let Some(what) = module_asm::needed(&assembly, |name| names.iter().any(|known| known == name)) {
            return Err(LoadError::Unsupported { path: path.to_owned(), what });
        }
    }
    // Who locks a stream for longer than a call may have others wait for what it does meanwhile.
    let is_locked =
        || module.functions().iter().any(|f| f.is_declaration() && LOCKS_STREAM.contains(&f.name().as_str()));
    if options.library_locks || is_locked() {
        for name in models.functions().iter().map(|f| f.name()) {
            if let Some(plain) = name.strip_prefix(LOCKED_MODEL) {
                module.rename_declaration(plain, &name);
            }
        }
    }
    have_fail(path, module, &models, &options.may_fail)?;
    separate(module, &models);
    models.make_library(Some(MODEL_MARK));
    require(module, &models);
    module.link(models).map_err(conflict)
}

/// Has the program call models that may fail, for these functions or for `all` that have such a model.
fn have_fail(path: &str, module: &Module<'_>, models: &Module<'_>, names: &[String]) -> Result<(), LoadError> {
    if names.is_empty() {
        return Ok(());
    }
    let functions = models.functions();
    let mut known: Vec<String> =
        functions.iter().filter_map(|f| f.name().strip_prefix(FAILING_MODEL).map(str::to_owned)).collect();
    known.sort();
    let is_unknown = |name: &&String| *name != ALL && !known.contains(name);
    if let Some(name) = names.iter().find(is_unknown) {
        return Err(LoadError::NeverFails { path: path.to_owned(), name: name.clone(), known: known.join(", ") });
    }
    for name in known.iter().filter(|known| names.iter().any(|name| name == ALL || name == *known)) {
        module.rename_declaration(name, &format!("{FAILING_MODEL}{name}"));
    }
    Ok(())
}

/// Has the linker keep what no instruction of the program names yet: returning from the entry function is a call of
/// `exit`, which flushes and runs the exit handlers, and some operations are lowered to calls.
fn require(module: &Module<'_>, models: &Module<'_>) {
    let is_needed = |name: &&String| library_name(name) == EXIT || family_of(library_name(name)).is_some();
    let names: Vec<String> = models.functions().iter().map(|f| f.name()).collect();
    names.iter().filter(is_needed).for_each(|name| module.require(name));
}

/// Gives models other names of which the program has a namesake, so that models go on to mean each other. O(symbols ×
/// log).
fn separate(module: &Module<'_>, models: &Module<'_>) {
    let own = own_definitions(module);
    let is_exported = |name: &str| own.get(name).is_some_and(|&exported| exported);
    for model in models.symbols() {
        let name = model.name();
        let is_shared = SHARED_VARIABLES.contains(&&*name) && is_exported(&name);
        if model.is_definition() && own.contains_key(&name) && !is_shared {
            models.rename(model, &format!("{name}{MODEL_SUFFIX}"));
        }
    }
    for (hook, name) in PROGRAM_MEMORY {
        if is_exported(name) {
            models.rename_declaration(hook, name);
        }
    }
}

/// The names that the program defines, and whether other files could mean them. What has a name of the engine gets
/// another one.
fn own_definitions(module: &Module<'_>) -> BTreeMap<String, bool> {
    let mut own = BTreeMap::new();
    for value in module.symbols().into_iter().filter(|value| value.is_definition()) {
        let name = value.name();
        if name.starts_with(ENGINE) {
            module.rename(value, &format!("{name}{OWN_SUFFIX}"));
        } else {
            own.insert(name, !value.is_local());
        }
    }
    own
}

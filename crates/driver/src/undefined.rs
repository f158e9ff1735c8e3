//! The functions that a program calls and nobody defines or models, all at once: `enumerate` and its like say so before
//! they search.

use std::collections::{BTreeMap, BTreeSet};

use icsched_frontend::{Definer, Sources};
use icsched_ir::{CallGraph, Callee, EntityId as _, FuncId, Op, Origin, Program, Type, source_name};
use icsched_machine::Extern;
use icsched_schedule::Diagnostic;

/// Calls that are named of one function.
const CALLS: usize = 3;

/// Functions that are named one by one.
const MOST: usize = 30;

/// A function without definition and model.
struct Undefined {
    function: String,
    /// Who calls it where, as far as that is known.
    calls: Vec<String>,
    /// Whether it returns a pointer. No answer in a word is one that a program can go on with.
    is_pointer: bool,
}

/// What to say of them; `None` if there are none, or the user has said what they do.
pub(crate) fn warning(program: &Program, sources: &Sources, externs: &BTreeMap<String, Extern>) -> Option<Diagnostic> {
    let all = undefined(program, externs);
    if all.is_empty() {
        return None;
    }
    let names: BTreeSet<&str> = all.iter().map(|one| &*one.function).collect();
    let definers = icsched_frontend::definers(sources, &names);
    let message = match all.len() {
        1 => "a function that may be called has neither a definition nor a model".to_owned(),
        n => format!("{n} functions that may be called have neither a definition nor a model"),
    };
    let mut diagnostic = Diagnostic::warning("undefined", message);
    for one in all.iter().take(MOST) {
        let mut text = source_name(&one.function).into_owned();
        if let Some((first, more)) = one.calls.split_first() {
            text += &format!(", called by {first}");
            text += &more.iter().take(CALLS - 1).map(|call| format!(", {call}")).collect::<String>();
            if more.len() >= CALLS {
                text += &format!(" and {} more", more.len() + 1 - CALLS);
            }
        }
        match definers.get(&one.function) {
            Some(Definer { file, is_needed: true }) => text += &format!("; {file} defines it: name that file, too"),
            Some(Definer { file, .. }) => text += &format!("; {file} defines it, without bitcode"),
            None => {}
        }
        if let Some(note) = icsched_externals::missing(&one.function) {
            text += &format!("; {note}");
        }
        diagnostic = diagnostic.note(text);
    }
    if all.len() > MOST {
        diagnostic = diagnostic.note(format!("{} more", all.len() - MOST));
    }
    let (pointers, numbers): (Vec<&Undefined>, Vec<&Undefined>) = all.iter().partition(|one| one.is_pointer);
    if !pointers.is_empty() {
        let names: Vec<_> = pointers.iter().take(MOST).map(|one| source_name(&one.function)).collect();
        diagnostic = diagnostic.note(format!(
            "what {} returns has to be the address of something: it takes a file that defines it, if need be one of \
             your own",
            names.join(", ")
        ));
    }
    if numbers.is_empty() {
        return Some(diagnostic.help("add their files"));
    }
    let options: Vec<String> = numbers.iter().map(|one| format!("--extern {}=havoc", one.function)).collect();
    Some(diagnostic.help(format!(
        "add their files, or say what they do: havoc (returns anything), pure (returns 0), abort, assume: {}",
        options.join(" ")
    )))
}

/// All that the program may call, by name. Linear in the program.
fn undefined(program: &Program, externs: &BTreeMap<String, Extern>) -> Vec<Undefined> {
    let graph = CallGraph::new(program);
    let roots = program.main.iter().chain(&program.constructors).chain(&program.destructors).copied();
    let reached = graph.reachable_from(roots);
    let is_unknown = |func: &FuncId| {
        let function = &program.functions[*func];
        let is_modelled = || icsched_externals::lookup(function.library_name()).is_some();
        let is_missing = || icsched_externals::missing(function.library_name()).is_some();
        reached.contains(func.index())
            && function.is_declaration()
            && !externs.contains_key(&function.name)
            && (!is_modelled() || is_missing())
    };
    let mut calls: BTreeMap<FuncId, Vec<String>> =
        program.functions.ids().filter(is_unknown).map(|f| (f, Vec::new())).collect();
    for caller in program.functions.ids().filter(|func| reached.contains(func.index())) {
        let function = &program.functions[caller];
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op
                && let Some(known) = calls.get_mut(&callee)
            {
                let at = inst.loc.map(|loc| format!(" at {}", program.describe_loc(loc))).unwrap_or_default();
                known.push(format!("{}{at}", function.name));
            }
        }
    }
    // What only models of the library call is asked for by the path that comes there.
    let is_own = |func: FuncId| {
        graph.callers(func).iter().any(|&caller| program.functions[caller].origin == Origin::Program)
            || graph.is_address_taken(func)
    };
    let named = calls.into_iter().filter(|(func, _)| is_own(*func)).map(|(func, mut calls)| {
        calls.dedup();
        let function = &program.functions[func];
        Undefined { function: function.name.clone(), calls, is_pointer: function.results.contains(&Type::Ptr) }
    });
    let mut all: Vec<Undefined> = named.collect();
    all.sort_by(|a, b| a.function.cmp(&b.function));
    all
}

//! The pipeline from a file to a program, in the calling process.

use std::path::Path;

use icsched_ir::{Program, Type, visible};

use crate::error::LoadError;
use crate::link::{MODEL_MARK, link_cxx, link_models};
use crate::llvm::module::Session;
use crate::llvm::{Layout, LlvmError, Module};
use crate::lower::{Failure, lower};
use crate::sniff::{Form, recognise};
use crate::{LoadOptions, sniff};

/// Only the promotion of locals to SSA values. Passes that use undefined behaviour (`sroa` deletes accesses outside an
/// array, `simplifycfg` branches that lead to a null access) would hide what is to be found; joining blocks and
/// lowering `switch` are done on the IR.
const PASSES: &str = "function(mem2reg)";

/// The same with those that copy conditions of loops in front of them, and code that follows a branch into its arms.
const DUPLICATING_PASSES: &str = "function(mem2reg,loop-simplify,lcssa,loop(loop-rotate),jump-threading)";

const X86_64_TRIPLE: &str = "x86_64-unknown-linux-gnu";
const X86_64_LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Loads a program in this process.
///
/// # Errors
/// Says what is wrong with the file. A damaged file can also make LLVM end the process:
/// [`load_contained`](crate::load_contained) does not have that risk.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Program, LoadError> {
    let (name, bytes, form) = read(path)?;
    load_bytes(options.name.as_deref().unwrap_or(&name), &bytes, form, options, After::Free)
}

/// [`load`] in a process that ends right after: taking LLVM's modules apart would only cost time.
pub(crate) fn load_and_leave(path: &Path, options: &LoadOptions) -> Result<Program, LoadError> {
    let (name, bytes, form) = read(path)?;
    load_bytes(options.name.as_deref().unwrap_or(&name), &bytes, form, options, After::Leave)
}

/// What happens to LLVM's memory after loading.
#[derive(Copy, Clone, PartialEq, Eq)]
enum After {
    Free,
    Leave,
}

/// Reads a file that looks like LLVM IR.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>, sniff::Form), LoadError> {
    let (name, bytes) = read_bytes(path)?;
    let form = recognise(&name, &bytes)?;
    Ok((name, bytes, form))
}

/// Reads a file, and says how it is called in messages.
pub(crate) fn read_bytes(path: &Path) -> Result<(String, Vec<u8>), LoadError> {
    let name = visible(&path.display().to_string()).into_owned();
    // It is read twice, so it must be a file: nothing comes back from a pipe, and devices may never end.
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(LoadError::IsDirectory { path: name }),
        Ok(file) if !file.is_file() => {
            let reason = "it is a device or a pipe; write the bitcode to a file first".to_owned();
            return Err(LoadError::Unreadable { path: name, reason });
        }
        Ok(_) | Err(_) => {}
    }
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => LoadError::NotFound { path: name.clone() },
        _ => LoadError::Unreadable { path: name.clone(), reason: error.to_string() },
    })?;
    Ok((name, bytes))
}

fn load_bytes(path: &str, bytes: &[u8], form: Form, options: &LoadOptions, after: After) -> Result<Program, LoadError> {
    let session = Session::new();
    let program = {
        let module = parse(path, &session, bytes, form, options)?;
        let program = lower_module(path, &module, options)?;
        if after == After::Leave {
            std::mem::forget(module);
        }
        program
    };
    if after == After::Leave {
        std::mem::forget(session);
    }
    Ok(program)
}

/// Parses, links the models, and promotes locals.
fn parse<'s>(
    path: &str,
    session: &'s Session,
    bytes: &[u8],
    form: Form,
    options: &LoadOptions,
) -> Result<Module<'s>, LoadError> {
    let module = session.parse(bytes, path).map_err(|error| parse_error(path, bytes, form, &error.to_string()))?;
    module.remove_escapes();
    check_target(path, &module)?;
    if options.needs_entry && module.definition(&options.entry).is_none() {
        return Err(LoadError::NoMain { path: path.to_owned(), entry: options.entry.clone() });
    }
    if options.link_models {
        link_cxx(path, session, &module)?;
        link_models(path, session, &module, options)?;
    }
    if options.normalise {
        module.remove_attribute("optnone");
        module.remove_attribute("noinline");
        module.mark_undefined_locals();
        let internal = |error: LlvmError| LoadError::Internal { path: path.to_owned(), detail: error.to_string() };
        let passes = if options.duplicate_code { DUPLICATING_PASSES } else { PASSES };
        module.run_passes(passes).map_err(internal)?;
    }
    Ok(module)
}

fn lower_module(path: &str, module: &Module<'_>, options: &LoadOptions) -> Result<Program, LoadError> {
    let internal = |detail| LoadError::Internal { path: path.to_owned(), detail };
    let program = lower(module, path, options, MODEL_MARK).map_err(|failure| match failure {
        Failure::Unsupported(what) => LoadError::Unsupported { path: path.to_owned(), what },
        Failure::Model(detail) => internal(detail),
    })?;
    match icsched_ir::verify(&program) {
        Ok(()) => {
            if options.needs_entry {
                check_main(path, &program, &options.entry)?;
            }
            Ok(program)
        }
        Err(errors) => {
            let first = errors.first().map_or_else(String::new, ToString::to_string);
            Err(internal(format!("lowering made an ill-formed program: {first}")))
        }
    }
}

/// Accepts the signatures that C has for `main`, with `void` for the result.
fn check_main(path: &str, program: &Program, entry: &str) -> Result<(), LoadError> {
    let (path, entry) = (path.to_owned(), entry.to_owned());
    let Some(main) = program.main else { return Err(LoadError::NoMain { path, entry }) };
    let main = &program.functions[main];
    let int = Type::Int(32);
    let params: Vec<Type> = main.params.iter().map(|&p| main.values[p].ty).collect();
    let fits = [int, Type::Ptr, Type::Ptr].starts_with(&params) && (main.results.is_empty() || main.results == [int]);
    if fits {
        return Ok(());
    }
    let list = |types: &[Type]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let has = match main.results.as_slice() {
        [] => format!("({})", list(&params)),
        results => format!("({}) -> {}", list(&params), list(results)),
    };
    Err(LoadError::BadMain { path, entry, has })
}

/// Accepts x86-64 Linux, and modules that do not say what they are for.
fn check_target(path: &str, module: &Module<'_>) -> Result<(), LoadError> {
    let triple = module.triple();
    let refuse = |triple: String| Err(LoadError::UnsupportedTarget { path: path.to_owned(), triple });
    if triple.is_empty() {
        if !module.has_layout() {
            module.set_target(X86_64_TRIPLE, X86_64_LAYOUT);
        }
    } else {
        let (machine, system) = triple.split_once('-').unwrap_or((&triple, ""));
        // A triple without a system is taken for Linux. Android and x32 have their own layouts of library objects.
        let bare = system.split('-').all(|part| matches!(part, "" | "unknown" | "pc" | "none" | "elf"));
        let linux = system.contains("linux") && !system.contains("android") && !system.contains("gnux32");
        if !matches!(machine, "x86_64" | "amd64") || !(bare || linux) {
            return refuse(triple);
        }
        if !module.has_layout() {
            module.set_target(&triple, X86_64_LAYOUT);
        }
    }
    let layout: Layout<'_> = module.layout();
    match (layout.pointer_size(), layout.is_little_endian()) {
        (8, true) => Ok(()),
        (8, false) => refuse(format!("{triple} (big-endian)")),
        (bytes, _) => refuse(format!("{triple} ({}-bit pointers)", 8 * u64::from(bytes))),
    }
}

/// LLVM names writer and reader in its messages: `(Producer: 'LLVM23.1.0' Reader: 'LLVM 22.1.8')`.
pub(crate) fn parse_error(path: &str, bytes: &[u8], form: Form, detail: &str) -> LoadError {
    let (path, detail) = (path.to_owned(), first_line(detail));
    if form == Form::Text {
        return LoadError::BadAssembly { path, detail };
    }
    let quoted = |label: &str| {
        let rest = detail.split_once(label)?.1;
        rest.split_once('\'').map(|(name, _)| name.to_owned())
    };
    if let (Some(producer), Some(reader)) = (quoted("Producer: '"), quoted("Reader: '"))
        && major(&producer) > major(&reader)
    {
        return LoadError::TooNew { path, producer, reader };
    }
    let reader = crate::llvm::version();
    match sniff::producer(bytes) {
        Some(producer) if major(&producer) > Some(reader) => {
            LoadError::TooNew { path, producer, reader: format!("LLVM {reader}") }
        }
        _ => LoadError::Corrupt { path, detail },
    }
}

fn major(version: &str) -> Option<u32> {
    let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no details").to_owned()
}

#[cfg(test)]
mod tests {
    use icsched_externals::Kind;
    use icsched_ir::{Const, Function, LOCKED_MODEL, Operand, Origin};

    use super::*;

    #[test]
    fn a_newer_producer_is_named() {
        let message = "Unknown attribute kind (120) (Producer: 'LLVM99.0.1' Reader: 'LLVM 22.1.8')";
        let error = parse_error("p.bc", b"", Form::Bitcode, message);
        assert_eq!(
            error,
            LoadError::TooNew { path: "p.bc".into(), producer: "LLVM99.0.1".into(), reader: "LLVM 22.1.8".into() }
        );
        let same = "Malformed block (Producer: 'LLVM22.1.8' Reader: 'LLVM 22.1.8')";
        assert!(matches!(parse_error("p.bc", b"", Form::Bitcode, same), LoadError::Corrupt { .. }));
    }

    /// Models read nothing undefined, or the build script would refuse them. Nor may they carry anything undefined
    /// along: that would keep their loops, those of `strcmp` and the like, from the interpreter's fast one.
    #[test]
    fn nothing_in_models_is_undefined() {
        let models = icsched_externals::rows().iter().filter(|row| matches!(row.kind, Kind::Model { .. }));
        let names: Vec<&str> = models.map(|row| row.name).collect();
        let declared: String = names.iter().map(|name| format!("declare void @{name}()\n")).collect();
        let all: Vec<String> = names.iter().map(|name| format!("ptr @{name}")).collect();
        let table = format!("@all = global [{} x ptr] [{}]\n", all.len(), all.join(", "));
        let text = format!("{declared}{table}define i32 @main() {{\n  ret i32 0\n}}\n");
        let program = load_bytes("all.ll", text.as_bytes(), Form::Text, &LoadOptions::default(), After::Free);
        let program = program.expect("a good program");
        for name in names {
            // The table names `flockfile`, so that those of streams are the ones that lock them.
            let locked = format!("{LOCKED_MODEL}{name}");
            let is_it = |f: &&Function| [name, &*locked].contains(&f.library_name()) && !f.is_declaration();
            let model = program.functions.values().find(is_it);
            assert!(model.is_some_and(|f| f.origin == Origin::Model), "{name}");
        }
        for function in program.functions.values() {
            let check = |operand| {
                assert!(!matches!(operand, Operand::Const(Const::Undef(_))), "{}", function.to_text(&program));
            };
            for block in function.blocks.values() {
                block.insts.iter().for_each(|inst| inst.op.for_each_operand(check));
                block.terminator.for_each_operand(check);
            }
        }
    }
}

//! Links the parts of a program, in a child process: LLVM ends its process on some damaged files.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::error::SourceError;
use super::part::Part;
use crate::LoadLimits;
use crate::contain::{Said, describe_death, this_executable};
use crate::error::LoadError;
use crate::llvm::module::Session;

/// First argument of a child.
const REQUEST: &str = "--icsched-link-child";

/// Links parts to one bitcode file. The parts go to files of a directory.
pub(super) fn join(
    parts: &[Part],
    directory: &Path,
    output: &Path,
    limits: &LoadLimits<'_>,
) -> Result<(), SourceError> {
    if let [only] = parts {
        return std::fs::write(output, &only.bytes).map_err(|error| SourceError::Temporary(error.to_string()));
    }
    let first = parts.first().map(|part| part.name.clone()).unwrap_or_default();
    let internal = |detail: String| LoadError::Internal { path: first.clone(), detail };
    let mut command = Command::new(this_executable().map_err(|error| internal(error.to_string()))?);
    command.arg(REQUEST).arg(output).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (number, part) in parts.iter().enumerate() {
        let file = directory.join(format!("{number}.part"));
        std::fs::write(&file, &part.bytes).map_err(|error| SourceError::Temporary(error.to_string()))?;
        command.arg(&part.name).arg(file);
    }
    let mut child = command.spawn().map_err(|error| internal(error.to_string()))?;
    let said = Said::by(&mut child, limits).map_err(|error| internal(error.to_string()))?;
    let status = child.wait().map_err(|error| internal(error.to_string()))?;
    if let Some(stop) = said.stop {
        return Err(LoadError::Stopped { path: first, stop }.into());
    }
    if !status.success() {
        return Err(describe_death(first, status, &said.messages).into());
    }
    let answer = postcard::from_bytes::<Result<(), LoadError>>(&said.answer);
    Ok(answer.map_err(|error| internal(format!("the child's answer: {error}")))??)
}

/// Serves as the child of [`join`] and ends the process, if that is what it was started for.
pub(crate) fn child_main_if_requested() {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(REQUEST.as_ref()) {
        return;
    }
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let output = PathBuf::from(args.next().unwrap_or_default());
    let mut parts = Vec::new();
    while let (Some(name), Some(file)) = (args.next(), args.next()) {
        parts.push((name.to_string_lossy().into_owned(), PathBuf::from(file)));
    }
    let answer = postcard::to_stdvec(&link(&parts, &output)).expect("errors can be serialised");
    let written = std::io::stdout().write_all(&answer).and_then(|()| std::io::stdout().flush());
    std::process::exit(i32::from(written.is_err()));
}

fn link(parts: &[(String, PathBuf)], output: &Path) -> Result<(), LoadError> {
    let session = Session::new();
    let mut program = None;
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    for (name, file) in parts {
        let (_, bytes) = crate::load::read_bytes(file)?;
        let form = crate::sniff::recognise(name, &bytes)?;
        let parsed = session.parse(&bytes, name);
        let module = parsed.map_err(|error| crate::load::parse_error(name, &bytes, form, &error.to_string()))?;
        for symbol in module.symbols().into_iter().filter(|symbol| symbol.is_definition() && symbol.is_strong()) {
            if let Some(other) = defined.insert(symbol.name(), name.clone()) {
                let detail = format!("{other} defines `{}`, too", symbol.name());
                return Err(LoadError::PartsConflict { path: name.clone(), detail });
            }
        }
        match &program {
            None => program = Some(module),
            Some(all) => all.link(module).map_err(|error| LoadError::PartsConflict {
                path: name.clone(),
                detail: format!("does not fit to the files before it: {error}"),
            })?,
        }
    }
    let written = program.is_some_and(|program| program.write(output));
    let path = output.display().to_string();
    if written { Ok(()) } else { Err(LoadError::Internal { path, detail: "it cannot be written".to_owned() }) }
}

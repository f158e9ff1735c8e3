//! The points-to analysis on bitcode: time and memory of the solve, sizes of the sets.
//!
//! `ICSCHED_BITCODE=a.bc:b.bc cargo bench -p icsched-driver --bench pointsto`
//!
//! Each file is loaded with the models that it needs, by a process of its own, so that its peak of memory is its own;
//! that includes LLVM and the loaded program, whose share is printed beside it. The sets are measured again under the
//! assumptions of analyses that go by types, so that they compare.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "figures are the output of a benchmark")]

mod common;
mod sets;

use std::path::Path;
use std::process::{Command, ExitCode};

use icsched_frontend::LoadOptions;
use icsched_ir::{Origin, Program};
use icsched_pointsto::{Options, PointsTo};

const FILES: &str = "ICSCHED_BITCODE";

/// How the benchmark calls itself for one file.
const ONE: &str = "--one=";

fn main() -> ExitCode {
    if let Some(path) = std::env::args().find_map(|a| a.strip_prefix(ONE).map(str::to_owned)) {
        return measure(Path::new(&path));
    }
    let files = std::env::var_os(FILES).unwrap_or_default();
    let files: Vec<_> = std::env::split_paths(&files).filter(|p| !p.as_os_str().is_empty()).collect();
    if files.is_empty() {
        println!("{FILES} names the files to measure, with colons between them: nothing to do");
    }
    let myself = std::env::current_exe().expect("a running program has a file");
    let mut all_done = true;
    for file in files {
        let mut argument = std::ffi::OsString::from(ONE);
        argument.push(&file);
        let status = Command::new(&myself).arg(argument).status().expect("this program can be started");
        all_done &= status.success();
    }
    if all_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Solves one program and prints its figures.
fn measure(path: &Path) -> ExitCode {
    let options = LoadOptions { needs_entry: false, ..LoadOptions::default() };
    let program = match icsched_frontend::load(path, &options) {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    };
    let loaded = common::resident_mib();
    let before = common::processor_seconds();
    let result = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
    let seconds = common::processor_seconds() - before;
    let peak = common::peak_mib();
    println!("{}", path.display());
    let (own, all) = (instructions(&program, true), instructions(&program, false));
    println!("  {own} instructions, {all} with the models; {} pointers in them", sets::pointers(&program, &result));
    println!("  {seconds:.2} seconds of processor time; {peak} MiB at most, {loaded} before the solve");
    println!("  {}", result.statistics());
    sets::print(&program, &result);
    println!("  if callers of a library pass nothing, and no integer carries a pointer:");
    let unsound = Options { closed: true, pointer_types_only: true, ..Options::default() };
    sets::print(&program, &PointsTo::new(&program, &unsound).expect("nothing interrupts it"));
    ExitCode::SUCCESS
}

/// Instructions and terminators, of the program's own code or of all.
fn instructions(program: &Program, own: bool) -> usize {
    let functions = program.functions.values().filter(|f| !own || f.origin == Origin::Program);
    functions.flat_map(|f| f.blocks.values()).map(|b| b.insts.len() + 1).sum()
}

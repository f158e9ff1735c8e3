//! Seconds of processor time, memory and sizes of points-to sets of generated programs from 10,000 to 500,000
//! instructions.
//!
//! `cargo bench -p icsched-pointsto --bench solve [-- [--plot=FILE] INSTRUCTIONS...]`; `SEED` is a number in the
//! environment. Each size runs in a process of its own, so that its peak is its own. `--plot` draws the growth; the
//! file is relative to the repository.

#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

mod family;
mod plot;

use std::path::Path;
use std::process::{Command, Stdio};

use icsched_ir::Program;
use icsched_pointsto::{Options, PointsTo};

const SIZES: [usize; 6] = [10_000, 20_000, 50_000, 100_000, 200_000, 500_000];

/// How the benchmark calls itself for one size.
const ONE: &str = "--one=";

const PLOT: &str = "--plot=";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(size) = arguments.iter().find_map(|a| a.strip_prefix(ONE)) {
        measure(size.parse().expect("a number of instructions"));
        return;
    }
    let asked: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    println!(
        "{:>13} {:>9} {:>8} {:>12} {:>9} {:>9}",
        "instructions", "seconds", "MiB", "dereferenced", "objects", "locations"
    );
    let mut measured = Vec::new();
    for size in if asked.is_empty() { SIZES.to_vec() } else { asked } {
        let row = run(size);
        print!("{row}");
        measured.extend(parse(&row));
    }
    if let Some(file) = arguments.iter().find_map(|a| a.strip_prefix(PLOT)) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        plot::draw(&file, &measured).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

/// The row of one size, by a process of its own.
fn run(size: usize) -> String {
    let myself = std::env::current_exe().expect("a running program has a file");
    let mut command = Command::new(myself);
    command.arg(format!("{ONE}{size}")).stderr(Stdio::inherit());
    let output = command.output().expect("this program can be started");
    assert!(output.status.success(), "{size} instructions: {}", output.status);
    String::from_utf8(output.stdout).expect("a row is text")
}

/// The first columns of a row.
fn parse(row: &str) -> Option<plot::Measured> {
    let mut columns = row.split_whitespace().map_while(|c| c.parse().ok());
    Some(plot::Measured { instructions: columns.next()?, seconds: columns.next()?, mib: columns.next()? })
}

/// Solves one program: its row of the table.
fn measure(size: usize) {
    let seed = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let program: Program = family::program(size, seed);
    let before = processor_seconds();
    let result = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
    let seconds = processor_seconds() - before;
    let peak = peak_mib();
    let sets = result.dereferenced(&program);
    let (locations, objects) = sets.iter().fold((0, 0), |(l, o), &(locations, objects)| (l + locations, o + objects));
    let mean = |sum: u64| sum as f64 / sets.len().max(1) as f64;
    let instructions: usize =
        program.functions.values().flat_map(|f| f.blocks.values()).map(|b| b.insts.len() + 1).sum();
    println!(
        "{instructions:>13} {seconds:>9.2} {peak:>8} {:>12} {:>9.1} {:>9.1}",
        sets.len(),
        mean(objects),
        mean(locations)
    );
}

/// Seconds of processor time of this process so far, in the system's ticks of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The largest resident size of this process so far, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) >> 10
}

//! Processor seconds of mod/ref analysis beside those of the solve it is about, on a generated program or on a real
//! one.
//!
//! `cargo bench -p icsched-pointsto --bench modref [-- INSTRUCTIONS | FILE]`, where the file is what `icsched inspect
//! ir PROG.bc` prints.

#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

mod family;

use icsched_ir::Program;
use icsched_pointsto::{ModRef, Options, PointsTo, Startup};

fn main() {
    let argument = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_else(|| "100000".to_owned());
    let program: Program = match argument.parse() {
        Ok(size) => family::program(size, 1),
        Err(_) => {
            let text = std::fs::read_to_string(&argument).expect("a file with the text form of a program");
            icsched_ir::parse(&text).expect("the text form of a program")
        }
    };
    let mut last = processor_seconds();
    let mut lap = |what: &str| {
        let now = processor_seconds();
        println!("{what:<12} {:>8.2} s {:>6} MiB", now - last, resident_mib());
        last = now;
    };
    let points_to = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
    lap("solve");
    let known = |f: &icsched_ir::Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(&program, &points_to, &known);
    lap("mod/ref");
    let startup = Startup::new(&modref);
    lap("startup");
    let sizes: Vec<u64> = program.functions.ids().map(|f| modref.set(modref.of_function(f).mods).len()).collect();
    println!(
        "{} instances, {} functions, {} sets; largest mod set {} pieces, late writes {}",
        points_to.instances().len(),
        program.functions.len(),
        modref.set_count(),
        sizes.iter().max().unwrap_or(&0),
        startup.late_writes().len()
    );
}

/// What the process used of processors, in user and kernel mode: on a shared machine the clock tells less. 0 where the
/// system does not tell.
fn processor_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may have spaces; the two times are the 12th and 13th field behind it.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND
}

/// Resident memory; 0 where the system does not tell.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}

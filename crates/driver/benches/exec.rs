//! Instructions per second of the concrete domain, by processor time, best of three.
//!
//! `cargo bench -p icsched-driver --bench exec [-- NAME]`

#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

mod common;

use icsched_machine::exec::{ExecLimits, exec};
use icsched_machine::host::MemoryHost;
use icsched_machine::{Options, PathEnd};

const PROGRAMS: [&str; 9] = ["arith", "sieve", "matrix", "calls", "list", "bytes", "floats", "qsort", "interp"];

fn main() {
    let folder = common::scratch();
    println!("{:<8} {:>4} {:>14} {:>8} {:>14}", "program", "", "instructions", "seconds", "million/s");
    for name in common::selected(&PROGRAMS) {
        for level in ["-O0", "-O1"] {
            let program = common::load(&common::compile(folder.path(), name, level));
            let mut best = f64::INFINITY;
            let mut instructions = 0;
            for _ in 0..3 {
                let before = common::processor_seconds();
                let host = Box::new(MemoryHost::default());
                let args = [b"prog".to_vec()];
                let result = exec(&program, &args, &[], host, Options::default(), &ExecLimits::default());
                assert!(matches!(result.end, PathEnd::Exit { .. }), "{name} ends with {:?}", result.end);
                best = best.min(common::processor_seconds() - before);
                instructions = result.instructions;
            }
            println!("{name:<8} {level:>4} {instructions:>14} {best:>8.2} {:>14.0}", instructions as f64 / best / 1e6);
        }
    }
    println!("peak {} MiB", common::peak_mib());
}

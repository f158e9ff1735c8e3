//! Live forks of a state with ten megabytes of memory, each of which goes on and writes to it.
//!
//! `cargo bench -p icsched-driver --bench forks [-- COUNT]`

#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

mod common;

use icsched_machine::host::MemoryHost;
use icsched_machine::{Machine, Options, State};
use icsched_smt::{CachingSolver, Z3Solver};
use icsched_symbolic::inputs::{ArgSpec, InputSpec};
use icsched_symbolic::symbolic::SymbolicDomain;

/// Instructions until all of the memory is written.
const PREPARATION: u64 = 3_000_000;

fn main() {
    let count = std::env::args().find_map(|a| a.parse().ok()).unwrap_or(1_000_000_usize);
    let folder = common::scratch();
    let program = common::load(&common::compile(folder.path(), "forks", "-O0"));
    let domain = SymbolicDomain::new(Box::new(CachingSolver::new(Z3Solver::default())));
    let mut machine = Machine::new(program, domain, Box::new(MemoryHost::default()), Options::default());
    let arguments = vec![ArgSpec::Symbolic { max: 4 }];
    let (arguments, bounds) =
        InputSpec { program: "prog".to_owned(), arguments, ..InputSpec::default() }.arguments(&mut machine.domain);
    let mut first = machine.initial_state(&arguments).expect("the program has a main function");
    for bound in bounds {
        first.path.constrain(&machine.domain.pool, bound);
    }
    machine.run(&mut first, &mut (), PREPARATION).expect("nothing is decided yet");
    let alone = common::resident_mib();
    println!("one state of {} MiB: {} MiB", first.heap.live_bytes() >> 20, common::peak_mib());
    println!("{:>9} {:>7} {:>12} {:>10} {:>12}", "forks", "writes", "bytes each", "peak MiB", "ns per fork");
    // The loop has 7 instructions, one of which writes.
    for writes in [0, 1, 2, 3] {
        let start = common::processor_seconds();
        let mut forks: Vec<State<SymbolicDomain>> = Vec::with_capacity(count);
        for _ in 0..count {
            let mut fork = first.clone();
            machine.run(&mut fork, &mut (), writes * 7).expect("nothing is decided in the loop");
            forks.push(fork);
        }
        let seconds = common::processor_seconds() - start;
        let used = common::resident_mib() - alone;
        println!(
            "{count:>9} {writes:>7} {:>12} {:>10} {:>12.0}",
            (used << 20) / count as u64,
            common::peak_mib(),
            seconds * 1e9 / count as f64
        );
    }
}

//! Paths per second of the symbolic domain: all paths of small C programs, depth first.
//!
//! `cargo bench -p icsched-driver --bench paths [-- NAME]`

#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;

use icsched_explore::explore::{Limits, explore_all};
use icsched_ir::Program;
use icsched_machine::host::MemoryHost;
use icsched_machine::{Machine, Options};
use icsched_smt::{CachingSolver, SolverStatistics, Z3Solver};
use icsched_symbolic::inputs::{ArgSpec, InputSpec};
use icsched_symbolic::symbolic::SymbolicDomain;

fn main() {
    let folder = common::scratch();
    println!(
        "{:<12} {:>4} {:>8} {:>8} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "program", "", "paths", "seconds", "paths/s", "queries", "cached", "models", "guessed", "solved"
    );
    for name in common::selected(&["independent", "bits", "mixed", "ladder", "nested", "sorting", "writes"]) {
        for level in ["-O0", "-O1"] {
            run(name, level, &common::load(&common::compile(folder.path(), name, level)));
        }
    }
    println!("peak {} MiB", common::peak_mib());
}

/// Explores again and again until there is enough to measure.
fn run(name: &str, level: &str, program: &Arc<Program>) {
    let before = common::processor_seconds();
    let (mut rounds, mut seconds) = (0_u32, 0.0);
    let (mut paths, mut queries) = (0, SolverStatistics::default());
    while seconds < 0.5 {
        (paths, queries) = explore(program);
        rounds += 1;
        seconds = common::processor_seconds() - before;
    }
    seconds /= f64::from(rounds);
    println!(
        "{name:<12} {level:>4} {paths:>8} {seconds:>8.3} {:>10.0} {:>8} {:>8} {:>8} {:>8} {:>8}",
        f64::from(paths) / seconds,
        queries.queries,
        queries.cache_hits,
        queries.model_reuse_hits,
        queries.guesses,
        queries.solved,
    );
}

fn explore(program: &Arc<Program>) -> (u32, SolverStatistics) {
    let solver = CachingSolver::new(Z3Solver::default());
    let domain = SymbolicDomain::new(Box::new(solver));
    let mut machine = Machine::new(Arc::clone(program), domain, Box::new(MemoryHost::default()), Options::default());
    let arguments = vec![ArgSpec::Symbolic { max: 16 }];
    let spec = InputSpec { program: "prog".to_owned(), arguments, ..InputSpec::default() };
    let (arguments, bounds) = spec.arguments(&mut machine.domain);
    let mut state = machine.initial_state(&arguments).expect("the program has a main function");
    for bound in bounds {
        state.path.constrain(&machine.domain.pool, bound);
    }
    let mut paths = 0;
    let complete = explore_all(&mut machine, state, &Limits::default(), |_, _| {
        paths += 1;
        ControlFlow::Continue(())
    });
    assert!(complete, "nothing stops the exploration");
    (paths, machine.domain.solver_statistics())
}

//! Ways to damage a database.

use std::process::Command;

use icsched_driver::verify::Fault;
use icsched_frontend::LoadOptions;
use icsched_ir::Program;
use icsched_schedule::{Enumeration, HappensBefore, InputConstraint, Schedule, ScheduleTree};
use icsched_smt::serial::{export, import};
use icsched_smt::{CmpOp, TermPool};

/// The program of a C source at a level of optimisation, `-O0`.
pub(crate) fn compile(source: &str, level: &str) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (file, bitcode) = (folder.path().join("program.c"), folder.path().join("program.bc"));
    std::fs::write(&file, source).expect("it can be written");
    let clang = std::env::var_os("ICSCHED_CLANG").unwrap_or_else(|| "clang-22".into());
    let status = Command::new(clang)
        .args([level, "-g", "-c", "-emit-llvm"])
        .arg(&file)
        .arg("-o")
        .arg(&bitcode)
        .status()
        .expect("clang can be started");
    assert!(status.success());
    icsched_frontend::load(&bitcode, &LoadOptions::default()).expect("clang makes valid bitcode")
}

/// The database with other schedules in an epoch.
pub(crate) fn with(database: &Enumeration, epoch: usize, schedules: Vec<Schedule>) -> Enumeration {
    let mut damaged = database.clone();
    damaged.epochs[epoch].tree = ScheduleTree::flat(schedules);
    damaged
}

/// The constraint, and one of its symbols has a certain value.
pub(crate) fn strengthened(constraint: &InputConstraint) -> InputConstraint {
    let mut pool = TermPool::new();
    let dag = constraint.dag.as_ref().expect("constraints are kept");
    let term = import(&mut pool, dag).expect("it can be read")[0];
    let symbol = pool.symbols_of(term)[0];
    let value = pool.constant(pool.width(symbol), 77);
    let is_value = pool.cmp(CmpOp::Eq, symbol, value);
    let both = pool.and_all(&[term, is_value]);
    InputConstraint { c: constraint.c.clone(), dag: Some(export(&pool, &[both])) }
}

/// A constraint that everything satisfies, with the text of another one.
pub(crate) fn always(constraint: &InputConstraint) -> InputConstraint {
    let mut pool = TermPool::new();
    let always = pool.bool(true);
    InputConstraint { c: constraint.c.clone(), dag: Some(export(&pool, &[always])) }
}

/// The schedule without the last of its edges.
pub(crate) fn without_edge(schedule: &Schedule) -> Schedule {
    let mut edges = schedule.graph.edges().to_vec();
    edges.pop();
    let graph = HappensBefore::from_parts(schedule.graph.nodes().to_vec(), edges).expect("fewer edges make no cycle");
    Schedule::new(schedule.constraint.clone(), graph, schedule.ends.clone())
}

/// Whether a fault's message names something.
pub(crate) fn is_about(fault: &Fault, name: &str) -> bool {
    fault.message.contains(name)
}

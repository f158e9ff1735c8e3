//! Holds the schedules of a program against its runs.
//!
//! A run in the concrete domain and a path of the search use the same scheduler. So a run must execute exactly the
//! happens-before graph of every schedule whose constraint its input satisfies, or end the process while it follows it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_enumerate::enumerate;
use icsched_epochs::{Request, RunLimits, SearchOptions, Technique, graph};
use icsched_frontend::{LoadOptions, load};
use icsched_ir::Program;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{Machine, MemoryByte, Options, PathEnd, Stop};
use icsched_schedule::{HappensBefore, HbNode, NodeId, Schedule, ScheduleEnd, ScheduleId};
use icsched_smt::{Model, TermPool, serial};
use icsched_symbolic::inputs::{ArgSpec, InputSpec};

/// How a check went wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    /// The run leaves a schedule that its input may follow.
    LeavesSchedule,
    /// The result is complete and no schedule is for the input.
    NotCovered,
    /// The run ends differently from the schedule, with the same graph.
    EndsDifferently,
    /// The search panicked.
    Panic,
    /// The program could not be loaded.
    Load,
}

/// A fault and what shows it.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) fault: Fault,
    pub(crate) text: String,
}

/// What was checked.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Checked {
    pub(crate) runs: usize,
    pub(crate) schedules: usize,
    pub(crate) complete: bool,
    pub(crate) deadlocks: usize,
}

/// A program as it is compiled and called.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) level: &'static str,
    pub(crate) inputs: usize,
    /// It is left open which objects synchronisation is on: runs are ordered less than schedules.
    pub(crate) conservative: bool,
}

/// Values tried for each input.
const VALUES: [&str; 10] = ["-1", "0", "1", "2", "3", "4", "5", "6", "1000", "abc"];

/// Instructions after which a run counts as endless.
const RUN_LIMIT: u64 = 2_000_000;

/// Checks one program; `None` if it does not compile.
pub(crate) fn check(source: &str, setting: Setting, seconds: u64) -> Option<Result<Checked, Violation>> {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = compile(source, directory.path(), setting.level)?;
    let program = match load(&path, &LoadOptions::default()) {
        Ok(program) => Arc::new(program),
        Err(error) => return Some(Err(Violation { fault: Fault::Load, text: error.to_string() })),
    };
    let work = std::panic::AssertUnwindSafe(|| check_program(&program, setting, seconds));
    let result = std::panic::catch_unwind(work).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(Violation { fault: Fault::Panic, text: text.unwrap_or_default() })
    });
    Some(result)
}

fn compile(source: &str, directory: &Path, level: &str) -> Option<std::path::PathBuf> {
    let prefix =
        std::env::var_os("LLVM_SYS_221_PREFIX").map_or_else(|| "/usr/lib/llvm-22".into(), std::path::PathBuf::from);
    let clang = std::env::var_os("ICSCHED_CLANG").map_or_else(|| prefix.join("bin/clang"), std::path::PathBuf::from);
    std::fs::write(directory.join("t.c"), source).expect("the directory is writable");
    let status = Command::new(clang)
        .current_dir(directory)
        .args(["-c", "-emit-llvm", "-w", "-g", level, "-o", "t.bc", "t.c"])
        .stderr(std::process::Stdio::null())
        .status()
        .expect("clang is installed");
    status.success().then(|| directory.join("t.bc"))
}

fn check_program(program: &Arc<Program>, setting: Setting, seconds: u64) -> Result<Checked, Violation> {
    let inputs = InputSpec {
        program: "prog".to_owned(),
        arguments: vec![ArgSpec::Symbolic { max: 16 }; setting.inputs],
        ..InputSpec::default()
    };
    let request = Request {
        program: Arc::clone(program),
        inputs,
        externs: Default::default(),
        memory_errors: Default::default(),
        search: SearchOptions { loop_bound: 12, max_paths: 300, conservative_after: 0, ..SearchOptions::default() },
        limits: RunLimits {
            deadline: Some(Instant::now() + Duration::from_secs(seconds)),
            max_instructions: RUN_LIMIT,
            ..RunLimits::default()
        },
        // One epoch, from the entry to the end of the run; the others are looked at where all epochs are followed.
        without: match setting.conservative {
            true => vec![Technique::Epochs],
            false => vec![Technique::Epochs, Technique::ConservativeOrder],
        },
    };
    let result = enumerate(&request).map_err(|error| Violation { fault: Fault::Load, text: error.to_string() })?;
    let schedules: Vec<&Schedule> = result.epochs.iter().flat_map(|e| e.tree.leaves()).collect();
    let mut checked = Checked { complete: result.is_complete(), schedules: schedules.len(), ..Checked::default() };
    let mut pool = TermPool::new();
    let constraints: Vec<_> = schedules
        .iter()
        .map(|s| {
            let dag = s.constraint.dag.as_ref().expect("schedules of a search have terms");
            serial::import(&mut pool, dag).expect("what was exported can be imported")[0]
        })
        .collect();
    for arguments in assignments(setting.inputs) {
        let Some(mut run) = run(program, &arguments) else { continue };
        let found = run.graph.clone();
        checked.runs += 1;
        checked.deadlocks += usize::from(matches!(run.ends, ScheduleEnd::Deadlock { .. }));
        let model = model(&arguments);
        let mut covered = false;
        for (schedule, &constraint) in schedules.iter().zip(&constraints) {
            if setting.conservative {
                run.graph = ordered_like(&found, &schedule.graph);
            }
            if pool.eval_bool(constraint, &model) {
                covered = true;
                if let Err(fault) = follows(&run, schedule) {
                    return Err(Violation { fault, text: run.against(&arguments, schedule) });
                }
            }
        }
        let early = schedules.iter().any(|s| {
            if setting.conservative {
                run.graph = ordered_like(&found, &s.graph);
            }
            run.is_prefix_of(s)
        });
        run.graph = found;
        if checked.complete && !covered && !early {
            let mut text =
                format!("arguments {arguments:?} are covered by no schedule; run:\n{}schedules:\n", run.describe());
            schedules.iter().for_each(|s| text.push_str(&format!("  if {}\n", s.constraint.c)));
            return Err(Violation { fault: Fault::NotCovered, text });
        }
    }
    Ok(checked)
}

/// A run's graph with the order and the objects of a schedule, if the run is one of those that the schedule stands
/// for: as far as it goes it has the same nodes, on objects of which the schedule leaves open which they are or says
/// the same, and no order that the schedule has not.
fn ordered_like(run: &HappensBefore, schedule: &HappensBefore) -> HappensBefore {
    let before = |from: NodeId, to: NodeId| {
        let (predecessors, mut work, mut seen) = (schedule.predecessors(), vec![to], BTreeSet::from([to]));
        while let Some(node) = work.pop() {
            let own = (node.n > 1).then(|| NodeId { n: node.n - 1, ..node });
            work.extend(predecessors.get(&node).into_iter().flatten().copied().chain(own).filter(|n| seen.insert(*n)));
        }
        seen.contains(&from)
    };
    let is_open = |object: &str| object.contains(" or ") || object.contains("[*]");
    let same_nodes = run.nodes().iter().all(|node| {
        let of_schedule = schedule.node(node.id());
        of_schedule.is_some_and(|s| is_open(&s.object) || s.object == node.object)
    });
    if !same_nodes || !run.edges().iter().all(|edge| before(edge.from, edge.to)) {
        return run.clone();
    }
    let nodes: Vec<HbNode> = run.nodes().iter().filter_map(|n| schedule.node(n.id()).cloned()).collect();
    let named = nodes.into_iter().zip(run.nodes()).map(|(s, r)| HbNode { object: s.object, ..r.clone() }).collect();
    let edges = schedule.edges().iter().filter(|e| run.node(e.to).is_some() && run.node(e.from).is_some()).copied();
    HappensBefore::from_parts(named, edges.collect()).expect("a part of a graph without a circle")
}

fn assignments(inputs: usize) -> Vec<Vec<&'static str>> {
    let values = if inputs > 2 { &VALUES[..5] } else { &VALUES[..] };
    (0..inputs).fold(vec![Vec::new()], |lists, _| {
        lists.iter().flat_map(|l| values.iter().map(|v| l.iter().copied().chain([*v]).collect())).collect()
    })
}

/// The values of everything that the search may have made a symbol of.
fn model(arguments: &[&str]) -> Model {
    let mut model = Model::new();
    for (index, text) in (1..).zip(arguments) {
        let number: i64 = text.parse().unwrap_or(0);
        model.set(&format!("atoi(argv[{index}])"), 32, u128::from(number as u32));
        model.set(&format!("strtol(argv[{index}])"), 64, u128::from(number as u64));
        for at in 0..16 {
            let byte = text.as_bytes().get(at).copied().unwrap_or(0);
            model.set(&format!("argv[{index}][{at}]"), 8, byte.into());
        }
    }
    model
}

struct Run {
    graph: HappensBefore,
    ends: ScheduleEnd,
}

/// Runs a program; `None` if it does not end or does what is not supported.
fn run(program: &Arc<Program>, arguments: &[&str]) -> Option<Run> {
    let host = Box::new(MemoryHost::default());
    let mut machine = Machine::new(Arc::clone(program), ConcreteDomain, host, Options::default());
    let argument = |text: &&str| Argument::<ConcreteDomain> {
        bytes: text.bytes().chain([0]).map(MemoryByte::Constant).collect(),
        present: None,
    };
    let arguments = Arguments::<ConcreteDomain> {
        argc: arguments.len() as u64 + 1,
        argv: [&"prog"].into_iter().chain(arguments).map(argument).collect(),
        environment: Vec::new(),
    };
    let mut state = machine.initial_state(&arguments).expect("the program can be started");
    state.record_events = true;
    let end = match machine.run(&mut state, &mut (), RUN_LIMIT) {
        Err(Stop::End(end)) => *end,
        Ok(()) | Err(_) => return None,
    };
    match end {
        PathEnd::Unmodelled { .. }
        | PathEnd::Unsupported { .. }
        | PathEnd::Limit(_)
        | PathEnd::LeftContext
        | PathEnd::Epoch
        | PathEnd::GoesRound
        | PathEnd::Infeasible => None,
        PathEnd::Exit { .. }
        | PathEnd::Abort { .. }
        | PathEnd::AssertFailed { .. }
        | PathEnd::Deadlock { .. }
        | PathEnd::Endless { .. }
        | PathEnd::Error(_) => {
            let graph = graph::happens_before(program, &state).expect("models order nothing in a circle");
            Some(Run { graph, ends: graph::schedule_end(program, &machine.code, &state, &end) })
        }
    }
}

fn follows(run: &Run, schedule: &Schedule) -> Result<(), Fault> {
    if ScheduleId::of(&run.graph, &run.ends) == schedule.id || run.is_proper_prefix_of(schedule) {
        return Ok(());
    }
    let same = ScheduleId::of(&run.graph, &ScheduleEnd::Limit) == ScheduleId::of(&schedule.graph, &ScheduleEnd::Limit);
    match (same, &run.ends, &schedule.ends) {
        (true, ScheduleEnd::MemoryError { .. }, ScheduleEnd::Exit { .. } | ScheduleEnd::Abort { .. }) => Ok(()),
        (true, ..) => Err(Fault::EndsDifferently),
        (false, ..) => Err(Fault::LeavesSchedule),
    }
}

impl Run {
    fn ends_process(&self) -> bool {
        match self.ends {
            ScheduleEnd::Exit { .. } | ScheduleEnd::Abort { .. } | ScheduleEnd::MemoryError { .. } => true,
            ScheduleEnd::Deadlock { .. }
            | ScheduleEnd::Endless { .. }
            | ScheduleEnd::Epoch(_)
            | ScheduleEnd::Input { .. }
            | ScheduleEnd::Limit => false,
        }
    }

    fn is_prefix_of(&self, schedule: &Schedule) -> bool {
        let objects =
            self.graph.nodes().iter().all(|n| schedule.graph.node(n.id()).is_some_and(|s| s.object == n.object));
        self.ends_process() && objects && self.graph.is_prefix_of(&schedule.graph)
    }

    fn is_proper_prefix_of(&self, schedule: &Schedule) -> bool {
        self.graph.nodes().len() < schedule.graph.nodes().len() && self.is_prefix_of(schedule)
    }

    fn describe(&self) -> String {
        describe(&self.graph, &self.ends)
    }

    fn against(&self, arguments: &[&str], schedule: &Schedule) -> String {
        format!(
            "arguments {arguments:?} satisfy {}\nschedule:\n{}run:\n{}",
            schedule.constraint.c,
            describe(&schedule.graph, &schedule.ends),
            self.describe()
        )
    }
}

fn describe(graph: &HappensBefore, ends: &ScheduleEnd) -> String {
    let mut text = String::new();
    for node in graph.nodes() {
        text.push_str(&format!("  {} {} {} {}\n", node.id(), node.op, node.object, node.at));
    }
    text.push_str(&format!("  edges {:?}\n  ends {ends:?}\n", graph.edges()));
    text
}

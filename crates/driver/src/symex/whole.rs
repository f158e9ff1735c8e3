//! Paths from the program's entry, and those that pass through a context (Bergan 2.9.2, "whole program paths").
//!
//! Without a context, all paths up to the bound on branches. With one, a [`Guide`] brings the threads there, and
//! branches on inputs go where they go with a given small input; from the context on, all paths are explored up to the
//! bound, which is counted anew. Each input and each seed of the guide is another way to the context.

use std::time::Instant;

use icsched_dataflow::Context;
use icsched_explore::explore::{self, FollowModel, PathRun};
use icsched_explore::reach::{Guide, Places, lead_path};
use icsched_machine::{Limit, Machine, PathEnd, State, Switching};
use icsched_schedule::IncompleteKind;
use icsched_smt::Model;
use icsched_symbolic::inputs::{InputSpec, TestInput};
use icsched_symbolic::symbolic::SymbolicDomain;

use super::collect::{Collector, Explained};
use super::config::SymexConfig;
use super::paths::limits;
use super::report::{Header, Sink, Summary};
use super::{start, witness};
use crate::error::DriverError;

pub(super) fn explore(
    config: &SymexConfig,
    inputs: &InputSpec,
    sink: &mut dyn Sink,
    started: Instant,
) -> Result<Summary, DriverError> {
    let deadline = config.limits.deadline();
    let ways: Vec<Model> = witness::inputs(config)?.iter().map(TestInput::model).collect();
    let (program, context) = match start::whole(config, deadline) {
        Ok(found) => found,
        Err(start::Unprepared::Wrong(error)) => return Err(error),
        Err(start::Unprepared::Stopped) => return super::paths::stopped(config, sink, started),
    };
    let analysis_seconds = started.elapsed().as_secs_f64();
    let mut machine = start::machine(config, &program, Some(inputs));
    let (arguments, bounds) = inputs.arguments(&mut machine.domain);
    let mut state = machine
        .initial_state(&arguments)
        .map_err(|stop| DriverError::Inputs(format!("the program cannot be started: {stop:?}")))?;
    for &bound in &bounds {
        state.path.constrain(&machine.domain.pool, bound);
    }
    let limits = limits(config, deadline);
    let assumptions = vec!["there are no data races".to_owned()];
    let header = Header { assumptions, ..super::paths::header(config, &program, &context) };
    sink.begin(&header)?;
    let mut collector = Collector::new(config, &program, sink);
    if context.threads.is_empty() {
        let begun = PathRun::untraced(state);
        collector.explained =
            config.explain.map(|path| Explained { path, begun: begun.clone(), limits: limits.clone() });
        explore::explore_from(&mut machine, begun, &limits, |machine, outcome| collector.finished(machine, &outcome));
    } else {
        let ways = if ways.is_empty() { vec![Model::new()] } else { ways };
        through(config, &context, &mut machine, &state, &limits, &ways, &mut collector)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut summary = collector.summary(&machine.domain.solver_statistics(), seconds)?;
    summary.statistics.analysis_seconds = analysis_seconds;
    sink.end(&header, &summary)?;
    Ok(summary)
}

/// The paths through a context.
fn through(
    config: &SymexConfig,
    context: &Context,
    machine: &mut Machine<SymbolicDomain>,
    entry: &State<SymbolicDomain>,
    limits: &explore::Limits,
    ways: &[Model],
    collector: &mut Collector<'_>,
) -> Result<(), DriverError> {
    let wrong = || DriverError::Inputs("--thread: there is no code at one of the places".to_owned());
    let places = Places::new(&machine.code, context).ok_or_else(wrong)?;
    let mut arrived = 0;
    let first = explore::Limits { decisions: usize::MAX, branches: u64::MAX, ..limits.clone() };
    'ways: for seed in 0..config.runs {
        for way in ways {
            let mut run = PathRun::untraced(entry.clone());
            let mut guide = Guide::new(places.clone(), seed);
            machine.options.switching = Switching::Scheduler;
            let led = lead_path(machine, &mut run, &mut guide, &mut FollowModel(way.clone()), &first);
            machine.options.switching = config.switching;
            if let Err(end) = led {
                collector.instructions += run.state.instructions;
                if let PathEnd::Limit(Limit::Time | Limit::Interrupted) = end {
                    collector.reason(
                        IncompleteKind::Limit,
                        icsched_epochs::limit_words(Limit::Time).1.to_owned(),
                        None,
                    );
                    break 'ways;
                }
                continue;
            }
            arrived += 1;
            collector.shared = run.state.path.constraints().len();
            let here = PathRun::untraced(run.state.with_any_thread_next());
            let is_done =
                explore::explore_from(machine, here, limits, |machine, outcome| collector.finished(machine, &outcome));
            if !is_done {
                break 'ways;
            }
        }
    }
    if arrived == 0 {
        let message = "no run from the program's entry came to the context; name other inputs (--witness)".to_owned();
        collector.reason(IncompleteKind::Limit, message, None);
    }
    Ok(())
}

//! `--thread PLACE [--times N] [--waiting]`, any number of them: an option after a thread is about that thread.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use icsched_driver::symex::ThreadSpec;

/// The threads of a context.
#[derive(Clone, Debug)]
pub(crate) struct ThreadArgs(pub(crate) Vec<ThreadSpec>);

impl Args for ThreadArgs {
    fn augment_args(command: Command) -> Command {
        command
            .arg(
                Arg::new("thread")
                    .long("thread")
                    .value_name("PLACE")
                    .required_unless_present("from_start")
                    .action(ArgAction::Append)
                    .help("Where a thread is: FILE:LINE, FUNCTION, FUNCTION+K, or its calls, as in 'main>run>work@lu.c:120'. Once for each thread"),
            )
            .arg(
                Arg::new("times")
                    .long("times")
                    .value_name("N")
                    .action(ArgAction::Append)
                    .value_parser(clap::value_parser!(u32).range(1..=64))
                    .help("So many threads are where the --thread before it says"),
            )
            .arg(
                Arg::new("waiting")
                    .long("waiting")
                    .action(ArgAction::Append)
                    .num_args(0)
                    .default_missing_value("true")
                    .value_parser(clap::value_parser!(bool))
                    .help("The --thread before it waits in the call that is there"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ThreadArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let places = indexed::<String>(matches, "thread");
        let mut threads: Vec<(usize, ThreadSpec)> =
            places.into_iter().map(|(at, place)| (at, ThreadSpec { place, times: 1, waiting: false })).collect();
        let before = |threads: &[(usize, ThreadSpec)], at: usize, option: &str| {
            threads.iter().rposition(|t| t.0 < at).ok_or_else(|| {
                let message = format!("--{option} is about the --thread before it, and there is none\n");
                clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, message)
            })
        };
        for (at, times) in indexed::<u32>(matches, "times") {
            let thread = before(&threads, at, "times")?;
            threads[thread].1.times = times;
        }
        for (at, waiting) in indexed::<bool>(matches, "waiting") {
            let thread = before(&threads, at, "waiting")?;
            threads[thread].1.waiting = waiting;
        }
        Ok(Self(threads.into_iter().map(|(_, thread)| thread).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of an option, with their positions on the command line.
fn indexed<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<(usize, T)> {
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<T>(id).into_iter().flatten();
    indices.zip(values.cloned()).collect()
}

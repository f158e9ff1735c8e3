//! Which paths concrete runs take.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::common::{Paths, explore_spec, spec};
use icsched_explore::explore::StepKind;
use icsched_explore::follow::{Finish, Followed, PathTree, StrayKind};
use icsched_ir::parse;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::domain::MemoryByte;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{ErrorKind, Machine, Options};
use icsched_symbolic::inputs::{InputSpec, OptionalArguments};

/// 1 if there are less than two arguments, 2 if the second begins with `x`, else 3.
const ARGC: &str = include_str!("programs/argc.ir");

fn paths() -> Paths {
    let optional = Some(OptionalArguments { min: 0, max: 2, bytes: 1 });
    explore_spec(ARGC, &InputSpec { optional, ..spec(&[]) })
}

/// The paths, without those for which this function of the last side taken says so.
fn tree(paths: &Paths, is_left_out: impl Fn(bool) -> bool) -> PathTree {
    let mut tree = PathTree::default();
    for path in &paths.paths {
        let mut taken = path.outcome.steps.iter().filter_map(|step| match step.what {
            StepKind::Choice { taken, .. } => Some(taken),
            StepKind::Switch => None,
        });
        if !taken.next_back().is_some_and(&is_left_out) {
            let events: Vec<_> = path.outcome.state.events.iter().cloned().collect();
            let finish = Finish::of(&path.end).expect("the path is feasible");
            let sides = path.outcome.trace.sides.as_deref().expect("they were asked for");
            tree.insert(Followed { steps: &path.outcome.steps, sides, events: &events, finish });
        }
    }
    tree
}

fn follow(tree: &mut PathTree, arguments: &[&str]) {
    follow_in(ARGC, tree, arguments);
}

fn follow_in(text: &str, tree: &mut PathTree, arguments: &[&str]) {
    let host = Rc::new(RefCell::new(MemoryHost::default()));
    let program = Arc::new(parse(text).expect("the program is right"));
    let mut machine = Machine::new(program, ConcreteDomain, Box::new(Rc::clone(&host)), Options::default());
    let string = |text: &&str| {
        let bytes = text.bytes().chain([0]).map(MemoryByte::Constant).collect();
        Argument { bytes, present: None }
    };
    let argv: Vec<_> = std::iter::once(&"prog").chain(arguments).map(string).collect();
    let arguments = Arguments { argc: argv.len() as u64, argv, environment: Vec::new() };
    let state = machine.initial_state(&arguments).expect("the program has a main function");
    tree.follow(&mut machine, &host, &state, None);
}

#[test]
fn each_run_takes_one_path() {
    let paths = paths();
    let mut tree = tree(&paths, |_| false);
    let mut taken = 0;
    for (arguments, count) in [(&[][..], 1), (&["x"][..], 1), (&["", "x"][..], 2), (&["x", "y"][..], 3)] {
        assert!(!tree.is_done());
        follow(&mut tree, arguments);
        taken = tree.followed().iter().filter(|&&followed| followed).count();
        assert_eq!(taken, count, "{arguments:?}");
    }
    assert_eq!(taken, paths.paths.len());
    assert!(tree.is_done());
    assert_eq!(tree.strayed(), []);
}

/// A path that exploration lost is not unseen.
#[test]
fn runs_tell_which_paths_are_missing() {
    let paths = paths();
    let mut tree = tree(&paths, |taken| !taken);
    follow(&mut tree, &["", "y"]);
    assert_eq!(tree.strayed().iter().map(|s| s.what).collect::<Vec<_>>(), [StrayKind::Side]);
    assert_eq!(tree.followed().iter().filter(|&&followed| followed).count(), 0);
}

/// A run that goes on is not on a path that ends in an error.
#[test]
fn ends_are_compared() {
    let paths = paths();
    let mut tree = PathTree::default();
    for path in &paths.paths {
        let sides = path.outcome.trace.sides.as_deref().expect("they were asked for");
        let finish = Finish::Error(ErrorKind::NullPointer);
        tree.insert(Followed { steps: &path.outcome.steps, sides, events: &[], finish });
    }
    follow(&mut tree, &["", "y"]);
    assert_eq!(tree.strayed().iter().map(|s| s.what).collect::<Vec<_>>(), [StrayKind::End]);
    assert!(tree.followed().iter().all(|followed| !followed));
}

/// A model that branches on its argument, and a program that does not.
const MODEL: &str = r#"program "model.bc"

function f0 @main(v0: i32 "argc", v1: ptr "argv", v2: ptr "envp") -> i32 {
b0:
    v3: i32 = call @looks(v0)
    return 0
}

function f1 @looks(v0: i32) -> i32 model {
b0:
    v1: i1 = icmp.slt v0, 3
    branch v1, b1, b2
b1:
    return 1
b2:
    return 2
}
"#;

/// Runs that only differ from a path inside of a model follow it.
#[test]
fn what_models_execute_inside_is_not_compared() {
    let optional = Some(OptionalArguments { min: 0, max: 2, bytes: 1 });
    let paths = explore_spec(MODEL, &InputSpec { optional, ..spec(&[]) });
    assert_eq!(paths.paths.len(), 2);
    let mut tree = tree(&paths, |_| false);
    follow_in(MODEL, &mut tree, &[]);
    assert!(tree.is_done());
    assert_eq!(tree.strayed(), []);
}

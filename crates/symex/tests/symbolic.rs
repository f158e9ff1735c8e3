//! Symbolic runs of small programs: which paths there are, what they assume, what they report.

mod common;

use common::{Paths, explore, machine};
use icsched_symex::explore::{Limits, execute_path};
use icsched_symex::inputs::{ArgSpec, InputSpec};
use icsched_symex::trace::{OtherSide, TraceEvent};
use icsched_symex::{DecisionKind, ErrorKind, PathEnd};

fn statuses(paths: &Paths) -> Vec<(String, Option<i32>)> {
    let mut found: Vec<_> = paths
        .paths
        .iter()
        .map(|p| match p.end {
            PathEnd::Exit { status } => (p.constraint.clone(), status),
            ref other => panic!("unexpected end {other:?}"),
        })
        .collect();
    found.sort();
    found
}

#[test]
fn branches_on_one_number_give_one_path_per_outcome() {
    let paths = explore(include_str!("programs/branches.ir"), &[ArgSpec::Symbolic { max: 8 }]);
    assert_eq!(
        statuses(&paths),
        [
            ("atoi(argv[1]) < 0".to_owned(), Some(2)),
            ("atoi(argv[1]) <= 10 && atoi(argv[1]) >= 0".to_owned(), Some(3)),
            ("atoi(argv[1]) > 10".to_owned(), Some(1)),
        ]
    );
}

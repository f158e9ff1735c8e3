//! The database: what is written comes back, and what is not a database is refused with a clear error.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use icsched_ir::{BlockId, CallStack, EntityId, FuncId, ProgramPoint};
use icsched_schedule::{
    AccessMode, Assumption, Blocked, Branch, Database, DbError, Diagnostic, Enumeration, EpochId, EpochResult,
    HappensBefore, HbBuilder, IncompleteKind, InputConstraint, NamedInput, NodeLabel, PossibleError, Reason, Schedule,
    ScheduleEnd, ScheduleTree, Statistics, ThreadContext, TreeNode,
};

use icsched_smt::serial::TermDag;

fn point(inst: u32) -> ProgramPoint {
    ProgramPoint { func: FuncId::from_index(3), block: BlockId::from_index(1), inst }
}

fn graph() -> HappensBefore {
    let mut b = HbBuilder::new();
    for (thread, line) in [(0, 4), (1, 9), (0, 5)] {
        let point = (thread == 0).then(|| point(line));
        let label =
            NodeLabel { op: "pthread_mutex_lock".into(), object: "a".into(), at: format!("t.c:{line}").into(), point };
        b.event(thread, 1, AccessMode::Exclusive, label);
    }
    b.finish().expect("no cycle")
}

fn all_ends() -> Vec<ScheduleEnd> {
    let (message, at) = ("x > 0".to_owned(), "t.c:7".to_owned());
    vec![
        ScheduleEnd::Exit { status: None },
        ScheduleEnd::Exit { status: Some(-1) },
        ScheduleEnd::Deadlock {
            blocked: vec![Blocked {
                thread: 1,
                op: "pthread_join".into(),
                object: String::new(),
                at: "t.c:7".into(),
                holder: Some(0),
                holder_at: None,
                waits_for: "T0 to end".into(),
                stack: Vec::new(),
                holder_stack: Vec::new(),
            }],
        },
        ScheduleEnd::Epoch(EpochId::new(vec![]).key()),
        ScheduleEnd::Abort { message: message.clone(), at: at.clone() },
        ScheduleEnd::MemoryError { message, at },
        ScheduleEnd::Limit,
    ]
}

fn sample() -> Enumeration {
    let dag =
        TermDag { version: 1, nodes: vec!["s 32 argc".into(), "c 32 1".into(), "slt 1 0".into()], roots: vec![2] };
    let constraint = InputConstraint { c: "argc > 1 && \"it's\"".into(), dag: Some(dag) };
    let schedule = |ends: ScheduleEnd| {
        let after_error = matches!(ends, ScheduleEnd::Abort { .. }).then_some(1);
        Schedule { after_error, ..Schedule::new(constraint.clone(), graph(), ends) }
    };
    let mut tree = ScheduleTree::flat(all_ends().into_iter().map(schedule));
    let inner = Branch {
        schedule: schedule(ScheduleEnd::Input { thread: 1, at: "t.c:8".into() }),
        next: TreeNode { branches: ScheduleTree::flat(all_ends().into_iter().map(schedule)).root.branches },
    };
    tree.root.branches.insert(2, inner.clone());
    tree.root.branches[2].next.branches.push(inner);
    let reason = |kind, at: Option<&str>| Reason { kind, message: "why".into(), at: at.map(Into::into) };
    let epoch = |id: EpochId, tree, early_exits| EpochResult {
        id,
        contexts: vec![ThreadContext { thread: 0, stack: vec!["t.c:1 in main".into()] }],
        tree,
        early_exits,
        reasons: IncompleteKind::ALL.iter().map(|kind| reason(*kind, Some("t.c:3"))).collect(),
        errors: [false, true]
            .map(|is_open| PossibleError {
                message: "m".into(),
                at: "t.c:2".into(),
                constraint: InputConstraint::always(),
                is_open,
            })
            .to_vec(),
        inputs: [None, Some("t.c:4".to_owned())]
            .map(|at| NamedInput { name: "open#2".into(), ty: "int".into(), meaning: "m".into(), at })
            .to_vec(),
        infeasible_removed: 4,
        max_live_threads: 2,
        assumed: Default::default(),
        searched_with: Default::default(),
    };
    let second = EpochId::new(vec![CallStack(vec![point(1), point(2)]), CallStack(vec![])]);
    Enumeration {
        program: "dir/prog.bc".into(),
        digest: Enumeration::digest_of(b"BC"),
        contents: Default::default(),
        options: vec!["--max-paths".into(), "10".into(), "--".into(), "@".into()],
        assumptions: vec![Assumption::DataRaceFreedom, Assumption::BoundedThreads],
        epochs: vec![
            epoch(EpochId::entry(FuncId::from_index(0)), tree, Some(constraint.clone())),
            epoch(second, ScheduleTree::default(), None),
        ],
        reasons: vec![reason(IncompleteKind::Interrupted, None)],
        epoch_markers: 3,
        statistics: Statistics { seconds: 0.5, paths: 7, peak_mib: 48, solver_seconds: 2.0, ..Statistics::default() },
    }
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn write(path: &Path, enumeration: &Enumeration) {
    Database::create(path).and_then(|db| db.write(enumeration)).expect("written");
}

#[test]
fn what_is_written_is_read() {
    let dir = directory();
    let path = dir.path().join("prog.icsdb");
    write(&path, &sample());
    assert_eq!(Database::open(&path).and_then(|db| db.read()).expect("read"), sample());
    assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1, "no temporary file stays");

    let empty = Enumeration::default();
    write(&path, &empty);
    assert_eq!(Database::open(&path).and_then(|db| db.read()).expect("read"), empty, "replaced as a whole");
}

#[test]
fn the_same_result_makes_the_same_bytes() {
    let dir = directory();
    let paths = [dir.path().join("1.icsdb"), dir.path().join("2.icsdb")];
    paths.iter().for_each(|path| write(path, &sample()));
    assert_eq!(fs::read(&paths[0]).expect("readable"), fs::read(&paths[1]).expect("readable"));
}

#[test]
fn totals_count_different_leaves() {
    let totals = sample().totals();
    // 7 at the root, two of them one but for the exit status; the same below its inner part and below the inner part of
    // that.
    assert_eq!((totals.epochs, totals.schedules, totals.deadlocked), (2, 6, 1));
    assert_eq!((totals.schedules_per_epoch.min, totals.schedules_per_epoch.max), (0, 6));
    let tree = &sample().epochs[0].tree;
    assert_eq!((tree.leaves().count(), tree.schedules().len()), (21, 6));
    let lengths: Vec<usize> = tree.ways().iter().map(|(way, _)| way.len()).collect();
    assert_eq!(lengths.iter().filter(|&&length| length == 3).count(), 7, "{lengths:?}");
    assert_eq!((totals.infeasible_removed, totals.max_live_threads, totals.epoch_markers), (8, 2, 3));
}

#[test]
fn an_epoch_that_was_not_searched_is_a_gap() {
    let mut enumeration = sample();
    enumeration.reasons.clear();
    enumeration.epochs.iter_mut().for_each(|epoch| epoch.reasons.clear());
    assert!(!enumeration.is_complete(), "schedules end at an epoch that was not searched");
    enumeration.epochs[1].id = EpochId::new(vec![]);
    assert!(!enumeration.is_complete(), "an epoch without a schedule covers nothing");
    enumeration.epochs[1].early_exits = Some(InputConstraint { c: "true".to_owned(), dag: None });
    assert!(enumeration.is_complete());
    enumeration.epochs[1].reasons = sample().reasons;
    assert!(!enumeration.is_complete());
}

/// The error as the user sees it, without the directory's name.
fn refusal(dir: &Path, error: &DbError) -> String {
    let Diagnostic { message, help, .. } = error.into();
    format!("{message}; {}", help.unwrap_or_default()).replace(&format!("{}/", dir.display()), "")
}

#[test]
fn other_files_are_refused() {
    let dir = directory();
    let file = |name: &str, content: &[u8]| -> PathBuf {
        let path = dir.path().join(name);
        fs::write(&path, content).expect("writable");
        path
    };
    let foreign = dir.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).expect("opened");
    connection.execute_batch("CREATE TABLE t (x)").expect("created");
    let version = |name: &str, version: i64| {
        let path = dir.path().join(name);
        write(&path, &sample());
        let connection = rusqlite::Connection::open(&path).expect("opened");
        connection.pragma_update(None, "user_version", version).expect("changed");
        path
    };
    let directory_path = dir.path().join("dir.icsdb");
    fs::create_dir(&directory_path).expect("created");
    let paths = [
        dir.path().join("missing.icsdb"),
        directory_path,
        file("prog.bc", b"BC\xc0\xde"),
        file("empty.icsdb", b""),
        foreign,
        version("newer.icsdb", 99),
        version("older.icsdb", 0),
    ];
    let refusals = paths.map(|path| refusal(dir.path(), &Database::open(path).expect_err("refused")) + "\n");
    expect![[r#"
        there is no file `missing.icsdb`; `icsched enumerate PROG.bc -o PROG.icsdb` writes one
        `dir.icsdb` is a directory; give the path of a file, e.g. `prog.icsdb`
        `prog.bc` is not a schedule database; this looks like a program; `icsched enumerate` makes a schedule database of it
        `empty.icsdb` is not a schedule database; schedule databases are written by `icsched enumerate` and named `*.icsdb`
        `foreign.db` is a database, but not one of schedules; schedule databases are written by `icsched enumerate`
        `newer.icsdb` has database version 99; this icsched reads version 8; use the icsched that wrote it, or a later one
        `older.icsdb` has database version 0; this icsched reads version 8; run `icsched enumerate` again
    "#]].assert_eq(&refusals.concat());
}

#[test]
fn damage_is_found() {
    let dir = directory();
    let path = dir.path().join("prog.icsdb");
    let damaged = |statement: &str| {
        write(&path, &sample());
        let connection = rusqlite::Connection::open(&path).expect("opened");
        connection.execute_batch(statement).expect("executed");
        drop(connection);
        refusal(dir.path(), &Database::open(&path).and_then(|db| db.read()).expect_err("damaged")) + "\n"
    };
    let found = [
        "DROP TABLE nodes",
        "DELETE FROM nodes WHERE n = 1",
        "DELETE FROM edges",
        "DELETE FROM meta WHERE key = 'digest'",
        "UPDATE schedules SET ends_json = '7' WHERE schedule = 0",
        "UPDATE schedules SET parent = 5 WHERE schedule = 5",
        "UPDATE reasons SET kind = 'mood'",
        "UPDATE epochs SET stacks_json = '[]'",
    ]
    .map(damaged);
    expect![[r#"
        the schedule database `prog.icsdb` is damaged: no such table: nodes; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: node T0.2 is out of order; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: schedule be1ef3d66ba3 has the content of schedule 0b6fd8302aac; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: no `digest` in the table meta; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: ends_json: expected value at line 1 column 1; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: the schedules of epoch 0 are no tree; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: unknown reason `mood`; run `icsched enumerate` again
        the schedule database `prog.icsdb` is damaged: epoch acdb79fa5b23 has the stacks of epoch 7b6458fc3f74; run `icsched enumerate` again
    "#]].assert_eq(&found.concat());

    write(&path, &sample());
    let bytes = fs::read(&path).expect("readable");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("writable");
    let error = Database::open(&path).and_then(|db| db.read()).expect_err("cut off");
    assert!(matches!(error, DbError::Damaged { .. }), "{error}");
}

#[test]
fn files_of_others_are_not_overwritten() {
    let dir = directory();
    let source = dir.path().join("prog.c");
    fs::write(&source, "int main;").expect("writable");
    let error = Database::create(&source).expect_err("refused");
    expect![
        "`prog.c` exists and is not a schedule database; choose another name for the result, or remove the file first"
    ]
    .assert_eq(&refusal(dir.path(), &error));
    assert_eq!(fs::read(&source).expect("readable"), b"int main;");

    let empty = dir.path().join("empty");
    fs::write(&empty, "").expect("writable");
    write(&empty, &sample());

    let error = Database::create(dir.path().join("no/such/dir.icsdb")).expect_err("refused");
    assert!(matches!(error, DbError::Io { .. }), "{error}");
    let error = Database::create(dir.path()).expect_err("refused");
    assert!(matches!(error, DbError::Directory(_)), "{error}");
}

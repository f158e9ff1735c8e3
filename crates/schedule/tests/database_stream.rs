//! A database written epoch by epoch: what is committed stays, whatever happens to the process.

use std::fs;
use std::path::Path;

use expect_test::expect;
use icsched_ir::{BlockId, CallStack, EntityId, FuncId, ProgramPoint};
use icsched_schedule::{
    Database, DbError, Enumeration, EpochId, EpochResult, HappensBefore, IncompleteKind, InputConstraint, Kept,
    KeptSearch, NamedInput, PossibleError, Reason, Schedule, ScheduleEnd, ScheduleTree, Statistics,
};

fn reason(message: &str) -> Reason {
    Reason { kind: IncompleteKind::Limit, message: message.into(), at: None }
}

fn epoch(number: u32) -> EpochResult {
    let point = ProgramPoint { func: FuncId::from_index(0), block: BlockId::from_index(1), inst: number };
    let schedule =
        Schedule::new(InputConstraint::always(), HappensBefore::default(), ScheduleEnd::Exit { status: None });
    EpochResult {
        id: EpochId::new(vec![CallStack(vec![point])]),
        contexts: Vec::new(),
        tree: ScheduleTree::flat([schedule]),
        early_exits: None,
        reasons: (0..number).map(|n| reason(&format!("{number} {n}"))).collect(),
        errors: vec![PossibleError {
            message: format!("error {number}"),
            at: "t.c:2".into(),
            constraint: InputConstraint::always(),
            is_open: false,
        }],
        inputs: vec![NamedInput { name: format!("n@{number}"), ty: "int".into(), meaning: "m".into(), at: None }],
        infeasible_removed: 0,
        max_live_threads: number,
        assumed: Default::default(),
        searched_with: Default::default(),
    }
}

fn start() -> Enumeration {
    Enumeration {
        program: "prog.bc".into(),
        digest: Enumeration::digest_of(b"BC"),
        options: vec!["--max-paths=10".into()],
        epoch_markers: 3,
        ..Enumeration::default()
    }
}

fn read(path: &Path) -> Enumeration {
    Database::open(path).and_then(|db| db.read()).expect("read")
}

/// The name of the run.
const SAME: &str = "this program, these options";

fn begin(path: &Path, kept: &[KeptSearch]) -> icsched_schedule::DatabaseWriter {
    Database::begin(path, SAME, &start(), kept).expect("begun")
}

fn kept(path: &Path) -> Kept {
    Database::resumable(path, SAME).expect("readable").expect("of the same run")
}

#[test]
fn what_is_committed_is_read_and_said_to_be_cut_off() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("prog.icsdb");
    let mut writer = begin(&path, &[]);
    for committed in 0..3 {
        let found = read(&path);
        assert_eq!(found.epochs, (0..committed).map(epoch).collect::<Vec<_>>());
        expect!["the run was cut off before it had written all epochs"].assert_eq(&found.reasons[0].message);
        assert!(!found.is_complete());
        writer.commit(Some(&epoch(committed)), "").expect("committed");
    }
    let statistics = Statistics { paths: 7, seconds: 0.5, ..Statistics::default() };
    let whole =
        Enumeration { epochs: (0..3).map(epoch).collect(), reasons: vec![reason("why")], statistics, ..start() };
    writer.finish(&whole, false).expect("finished");
    assert_eq!(read(&path), whole);
    assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1, "no other file stays");
}

#[test]
fn a_finished_file_does_not_tell_how_it_came_about() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, committed: &[u32], seconds: f64, found: &[u32]| {
        let path = dir.path().join(name);
        let mut writer = begin(&path, &[]);
        committed.iter().for_each(|&number| writer.commit(Some(&epoch(number)), "r").expect("committed"));
        let statistics = Statistics { seconds, ..Statistics::default() };
        let result = Enumeration { epochs: found.iter().copied().map(epoch).collect(), statistics, ..start() };
        writer.finish(&result, false).expect("finished");
        let dump = Database::open(&path).and_then(|db| db.dump()).expect("read");
        (dump, fs::read(&path).expect("it is there"))
    };
    let first = write("1.icsdb", &[0, 1, 2], 1.0, &[0, 1, 2]);
    assert_eq!(first, write("2.icsdb", &[2, 0, 2, 1, 7], 1.0, &[0, 1, 2]));
    let (dump, bytes) = write("3.icsdb", &[0, 1, 2], 2.0, &[0, 1, 2]);
    assert_eq!(dump, first.0);
    assert_ne!(bytes, first.1, "statistics are in the file");
    assert_ne!(write("4.icsdb", &[0, 1, 2], 1.0, &[0, 2]).0, first.0);
    // The order of epochs is not in a dump, nor the name of the run.
    let database = Database::create(dir.path().join("5.icsdb")).expect("nothing is there");
    database.write(&Enumeration { epochs: [1, 2, 0].map(epoch).to_vec(), ..start() }).expect("written");
    assert_eq!(first.0, database.dump().expect("read"));
}

#[test]
fn a_run_goes_on_where_one_like_it_was_cut_off() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("prog.icsdb");
    assert_eq!(Database::resumable(&path, SAME).expect("readable"), None, "no file");
    let mut writer = begin(&path, &[]);
    writer.commit(Some(&epoch(1)), "first").expect("committed");
    drop(writer);
    assert_eq!(Database::resumable(&path, "others").expect("readable"), None, "another run");
    assert_eq!(Database::resumable(&path, "").expect("readable"), None, "nobody knows which run");
    let search = |record: &str, result| KeptSearch { record: record.to_owned(), result };
    let found = kept(&path);
    assert_eq!((found.searches.as_slice(), found.is_final), (&[search("first", Some(epoch(1)))][..], false));

    let mut writer = begin(&path, &found.searches);
    assert_eq!(kept(&path).searches, found.searches, "never less than there was");
    writer.commit(Some(&epoch(2)), "second").expect("committed");
    let again = EpochResult { reasons: Vec::new(), max_live_threads: 9, ..epoch(1) };
    writer.commit(Some(&again), "first, again").expect("replaced");
    assert_eq!(read(&path).epochs, [again.clone(), epoch(2)]);
    let all = [search("first", None), search("second", Some(epoch(2))), search("first, again", Some(again.clone()))];
    assert_eq!(kept(&path).searches, all);

    // A limit ends the run while the second epoch is searched again.
    let half = EpochResult { reasons: vec![reason("time")], ..epoch(2) };
    let result = Enumeration { epochs: vec![half, again], ..start() };
    writer.finish(&result, true).expect("finished");
    assert_eq!(read(&path), result);
    let [first, second, third] = all;
    let expected = [first, KeptSearch { result: None, ..second }, third];
    assert_eq!((kept(&path).searches.as_slice(), kept(&path).is_final), (&expected[..], false));

    begin(&path, &kept(&path).searches).finish(&result, false).expect("finished");
    assert_eq!(kept(&path), Kept { result, searches: Vec::new(), is_final: true });
}

#[test]
fn other_files_are_no_runs_to_go_on_with_and_are_not_overwritten() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("prog.c");
    fs::write(&path, "int main(void) {}").expect("the directory is ours");
    assert_eq!(Database::resumable(&path, SAME).expect("readable"), None);
    let error = Database::begin(&path, SAME, &start(), &[]).expect_err("a source file");
    assert!(matches!(error, DbError::WouldOverwrite(_)), "{error}");
}

/// The copies are what a process leaves that is killed within a transaction: some pages of the file are new, and the
/// journal has what was there.
#[test]
fn half_a_transaction_is_taken_back() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let [path, killed] = ["prog.icsdb", "killed.icsdb"].map(|name| dir.path().join(name));
    let mut writer = begin(&path, &[]);
    writer.commit(Some(&epoch(1)), "").expect("committed");
    let connection = rusqlite::Connection::open(&path).expect("opened");
    // Pages go to the file before the transaction is over when they do not fit into memory.
    connection.execute_batch("PRAGMA cache_size = 1; BEGIN; UPDATE epochs SET max_live_threads = 77;").expect("begun");
    let rows = "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                INSERT INTO reasons SELECT i, 0, 'limit', 'nothing', NULL FROM n;";
    connection.execute_batch(rows).expect("inserted");
    let journal = |path: &Path| path.with_extension("icsdb-journal");
    fs::copy(&path, &killed).expect("copied");
    fs::copy(journal(&path), journal(&killed)).expect("there is a journal");
    let bytes = |path: &Path| fs::metadata(path).expect("it is there").len();
    let half_written = bytes(&killed);
    assert_eq!(read(&killed).epochs, [epoch(1)]);
    assert!(bytes(&killed) < half_written, "the file had some of the transaction");
    let error = Database::open(&path).expect_err("somebody writes");
    assert!(matches!(error, DbError::Busy(_)), "{error}");
}

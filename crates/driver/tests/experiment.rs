//! Manifests, batches that go on where they were, and the tables made of them; with a runner that makes figures up.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::{Expect, expect};
use icsched_driver::DriverError;
use icsched_driver::config::{Limit, StopRequest};
use icsched_driver::experiment::{
    BatchProgress, ExperimentConfig, Failure, FailureKind, Figure, Job, Manifest, Outcome, Report, Row, Runner,
    experiment,
};
use icsched_frontend::LoadOptions;
use icsched_pointsto::PointsTo;
use tempfile::TempDir;

const MANIFEST: &str = r#"
title = "Two programs"
reference = "others.toml"

[defaults]
configurations = ["full", "naive"]

[[run]]
name = "first"
program = "first.bc"
command = "symex"
threads = ["main", "worker"]
branches = 20

[[run]]
name = "second"
program = "second.bc"
command = "enumerate"
configurations = ["full"]

[[table]]
name = "paths"
title = "Paths"
columns = ["threads", "branches", "full.paths", "naive.paths", "full.solver-share"]

[[table]]
name = "naive"
title = "Naive only"
columns = ["naive.seconds", "naive.peak-mib"]

[[configuration]]
name = "no-checks"
without = ["memory-checks"]
"#;

const OTHERS: &str = r#"
source = "Somebody, 2014"
[run.first.full]
paths = 763
solver-share = 0.93
[run.first.naive]
paths = 1087
[run.another.full]
paths = 1
"#;

/// A directory with a manifest and what it names.
struct Place(TempDir);

impl Place {
    fn new(manifest: &str) -> Self {
        let place = Self(TempDir::new().expect("a temporary directory can be made"));
        place.file("m.toml", manifest);
        place.file("others.toml", OTHERS);
        place.file("first.bc", "one");
        place.file("second.bc", "two");
        place
    }

    fn file(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).expect("the directory is ours");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn config(&self) -> ExperimentConfig {
        ExperimentConfig {
            manifest: self.path("m.toml"),
            output: self.path("out"),
            clang: "no-such-compiler".into(),
            force: false,
            only: Vec::new(),
            stop: Arc::default(),
        }
    }

    fn run(&self, runner: &Pretender) -> Report {
        experiment(&self.config(), runner, &mut Silent).expect("the manifest is right")
    }
}

struct Silent;

impl BatchProgress for Silent {
    fn begins(&mut self, _: usize, _: usize, _: &str, _: &str) {}
    fn ended(&mut self, _: &Row, _: bool) {}
}

type Answer = fn(&Job<'_>) -> Result<Outcome, Failure>;

/// Runs nothing, and knows what it was asked to run.
struct Pretender {
    answer: Answer,
    asked: RefCell<Vec<String>>,
    /// Stopped at the first job.
    stop: Option<Arc<StopRequest>>,
}

impl Pretender {
    fn new(answer: Answer) -> Self {
        Self { answer, asked: RefCell::default(), stop: None }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.take()
    }
}

impl Runner for Pretender {
    fn run(&self, job: &Job<'_>) -> Result<Outcome, Failure> {
        self.asked.borrow_mut().push(job.name());
        if let Some(stop) = &self.stop {
            stop.ask(Limit::Interrupted);
        }
        (self.answer)(job)
    }
}

fn found(complete: bool, figures: &[(Figure, f64)]) -> Outcome {
    let reasons = if complete { vec![] } else { (1..6).map(|n| format!("a.c:{n}: a limit")).collect() };
    Outcome { complete, reasons, figures: BTreeMap::from_iter(figures.iter().copied()) }
}

fn usual(job: &Job<'_>) -> Result<Outcome, Failure> {
    match (job.run.name.as_str(), job.configuration_name) {
        ("first", "full") => Ok(found(true, &[(Figure::Paths, 700.0), (Figure::SolverShare, 0.5)])),
        ("first", _) => Ok(found(false, &[(Figure::Paths, 1000.0), (Figure::Seconds, 1.234)])),
        _ => Err(Failure { kind: FailureKind::Limit, message: "it took too long".to_owned() }),
    }
}

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn tables_show_what_runs_gave_beside_the_references() {
    let place = Place::new(MANIFEST);
    let report = place.run(&Pretender::new(usual));
    check(
        &report.markdown(),
        &expect![[r#"
        # Two programs

        ## Paths

        |        | threads | branches | full paths |  naive paths | full in solver |
        | ------ | ------: | -------: | ---------: | -----------: | -------------: |
        | first  |       2 |       20 |  700 (763) | 1000+ (1087) |      50% (93%) |
        | second |       - |        - |     failed |            - |         failed |

        In brackets: Somebody, 2014.

        ## Naive only

        |       | naive s | naive MiB |
        | ----- | ------: | --------: |
        | first |    1.23 |         ? |

        ## Without a result

        - second (full): it took too long

        ## Incomplete (marked + in the tables)

        - first (naive): a.c:1: a limit; a.c:2: a limit; a.c:3: a limit; and 2 more
    "#]],
    );
    assert_eq!(place.read("out/report.md"), report.markdown());
    check(
        &place.read("out/paths.csv"),
        &expect![[r#"
            run,threads,branches,full.paths,full.paths.reference,naive.paths,naive.paths.reference,full.solver-share,full.solver-share.reference
            first,2,20,700,763,1000,1087,0.5,0.93
            second,,,,,,,,
        "#]],
    );
    check(
        &place.read("out/naive.md"),
        &expect![[r#"
        ## Naive only

        |       | naive s | naive MiB |
        | ----- | ------: | --------: |
        | first |    1.23 |         ? |
    "#]],
    );
    let json: serde_json::Value = serde_json::from_str(&place.read("out/report.json")).expect("it is JSON");
    assert_eq!(json["schema"], "icsched/experiment/1");
    assert_eq!(json["complete"], false);
    assert_eq!(json["rows"][0]["done"]["figures"]["paths"], 700.0);
    assert_eq!(json["rows"][2]["failed"]["kind"], "limit");
}

#[test]
fn references_can_be_words_and_a_column_says_what_is_complete() {
    let columns = "\"full.complete\", \"full.paths\", \"naive.complete\", \"naive.paths\"";
    let place = Place::new(&MANIFEST.replace("\"naive.seconds\", \"naive.peak-mib\"", columns));
    let others = OTHERS.replace("paths = 763", "paths = \"700+\"").replace("paths = 1087", "paths = 1e3");
    place.file("others.toml", &others);
    place.run(&Pretender::new(usual));
    check(
        &place.read("out/naive.md"),
        &expect![[r#"
        ## Naive only

        |        | full complete | full paths | naive complete |  naive paths |
        | ------ | ------------: | ---------: | -------------: | -----------: |
        | first  |           yes | 700 (700+) |             no | 1000+ (1000) |
        | second |        failed |     failed |              - |            - |

        In brackets: Somebody, 2014.
    "#]],
    );
    check(
        &place.read("out/naive.csv"),
        &expect![[r#"
        run,full.complete,full.paths,full.paths.reference,naive.complete,naive.paths,naive.paths.reference
        first,true,700,700+,false,1000,1000
        second,,,,,,
    "#]],
    );
    let picture = place.read("out/naive.svg");
    assert!(picture.contains(">1000+ (1000)<") && picture.contains(">700 (700+)<"), "{picture}");
    assert_eq!(picture.matches("class=\"panel\"").count(), 1, "{picture}");
}

#[test]
fn a_picture_shows_the_figures_it_is_asked_for() {
    let place = Place::new(&MANIFEST.replace("title = \"Paths\"\n", "title = \"Paths\"\nplot = [\"paths\"]\n"));
    place.run(&Pretender::new(usual));
    let picture = place.read("out/paths.svg");
    assert!(picture.contains(">paths<") && !picture.contains(">solver-share<"), "{picture}");
    let place = Place::new(MANIFEST);
    place.run(&Pretender::new(|_| Ok(found(true, &[]))));
    assert!(place.path("out/paths.svg").exists(), "there are references");
    assert!(!place.path("out/naive.svg").exists(), "there is nothing to draw");
}

#[test]
fn a_batch_goes_on_where_it_was() {
    let place = Place::new(MANIFEST);
    let runner = Pretender::new(usual);
    let first = place.run(&runner);
    assert_eq!(runner.asked(), ["first.full", "first.naive", "second.full"]);
    assert_eq!(place.run(&runner), first);
    assert_eq!(runner.asked(), [""; 0]);

    let forced = ExperimentConfig { force: true, ..place.config() };
    experiment(&forced, &runner, &mut Silent).expect("the manifest is right");
    assert_eq!(runner.asked(), ["first.full", "first.naive", "second.full"]);
}

#[test]
fn another_program_or_option_is_another_result() {
    let place = Place::new(MANIFEST);
    let runner = Pretender::new(usual);
    place.run(&runner);
    runner.asked();
    place.file("second.bc", "changed");
    place.run(&runner);
    assert_eq!(runner.asked(), ["second.full"]);
    place.file("m.toml", &MANIFEST.replace("branches = 20", "branches = 21"));
    place.run(&runner);
    assert_eq!(runner.asked(), ["first.full", "first.naive"]);
    // Which configurations there are besides says nothing about the result of one.
    place.file("m.toml", &MANIFEST.replace("branches = 20", "branches = 21\nconfigurations = [\"no-rd\", \"full\"]"));
    place.run(&runner);
    assert_eq!(runner.asked(), ["first.no-rd"]);
}

#[test]
fn what_could_not_be_run_is_tried_again_and_damaged_results_are_none() {
    let place = Place::new(MANIFEST);
    let refusing = Pretender::new(|_| Err(Failure { kind: FailureKind::NotRunnable, message: "no".to_owned() }));
    assert!(!place.run(&refusing).is_complete());
    place.run(&refusing);
    assert_eq!(refusing.asked().len(), 6);
    let runner = Pretender::new(usual);
    place.run(&runner);
    runner.asked();
    place.file("out/runs/first.full.result.json", "{ \"schema\": \"icsched/exp");
    place.run(&runner);
    assert_eq!(runner.asked(), ["first.full"]);
}

#[test]
fn a_stopped_batch_says_what_was_not_run_and_does_the_rest_later() {
    let place = Place::new(MANIFEST);
    let config = place.config();
    let mut runner = Pretender::new(usual);
    runner.stop = Some(Arc::clone(&config.stop));
    let report = experiment(&config, &runner, &mut Silent).expect("the manifest is right");
    assert_eq!(runner.asked(), ["first.full"]);
    assert!(report.markdown().contains("- second (full): the batch was stopped before"), "{}", report.markdown());
    place.run(&runner);
    assert_eq!(runner.asked(), ["first.naive", "second.full"]);
}

#[test]
fn only_some_runs() {
    let place = Place::new(MANIFEST);
    let runner = Pretender::new(usual);
    let only = |name: &str| ExperimentConfig { only: vec![name.to_owned()], ..place.config() };
    let report = experiment(&only("second"), &runner, &mut Silent).expect("there is such a run");
    assert_eq!(runner.asked(), ["second.full"]);
    assert!(report.markdown().contains("- first (full, naive): not asked for (--only)"), "{}", report.markdown());
    let Err(DriverError::NotFound { message, help }) = experiment(&only("third"), &runner, &mut Silent) else {
        panic!("there is no such run");
    };
    assert_eq!((message.as_str(), help.as_str()), ("the manifest has no run `third`", "it has first, second"));
}

#[test]
fn a_program_that_cannot_be_prepared_is_a_row() {
    let place = Place::new(&MANIFEST.replace("first.bc", "first.c").replace("\"worker\"", "\"worker@{here}\""));
    place.file("first.c", "int main(void) { return 0; } //~ there\n");
    let runner = Pretender::new(usual);
    let markdown = place.run(&runner).markdown();
    assert!(markdown.contains("first.c: 0 lines end in `//~ here`"), "{markdown}");
    place.file("first.c", "int main(void) { return 0; } //~ here\n");
    let markdown = place.run(&runner).markdown();
    assert!(markdown.contains("cannot start the compiler no-such-compiler"), "{markdown}");
    assert_eq!(runner.asked(), ["second.full"]);
}

/// The message about a manifest in which `from` became `to`.
fn complaint(from: &str, to: &str) -> String {
    assert!(MANIFEST.contains(from), "{from}");
    let place = Place::new(&MANIFEST.replacen(from, to, 1));
    match Manifest::read(&place.path("m.toml")) {
        Err(DriverError::Manifest { line, message, .. }) => {
            format!("{}: {message}", line.map(|line| line.to_string()).unwrap_or_default())
        }
        other => panic!("{to}: {other:?}"),
    }
}

#[test]
fn wrong_manifests_are_refused_with_key_and_line() {
    for (from, to, expected) in [
        ("branches = 20", "branchs = 20", "13: unknown field `branchs`"),
        ("branches = 20", "branches = \"20\"", "13: invalid type: string \"20\", expected u32"),
        ("title = \"Two", "titel = \"Two", "2: unknown field `titel`"),
        ("[defaults]", "[default]", "5: unknown field `default`"),
        ("configurations = [\"full\", \"naive\"]", "timeout = \"5\"", "6: `5` is no duration like 30s or 5m"),
        ("command = \"symex\"", "command = \"simex\"", "11: unknown variant `simex`"),
        ("command = \"symex\"", "command = \"enumerate\"", "11: `enumerate` starts at the program's entry"),
        ("program = \"first.bc\"", "", "8: missing field `program`"),
        ("name = \"second\"", "name = \"first\"", "16: there are two runs `first`"),
        ("name = \"second\"", "name = \"../x\"", "16: the name `../x` is not of letters"),
        ("[\"full\"]", "[\"ful\"]", "19: no configuration `ful`; there are full, naive, no-checks, no-rd, no-si, wp"),
        ("[\"full\"]", "[\"full\", \"full\"]", "19: `full` is there twice"),
        ("[\"full\"]", "[\"no-checks\"]", "19: `no-checks` is without `memory-checks`, but `enumerate` knows"),
        ("naive.paths", "nave.paths", "24: no configuration `nave`"),
        ("naive.paths", "naive.path", "24: no figure `path`; there are paths, infeasible"),
        ("\"threads\"", "\"thread\"", "24: no column `thread`; write threads, branches or CONFIGURATION.FIGURE"),
        ("title = \"Paths\"", "title = \"Paths", "23: "),
        ("title = \"Paths\"", "title = \"Paths\"\nplot = [\"path\"]", "24: unknown variant `path`"),
    ] {
        let message = complaint(from, to);
        assert!(message.starts_with(expected), "{to}: {message}");
    }
}

#[test]
fn wrong_references_are_refused() {
    let place = Place::new(MANIFEST);
    place.file("others.toml", &OTHERS.replace("paths = 1087", "path = 1087"));
    let Err(DriverError::Manifest { path, line: Some(7), message }) = Manifest::read(&place.path("m.toml")) else {
        panic!("`path` is no figure");
    };
    assert_eq!(path, place.path("others.toml"));
    assert!(message.contains("unknown variant `path`"), "{message}");
    place.file("m.toml", "title = \"Empty\"\n");
    assert!(matches!(Manifest::read(&place.path("m.toml")), Err(DriverError::Manifest { line: None, .. })));
    assert!(matches!(Manifest::read(&place.path("none.toml")), Err(DriverError::Read { .. })));
}

/// Looks whether the threads of a job are places of its program.
fn places(job: &Job<'_>) -> Result<Outcome, Failure> {
    if job.configuration_name != "full" || job.threads.is_empty() {
        return Ok(found(true, &[]));
    }
    let program = icsched_frontend::load(job.bitcode, &LoadOptions::default()).expect("it was just compiled");
    let points_to = PointsTo::new(&program, &icsched_pointsto::Options::default()).expect("nothing interrupts it");
    for thread in job.threads {
        icsched_dataflow::parse_stack(&program, &points_to, thread)
            .map_err(|error| Failure { kind: FailureKind::NotRunnable, message: format!("{thread}: {error}") })?;
    }
    Ok(found(true, &[]))
}

#[test]
fn the_manifests_of_the_project_name_programs_and_places_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["table2_1", "table3_1", "table3_3", "table3_4", "table3_6", "schedules", "threads"] {
        let output = TempDir::new().expect("a temporary directory can be made");
        let config = ExperimentConfig {
            manifest: root.join(format!("scripts/experiments/{name}.toml")),
            output: output.path().to_path_buf(),
            clang: "clang-22".into(),
            ..Place::new(MANIFEST).config()
        };
        let runner = Pretender::new(places);
        let report = experiment(&config, &runner, &mut Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(report.is_complete(), "{name}: {}", report.markdown());
    }
}

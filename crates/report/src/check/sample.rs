//! A result as `icsched check` could give it, for the tests of all renderers.

use icsched_schedule::finding::{CHECK_SCHEMA, FINDING_SCHEMA};
use icsched_schedule::{
    Answer, Bytes, ChainLink, CheckResult, CheckStatistics, DeadlockClass, Finding, FindingFile, FindingKind,
    FindingThread, Held, IncompleteKind, Input, Near, Reason, Site, StepRole, Suppressed, ThreadEnd, TraceStep, Turn,
    Verdict,
};

use super::options::Options;

/// Where the sample's files are.
pub(crate) const DIRECTORY: &str = "/src/app";

/// The program of the sample; a clerk that refuses a seat leaves the lock locked.
const DEMO: &str = "\
struct office { pthread_mutex_t lock; int used; };

static int reserve(struct office *o, int n) {
    pthread_mutex_lock(&o->lock);
    if (n > 100)
        return -1;
    o->used += n;
    pthread_mutex_unlock(&o->lock);
    return 0;
}

static void *clerk(void *arg) {
    return (void *)(long)reserve(&seats, wanted);
}

int main(int argc, char **argv) {
    wanted = atoi(argv[1]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, clerk, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
}
";

/// The sources that the tests know.
pub(crate) fn sources(file: &str) -> Option<String> {
    (file == "/src/app/demo.c").then(|| DEMO.to_owned())
}

/// What a user who runs the check in the sample's directory gives.
pub(crate) fn options(files: &[String]) -> Options<'_> {
    Options { directory: DIRECTORY, finding_files: files, sources: &sources, version: "1.2.3", ..Options::default() }
}

/// The files that `-o findings` would have written for the first `n` findings.
pub(crate) fn finding_files(n: usize) -> Vec<String> {
    (1..=n).map(|number| format!("findings/{number}.json")).collect()
}

fn site(function: &str, file: &str, line: u32, column: u32) -> Site {
    Site { function: function.into(), file: format!("{DIRECTORY}/{file}"), line, column }
}

fn at(file: &str, line: u32, column: u32) -> String {
    format!("{DIRECTORY}/{file}:{line}:{column}")
}

fn thread(number: u32, frames: Vec<Site>) -> FindingThread {
    FindingThread {
        thread: number,
        stack: frames.iter().map(Site::to_string).collect(),
        frames,
        operation: String::new(),
        waits_for: String::new(),
        object: String::new(),
        holder: None,
        holds: Vec::new(),
        ended: None,
    }
}

fn waiting(of: FindingThread, operation: &str, object: &str, what: &str, holder: Option<u32>) -> FindingThread {
    FindingThread { operation: operation.into(), object: object.into(), waits_for: what.into(), holder, ..of }
}

fn step(number: u32, operation: &str, object: &str, role: StepRole, frames: Vec<Site>) -> TraceStep {
    let (operation, object) = (operation.into(), object.into());
    TraceStep { thread: number, operation, object, role, frames, holds: Vec::new(), matters: true }
}

fn holding(step: TraceStep, objects: &[&str]) -> TraceStep {
    TraceStep { holds: objects.iter().map(|&object| object.to_owned()).collect(), ..step }
}

fn words(words: &[&str]) -> Vec<Bytes> {
    words.iter().map(|word| Bytes(word.as_bytes().to_vec())).collect()
}

fn in_reserve(line: u32, column: u32) -> Vec<Site> {
    vec![site("clerk", "demo.c", 13, 26), site("reserve", "demo.c", line, column)]
}

/// A thread ends with a lock that another one waits for.
pub(crate) fn leaked_lock() -> Finding {
    let held = Held { object: "seats.lock".into(), since: at("demo.c", 4, 5), frames: in_reserve(4, 5) };
    let ended = ThreadEnd { at: at("demo.c", 14, 1) };
    let main = |line, column| vec![site("main", "demo.c", line, column)];
    let lock = |number, role| step(number, "pthread_mutex_lock", "seats.lock", role, in_reserve(4, 5));
    let log = step(0, "pthread_mutex_lock", "log", StepRole::Acquire, main(18, 5));
    Finding {
        kind: FindingKind::Deadlock,
        class: Some(DeadlockClass::LeakedLock),
        verdict: Verdict::Confirmed,
        confirmed: true,
        message: "T2 waits for seats.lock, which T1 locked and never unlocked".into(),
        at: vec![at("demo.c", 4, 5), at("demo.c", 14, 1)],
        threads: vec![
            waiting(thread(0, main(21, 5)), "pthread_join", "thread 2", "thread 2 to end", Some(2)),
            FindingThread { holds: vec![held], ended: Some(ended), ..thread(1, Vec::new()) },
            waiting(
                thread(2, in_reserve(4, 5)),
                "pthread_mutex_lock",
                "seats.lock",
                "the mutex seats.lock to be unlocked",
                Some(1),
            ),
        ],
        input: Some(Input {
            argv: words(&["demo", "101"]),
            env: [("MODE".to_owned(), Bytes(b"it's".to_vec()))].into(),
            stdin: Some(Bytes(b"go\n".to_vec())),
            files: [("seats.txt".to_owned(), Bytes(b"2 seats\n".to_vec()))].into(),
            answers: vec![Answer { name: "open#2".into(), value: 0xffff_ffff }],
        }),
        near: Some(Near {
            input: Input { argv: words(&["demo", "100"]), ..Input::default() },
            condition: "atoi(argv[1]) > 100".into(),
        }),
        constraint: "atoi(argv[1]) > 100".into(),
        why: None,
        epoch: "0a1b2c3d4e5f".into(),
        schedule: "318607b918de".into(),
        chain: vec![ChainLink { epoch: "0a1b2c3d4e5f".into(), schedule: "318607b918de".into() }],
        trace: vec![
            step(0, "pthread_create", "thread 1", StepRole::Create, main(19, 9)),
            step(0, "pthread_create", "thread 2", StepRole::Create, main(19, 9)),
            TraceStep { matters: false, ..log.clone() },
            TraceStep { matters: false, operation: "pthread_mutex_unlock".into(), role: StepRole::Release, ..log },
            holding(lock(1, StepRole::Acquire), &["seats.lock"]),
            holding(step(1, "exit of thread", "thread 1", StepRole::End, Vec::new()), &["seats.lock"]),
            step(0, "pthread_join", "thread 1", StepRole::Join, main(20, 5)),
            step(0, "pthread_join", "thread 2", StepRole::Blocked, main(21, 5)),
            lock(2, StepRole::Blocked),
        ],
        order: vec![Turn { thread: 0, times: 3 }, Turn { thread: 1, times: 2 }, Turn { thread: 2, times: 1 }],
        fingerprint: "5f0c2a9be3d14477".into(),
        also_in: 3,
    }
}

/// Two threads that hold one lock each and wait for the other's; no run has come there.
pub(crate) fn lock_cycle() -> Finding {
    let holds = |object: &str, function, line| {
        vec![Held {
            object: object.into(),
            since: at("abba.c", line, 3),
            frames: vec![site(function, "abba.c", line, 3)],
        }]
    };
    let one = |number, function, line, object: &str, other| {
        let what = format!("the mutex {object} to be unlocked");
        let frames = vec![site(function, "abba.c", line, 3)];
        waiting(thread(number, frames), "pthread_mutex_lock", object, &what, Some(other))
    };
    Finding {
        kind: FindingKind::Deadlock,
        class: Some(DeadlockClass::LockCycle),
        verdict: Verdict::Possible,
        confirmed: false,
        message: "T1 waits for B, which T2 holds, and T2 for A, which T1 holds".into(),
        at: vec![at("abba.c", 10, 3), at("abba.c", 19, 3)],
        threads: vec![
            FindingThread { holds: holds("A", "left", 8), ..one(1, "left", 10, "B", 2) },
            FindingThread { holds: holds("B", "right", 17), ..one(2, "right", 19, "A", 1) },
        ],
        input: None,
        near: None,
        constraint: "used == 2 && atoi(argv[1]) < 0".into(),
        why: Some("no chain of epochs from main was realised in 200 runs".into()),
        epoch: "77aa77aa77aa".into(),
        schedule: "0123456789ab".into(),
        chain: Vec::new(),
        trace: Vec::new(),
        order: Vec::new(),
        fingerprint: "aa00bb11cc22dd33".into(),
        also_in: 1,
    }
}

/// An assertion that fails in the main thread; a message of the program is in it.
pub(crate) fn assertion() -> Finding {
    let frames = vec![site("main", "loop.c", 30, 0), site("count", "loop.c", 13, 7)];
    Finding {
        kind: FindingKind::Assert,
        class: None,
        verdict: Verdict::Confirmed,
        confirmed: true,
        message: "assertion `n < 3 && \"100%\"' fails".into(),
        at: vec![at("loop.c", 13, 7)],
        threads: vec![thread(0, frames)],
        input: Some(Input { argv: words(&["demo"]), ..Input::default() }),
        near: None,
        constraint: "true".into(),
        why: None,
        trace: Vec::new(),
        order: vec![Turn { thread: 0, times: 1 }],
        also_in: 0,
        fingerprint: "1111222233334444".into(),
        ..lock_cycle()
    }
}

/// Everything that a result can have.
pub(crate) fn result() -> CheckResult {
    let suppressed = Finding { message: "assertion `!stop' fails".into(), at: vec![at("old.c", 7, 3)], ..assertion() };
    CheckResult {
        findings: vec![leaked_lock(), assertion(), lock_cycle()],
        suppressed: vec![Suppressed { finding: suppressed, reason: "known since the first release".into() }],
        complete: false,
        reasons: vec![
            Reason {
                kind: IncompleteKind::Unmodelled,
                message: "`tgamma` has no model; called by `main`".into(),
                at: Some("/src/app/demo.c:20:3".into()),
            },
            Reason { kind: IncompleteKind::Limit, message: "stopped after 10 s (--timeout)".into(), at: None },
        ],
        ..nothing()
    }
}

/// Nothing is found, and that is certain.
pub(crate) fn nothing() -> CheckResult {
    CheckResult {
        schema: CHECK_SCHEMA.into(),
        program: "demo.bc".into(),
        digest: "c0ffee".into(),
        options: vec!["--".into(), "@".into()],
        complete: true,
        reasons: Vec::new(),
        assumptions: vec!["there are no data races".into(), "the number of live threads is bounded".into()],
        findings: Vec::new(),
        suppressed: Vec::new(),
        epochs: 2,
        schedules: 31,
        statistics: CheckStatistics {
            seconds: 1.25,
            enumerate_seconds: 0.75,
            runs: 12,
            paths: 40,
            instructions: 31_002,
        },
    }
}

/// Names as someone would choose them who wants to break a format or a terminal.
pub(crate) fn hostile() -> CheckResult {
    let evil = "</script><script>alert(1)</script>\u{1b}[2J\u{202e}]]>,::error::%0A\r\n&\"'[a](b)";
    let mut finding = leaked_lock();
    finding.message = evil.into();
    finding.at = vec![format!("/src/app/{evil}.c:1:2")];
    finding.constraint = evil.into();
    for thread in &mut finding.threads {
        thread.object = evil.into();
        thread.waits_for = format!("{evil} to be unlocked");
        thread.holds.iter_mut().for_each(|held| held.object = evil.into());
        thread.frames.iter_mut().for_each(|site| (site.function, site.file) = (evil.into(), format!("/x/{evil}")));
    }
    for step in &mut finding.trace {
        (step.operation, step.object, step.holds) = (evil.into(), evil.into(), vec![evil.into()]);
        step.frames.iter_mut().for_each(|site| (site.function, site.file) = (evil.into(), format!("/x/{evil}")));
    }
    let mut input = finding.input.take().expect("the sample has an input");
    input.argv.push(Bytes(evil.as_bytes().to_vec()));
    input.argv.push(Bytes(vec![0xff, 0x00, 0x1b]));
    input.files = [(evil.to_owned(), Bytes(evil.as_bytes().to_vec()))].into();
    input.answers[0].name = evil.into();
    finding.near = Some(Near { input: input.clone(), condition: evil.into() });
    finding.input = Some(input);
    finding.fingerprint = evil.into();
    let suppressed = Suppressed { finding: finding.clone(), reason: evil.into() };
    let reasons = vec![Reason { kind: IncompleteKind::Limit, message: evil.into(), at: Some(evil.into()) }];
    CheckResult {
        program: evil.into(),
        findings: vec![finding],
        suppressed: vec![suppressed],
        complete: false,
        reasons,
        assumptions: vec![evil.into()],
        ..nothing()
    }
}

/// One finding in a file of its own.
pub(crate) fn finding_file() -> FindingFile {
    let CheckResult { program, digest, options, .. } = nothing();
    FindingFile {
        schema: FINDING_SCHEMA.into(),
        program,
        digest,
        options,
        contents: Default::default(),
        finding: leaked_lock(),
    }
}

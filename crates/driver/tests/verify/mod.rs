//! `verify` finds what is wrong in a database: databases are damaged, each in one way, and must not pass.
//!
//! Names are made to fit again after the damage, so that what is found is the damage itself and not its trace in a
//! name.

mod damage;
mod ends;
mod facts;
mod lengths;
mod stored;
mod taken;

use std::collections::BTreeMap;
use std::sync::Arc;

use damage::{compile, is_about, strengthened, with};
use icsched_driver::verify::{FaultKind, Verification};
use icsched_epochs::{Request, RunLimits, SearchOptions};
use icsched_ir::Program;
use icsched_schedule::{Enumeration, HappensBefore, IncompleteKind, InputConstraint, Reason, Schedule, ScheduleEnd};
use icsched_symbolic::inputs::{ArgSpec, InputSpec};

/// What an input decides in the first epoch is looked at in later ones.
const EPOCHS: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int flag, left;
static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&a);
        int stop = left == 0;
        if (flag) {
            pthread_mutex_lock(&b);
            pthread_mutex_unlock(&b);
        }
        pthread_mutex_unlock(&a);
        if (stop)
            return arg;
    }
}
int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    pthread_t t;
    int x = atoi(argv[1]);
    if (x == 5)
        flag = 1;
    pthread_create(&t, NULL, worker, NULL);
    for (int i = 0; i < x; i++) {
        pthread_mutex_lock(&a);
        left = x - i - 1;
        pthread_mutex_unlock(&a);
    }
    pthread_join(t, NULL);
    return 0;
}
";

/// Which workers are joined first depends on handles that are known by what points to them alone.
const JOINS: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int quit;
static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int stop = quit;
        pthread_mutex_unlock(&lock);
        if (stop)
            return arg;
    }
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    quit = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

/// A request with its result.
struct Subject {
    request: Request,
    database: Enumeration,
}

impl Subject {
    fn new(source: &str) -> Self {
        Self::with(source, SearchOptions::default())
    }

    fn optimised(source: &str) -> Self {
        Self::of(compile(source, "-O1"), SearchOptions::default())
    }

    fn with(source: &str, search: SearchOptions) -> Self {
        Self::of(compile(source, "-O0"), search)
    }

    fn of(program: Program, search: SearchOptions) -> Self {
        Self::with_arguments(program, search, 1)
    }

    fn with_arguments(program: Program, search: SearchOptions, count: usize) -> Self {
        let inputs = InputSpec {
            program: "program".to_owned(),
            arguments: vec![ArgSpec::Symbolic { max: 4 }; count],
            ..InputSpec::default()
        };
        let request = Request {
            program: Arc::new(program),
            inputs,
            externs: BTreeMap::new(),
            memory_errors: Default::default(),
            search,
            limits: RunLimits::default(),
            without: Vec::new(),
        };
        let database = icsched_enumerate::enumerate(&request).expect("the program can be started");
        assert!(database.is_complete(), "{:?}", database.all_reasons());
        Self { request, database }
    }

    fn verify(&self, database: &Enumeration) -> Verification {
        icsched_verify::verify(&self.request, database, 64, &mut ()).expect("the program can be started")
    }

    /// A damaged database has a fault of a kind, which names the epoch and, if there is one, the schedule.
    fn finds(&self, what: &str, database: &Enumeration, kind: FaultKind, epoch: usize, schedule: Option<&Schedule>) {
        let found = self.verify(database);
        let key = self.database.epochs[epoch].key();
        let named = found.faults.iter().any(|fault| {
            fault.kind == kind && fault.epoch == Some(key) && schedule.is_none_or(|s| fault.schedule == Some(s.id))
        });
        assert!(named, "{what} in epoch {epoch}: {:#?}", found.faults);
    }
}

fn schedules(database: &Enumeration, epoch: usize) -> Vec<Schedule> {
    database.epochs[epoch].tree.leaves().cloned().collect()
}

/// One way ends early, with a lock that is taken elsewhere: it needs no schedule of its own.
const EARLY: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
    if (argc > 1 && atoi(argv[1]) > 3) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        return 0;
    }
    pthread_mutex_lock(&a);
    return 0;
}
";

#[test]
fn who_ends_early_does_so_where_the_schedule_says() {
    let subject = Subject::new(EARLY);
    assert_eq!(schedules(&subject.database, 0).len(), 1);
    let found = subject.verify(&subject.database);
    assert!(found.is_verified(), "{found:#?}");
}

#[test]
fn what_the_search_gives_is_right() {
    for source in [EPOCHS, JOINS] {
        let subject = Subject::new(source);
        let found = subject.verify(&subject.database);
        assert!(found.is_verified(), "{found:#?}");
        assert!(found.epochs.iter().all(|e| e.proved == e.schedules && e.infeasible.is_empty()), "{found:#?}");
        assert!(found.epochs[0].replayed > 0, "{found:#?}");
    }
}

/// Whether a worker takes the lock again depends on floats that nobody knows behind the marker, in several ways.
const FLOATS: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static double change[3], least;
int main(int argc, char **argv)
{
    least = argc > 1 ? atof(argv[1]) : 0;
    for (;;) {
        double largest = 0;
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 3; i++)
            if (change[i] > largest)
                largest = change[i];
        pthread_mutex_unlock(&lock);
        if (!(largest > least))
            break;
        for (int i = 0; i < 3; i++)
            change[i] = change[i] * change[(i + 1) % 3];
    }
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    return 0;
}
";

#[test]
fn comparisons_of_floats_are_inputs() {
    let subject = Subject::new(FLOATS);
    let found = subject.verify(&subject.database);
    assert!(found.is_verified(), "{found:#?}");
    assert!(schedules(&subject.database, 1).len() > 1, "{:#?}", subject.database);
}

/// Three threads take one of four locks each: 64 schedules, or one that leaves open which.
const LOCKS: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t locks[4] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int bits;
static void *worker(void *arg)
{
    int which = bits >> 2 * (int)(long)arg & 3;
    pthread_mutex_lock(&locks[which]);
    pthread_mutex_unlock(&locks[which]);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    bits = argc > 1 ? atoi(argv[1]) : 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

#[test]
fn schedules_that_leave_objects_open_stand_for_runs_on_any_of_them() {
    let subject = Subject::new(LOCKS);
    let all = schedules(&subject.database, 0);
    assert_eq!(all.len(), 1, "{all:#?}");
    let found = subject.verify(&subject.database);
    assert!(found.is_verified() && found.epochs[0].replayed > 0, "{found:#?}");
    let damaged = with(&subject.database, 0, vec![damage::without_edge(&all[0])]);
    let wrong = schedules(&damaged, 0).remove(0);
    subject.finds("an edge is missing", &damaged, FaultKind::Replay, 0, Some(&wrong));
}

/// Which lock it is has been decided on the path when it is released, but not for the schedule.
const ASKED_BETWEEN: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int bits, by_a, by_b;
static void *worker(void *arg)
{
    int is_a = bits >> (int)(long)arg & 1;
    pthread_mutex_t *lock = is_a ? &a : &b;
    pthread_mutex_lock(lock);
    if (is_a)
        by_a++;
    else
        by_b += 2;
    pthread_mutex_unlock(lock);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    bits = argc > 1 ? atoi(argv[1]) : 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

#[test]
fn what_a_path_has_decided_by_the_way_leaves_objects_open() {
    let subject = Subject::with(ASKED_BETWEEN, SearchOptions { conservative_after: 0, ..SearchOptions::default() });
    assert_eq!(schedules(&subject.database, 0).len(), 1);
    let found = subject.verify(&subject.database);
    assert!(found.is_verified() && found.epochs[0].replayed > 0, "{found:#?}");
}

/// Two accounts' locks are taken in the order of their numbers, which come from one input.
const ACCOUNTS: &str = "
#include <pthread.h>
#include <stdlib.h>
static struct account { int number; pthread_mutex_t lock; long balance; } bank[4];
static int from, to, rounds;
static void *transfer(void *arg)
{
    struct account *a = &bank[from], *b = &bank[to];
    int one = a->number, other = b->number;
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&bank[one < other ? one : other].lock);
        pthread_mutex_lock(&bank[one < other ? other : one].lock);
        a->balance -= 10;
        b->balance += 10;
        pthread_mutex_unlock(&bank[one < other ? other : one].lock);
        pthread_mutex_unlock(&bank[one < other ? one : other].lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    int x = argc > 1 ? atoi(argv[1]) : 0;
    from = x & 3;
    to = x >> 2 & 3;
    rounds = x >> 4 & 7;
    if (from == to)
        return 2;
    for (int i = 0; i < 4; i++) {
        bank[i].number = i;
        pthread_mutex_init(&bank[i].lock, NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, transfer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

/// What is read at places that an input chooses is looked up only when it is asked about: the same for the search and
/// for who checks it.
#[test]
fn reads_that_are_put_off_mean_the_same() {
    let subject = Subject::new(ACCOUNTS);
    let found = subject.verify(&subject.database);
    assert!(found.is_verified() && found.epochs[0].replayed > 0, "{found:#?}");
    let deadlocks = schedules(&subject.database, 0).iter().any(|s| matches!(s.ends, ScheduleEnd::Deadlock { .. }));
    assert!(!deadlocks, "{:#?}", subject.database);
}

/// Two failures are logged under one lock, in two places.
const LOGS: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int size, failures;
int main(int argc, char **argv)
{
    size = argc > 1 ? atoi(argv[1]) : 0;
    if (size < 0) {
        pthread_mutex_lock(&lock);
        failures += 2;
        pthread_mutex_unlock(&lock);
    } else if (size > 9) {
        pthread_mutex_lock(&lock);
        failures++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
";

/// Paths with the same order of the same operations are one schedule, which keeps all places of its nodes.
#[test]
fn places_of_nodes_are_kept_and_checked() {
    let subject = Subject::new(LOGS);
    let all = schedules(&subject.database, 0);
    let places: Vec<usize> = all.iter().flat_map(|s| s.graph.nodes()).map(|n| n.places().count()).collect();
    assert_eq!(places, [2, 2], "{all:#?}");
    let found = subject.verify(&subject.database);
    assert!(found.is_verified(), "{found:#?}");
    let mut damaged = all;
    let at = damaged.iter().position(|s| !s.graph.nodes().is_empty()).expect("one logs");
    let mut nodes = damaged[at].graph.nodes().to_vec();
    nodes[0].elsewhere.clear();
    let graph = HappensBefore::from_parts(nodes, Vec::new()).expect("it is one thread's");
    damaged[at] = Schedule::new(damaged[at].constraint.clone(), graph, damaged[at].ends.clone());
    let wrong = damaged[at].clone();
    let damaged = with(&subject.database, 0, damaged);
    subject.finds("a place is missing", &damaged, FaultKind::Replay, 0, Some(&wrong));
}

#[test]
fn a_flag_that_an_input_sets_is_no_constant() {
    let subject = Subject::new(EPOCHS);
    let second = schedules(&subject.database, 1);
    let locks_b = |s: &Schedule| s.graph.nodes().iter().any(|n| &*n.object == "b");
    assert!(second.iter().any(locks_b) && !second.iter().all(locks_b), "{second:#?}");
}

#[test]
fn schedules_that_are_missing_are_found() {
    let subject = Subject::new(EPOCHS);
    for epoch in 0..subject.database.epochs.len() {
        let mut rest = schedules(&subject.database, epoch);
        rest.remove(0);
        let damaged = with(&subject.database, epoch, rest);
        subject.finds("a schedule is missing", &damaged, FaultKind::Cover, epoch, None);
    }
}

/// Where a search was cut, another one may know more behind the first epoch.
#[test]
fn what_a_search_that_was_cut_lacks_behind_the_entry_is_no_fault() {
    let subject = Subject::new(EPOCHS);
    let message = "the time limit was reached (--timeout)".to_owned();
    let cut = Reason { kind: IncompleteKind::Limit, message, at: None };
    for epoch in 0..2 {
        let mut rest = schedules(&subject.database, epoch);
        rest.remove(0);
        let mut damaged = with(&subject.database, epoch, rest);
        damaged.reasons.push(cut.clone());
        let found = subject.verify(&damaged);
        assert_eq!(found.faults.is_empty(), epoch == 1, "{found:#?}");
        let is_told = found.reasons.iter().any(|reason| reason.message.contains("found: 1, the first: "));
        assert_eq!(is_told, epoch == 1, "{found:#?}");
    }
}

#[test]
fn constraints_that_say_too_much_or_too_little_are_found() {
    let subject = Subject::new(EPOCHS);
    let mut all = schedules(&subject.database, 1);
    all[0].constraint = strengthened(&all[0].constraint);
    let damaged = with(&subject.database, 1, all);
    subject.finds("a constraint is stronger", &damaged, FaultKind::Cover, 1, None);
    let mut all = schedules(&subject.database, 1);
    all[0].constraint = damage::always(&all[0].constraint);
    let weaker = all[0].clone();
    let damaged = with(&subject.database, 1, all);
    subject.finds("a constraint is weaker", &damaged, FaultKind::Replay, 1, Some(&weaker));
}

#[test]
fn constraints_that_are_none_are_found() {
    let subject = Subject::new(EPOCHS);
    for how in ["text", "line", "name"] {
        let mut all = schedules(&subject.database, 1);
        let dag = all[0].constraint.dag.as_mut().expect("constraints are kept");
        match how {
            "line" => dag.nodes[0] = "nonsense".to_owned(),
            "name" => {
                let line = dag.nodes.iter_mut().find(|n| n.starts_with("s ")).expect("it is about something");
                line.push_str(" of nothing");
            }
            _ => all[0].constraint = InputConstraint::text("true"),
        }
        let wrong = all[0].clone();
        let damaged = with(&subject.database, 1, all);
        subject.finds(how, &damaged, FaultKind::Form, 1, Some(&wrong));
    }
}

#[test]
fn edges_that_are_missing_are_found() {
    let mut tried = 0;
    for source in [EPOCHS, JOINS] {
        let subject = Subject::new(source);
        for epoch in 0..subject.database.epochs.len() {
            let mut all = schedules(&subject.database, epoch);
            let Some(at) = all.iter().position(|s| !s.graph.edges().is_empty()) else { continue };
            all[at] = damage::without_edge(&all[at]);
            let wrong = all[at].clone();
            let damaged = with(&subject.database, epoch, all);
            subject.finds("an edge is missing", &damaged, FaultKind::Replay, epoch, Some(&wrong));
            tried += 1;
        }
    }
    assert!(tried > 1);
}

#[test]
fn ends_that_are_others_are_found() {
    let subject = Subject::new(EPOCHS);
    let mut all = schedules(&subject.database, 1);
    let first = all.iter().position(|s| matches!(s.ends, ScheduleEnd::Exit { .. })).expect("one exits");
    let second = all.iter().position(|s| matches!(s.ends, ScheduleEnd::Epoch(_))).expect("one goes on");
    let (a, b) = (all[first].clone(), all[second].clone());
    all[first] = Schedule::new(a.constraint, a.graph, b.ends);
    all[second] = Schedule::new(b.constraint, b.graph, a.ends);
    let (a, b) = (all[first].clone(), all[second].clone());
    let damaged = with(&subject.database, 1, all);
    subject.finds("ends are swapped", &damaged, FaultKind::Replay, 1, Some(&a));
    subject.finds("ends are swapped", &damaged, FaultKind::Replay, 1, Some(&b));
}

#[test]
fn epochs_that_are_missing_are_found() {
    let subject = Subject::new(EPOCHS);
    for epoch in 1..subject.database.epochs.len() {
        let mut damaged = subject.database.clone();
        let gone = damaged.epochs.remove(epoch).key();
        let found = subject.verify(&damaged);
        let named = found.faults.iter().any(|f| f.kind == FaultKind::Epoch && is_about(f, &gone.to_string()));
        assert!(named, "{:#?}", found.faults);
    }
    let mut damaged = subject.database.clone();
    damaged.epochs.remove(0);
    subject.finds("the entry is missing", &damaged, FaultKind::Epoch, 0, None);
}

#[test]
fn successors_that_are_others_are_found() {
    let subject = Subject::new(EPOCHS);
    let other = subject.database.epochs[0].key();
    let nothing = icsched_schedule::EpochId::new(Vec::new()).key();
    for (key, kind) in [(other, FaultKind::Replay), (nothing, FaultKind::Epoch)] {
        let mut all = schedules(&subject.database, 1);
        let at = all.iter().position(|s| matches!(s.ends, ScheduleEnd::Epoch(_))).expect("one goes on");
        let Schedule { constraint, graph, .. } = all[at].clone();
        all[at] = Schedule::new(constraint, graph, ScheduleEnd::Epoch(key));
        let wrong = all[at].clone();
        let damaged = with(&subject.database, 1, all);
        subject.finds("another successor", &damaged, kind, 1, Some(&wrong));
    }
}

#[test]
fn names_that_do_not_fit_are_found() {
    let subject = Subject::new(EPOCHS);
    let mut all = schedules(&subject.database, 1);
    all[0].id = all[1].id;
    let wrong = all[0].clone();
    let damaged = with(&subject.database, 1, all);
    subject.finds("another name", &damaged, FaultKind::Form, 1, Some(&wrong));
}

//! Epochs that are longer than their markers say (Bergan 3.5).

use icsched_driver::verify::FaultKind;
use icsched_epochs::SearchOptions;
use icsched_schedule::{HappensBefore, HbNode, Schedule};

use crate::verify::damage::with;
use crate::verify::{Subject, schedules};

/// One worker does much in each round, the other one little.
const UNEVEN: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int rounds, x, y;
static void *quick(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&a);
        x++;
        pthread_mutex_unlock(&a);
    }
    return arg;
}
static void *slow(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < 40; j++)
            y = y * 3 + j;
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    rounds = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t[0], NULL, quick, NULL);
    pthread_create(&t[1], NULL, slow, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
";

/// Nodes that pass markers, by thread, in the schedule that has the most.
fn passes(subject: &Subject, operation: &str) -> Vec<usize> {
    let of_thread = |schedule: &Schedule, thread: u32| {
        let is_one = |node: &&HbNode| node.thread == thread && *node.op == *operation;
        schedule.graph.nodes().iter().filter(is_one).count()
    };
    let all: Vec<Schedule> = (0..subject.database.epochs.len()).flat_map(|e| schedules(&subject.database, e)).collect();
    (0..3).map(|thread| all.iter().map(|schedule| of_thread(schedule, thread)).max().unwrap_or(0)).collect()
}

fn searched(epoch_instructions: u64, epoch_balance: Option<u64>) -> Subject {
    Subject::with(UNEVEN, SearchOptions { epoch_instructions, epoch_balance, ..SearchOptions::default() })
}

#[test]
fn threads_pass_markers_until_they_have_done_enough() {
    let shortest = searched(0, None);
    assert_eq!(passes(&shortest, "pass marker"), [0, 0, 0]);
    let longer = searched(300, None);
    let passed = passes(&longer, "pass marker");
    assert!(passed[1] > passed[2] && passed[2] > 0, "{passed:?}");
    assert_eq!(passes(&longer, "pass marker late"), [0, 0, 0]);
    let found = longer.verify(&longer.database);
    assert!(found.is_verified(), "{found:#?}");
}

#[test]
fn threads_that_have_done_less_than_others_pass_markers_when_all_are_at_one() {
    let balanced = searched(0, Some(300));
    let passed = passes(&balanced, "pass marker late");
    assert!(passed[1] > 0 && passed[2] == 0, "{passed:?}");
    let found = balanced.verify(&balanced.database);
    assert!(found.is_verified(), "{found:#?}");
}

/// A schedule whose last thread passes one marker less is not what happens.
#[test]
fn markers_that_are_not_passed_are_found() {
    let subject = searched(300, None);
    let mut all = schedules(&subject.database, 1);
    let passes = |node: &HbNode| &*node.op == "pass marker";
    let at = all.iter().position(|s| s.graph.nodes().iter().any(passes)).expect("one passes a marker");
    let mut nodes = all[at].graph.nodes().to_vec();
    let last = nodes.iter().rposition(passes).expect("it passes one");
    let gone = nodes.remove(last);
    nodes.iter_mut().filter(|n| n.thread == gone.thread && n.n > gone.n).for_each(|n| n.n -= 1);
    let graph = HappensBefore::from_parts(nodes, Vec::new()).expect("no edges make no cycle");
    all[at] = Schedule::new(all[at].constraint.clone(), graph, all[at].ends.clone());
    let wrong = all[at].clone();
    let damaged = with(&subject.database, 1, all);
    subject.finds("a marker is not passed", &damaged, FaultKind::Replay, 1, Some(&wrong));
}

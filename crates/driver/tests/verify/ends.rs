//! Ends that are not so, inputs that vanish and results that say nothing are faults: each is planted.

use icsched_driver::verify::FaultKind;
use icsched_schedule::{Assumption, EndlessLoop, EpochResult, Schedule, ScheduleEnd, ScheduleTree};

use super::damage::{always, with};
use super::{Subject, schedules};

/// A thread goes round for ever for some inputs, and main joins it.
const ENDLESS: &str = "
#include <pthread.h>
#include <stdlib.h>
static int speed;
static unsigned long ticks;
static void *clock_runs(void *arg)
{
    while (speed > 3)
        ticks++;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    speed = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t, NULL, clock_runs, NULL);
    pthread_join(t, NULL);
    return 0;
}
";

/// Nothing is synchronised, and there are three ends.
const ENDS: &str = "
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n == 7)
        abort();
    return n > 9 ? 1 : 0;
}
";

/// What is behind the loop is an error in all runs.
const ERROR_BEHIND: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *result;
int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    *result = rounds;
    return 0;
}
";

/// Some inputs cause an error in the first epoch, others do not.
const ERROR_AT_ENTRY: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counts[4];
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    pthread_mutex_lock(&lock);
    counts[n]++;
    pthread_mutex_unlock(&lock);
    return 0;
}
";

fn with_end(schedule: &Schedule, ends: ScheduleEnd) -> Schedule {
    Schedule::new(schedule.constraint.clone(), schedule.graph.clone(), ends)
}

fn is_verified(subject: &Subject) {
    let found = subject.verify(&subject.database);
    assert!(found.is_verified(), "{found:#?}");
}

#[test]
fn an_epoch_that_says_nothing_is_found() {
    let subject = Subject::new(ENDLESS);
    is_verified(&subject);
    let mut damaged = subject.database.clone();
    damaged.epochs[0].tree = ScheduleTree::default();
    assert!(!damaged.is_complete());
    subject.finds("no schedule", &damaged, FaultKind::Cover, 0, None);
}

#[test]
fn inputs_that_go_round_for_ever_do_not_vanish() {
    let subject = Subject::new(ENDLESS);
    let all = schedules(&subject.database, 0);
    assert_eq!(all.len(), 2, "{all:#?}");
    let exits: Vec<Schedule> = all.iter().filter(|s| matches!(s.ends, ScheduleEnd::Exit { .. })).cloned().collect();
    let without = with(&subject.database, 0, exits.clone());
    subject.finds("the schedule without end is left out", &without, FaultKind::Cover, 0, None);
    let mut for_all = exits[0].clone();
    for_all.constraint = always(&for_all.constraint);
    let claimed = with(&subject.database, 0, vec![for_all.clone()]);
    subject.finds("everybody is said to exit", &claimed, FaultKind::Replay, 0, Some(&for_all));
}

#[test]
fn a_loop_that_ends_is_not_endless() {
    let subject = Subject::new(ENDLESS);
    let all = schedules(&subject.database, 0);
    let loops = vec![EndlessLoop { thread: 1, at: "program.c:8".to_owned() }];
    let wrong: Vec<Schedule> = all
        .iter()
        .map(|s| match s.ends {
            ScheduleEnd::Exit { .. } => with_end(s, ScheduleEnd::Endless { loops: loops.clone(), blocked: Vec::new() }),
            _ => s.clone(),
        })
        .collect();
    let at = all.iter().position(|s| matches!(s.ends, ScheduleEnd::Exit { .. })).expect("some inputs exit");
    subject.finds("endless", &with(&subject.database, 0, wrong.clone()), FaultKind::Replay, 0, Some(&wrong[at]));
}

#[test]
fn ends_without_synchronisation_are_checked() {
    let subject = Subject::new(ENDS);
    is_verified(&subject);
    let all = schedules(&subject.database, 0);
    for schedule in &all {
        let mut for_all = schedule.clone();
        for_all.constraint = always(&for_all.constraint);
        let damaged = with(&subject.database, 0, vec![for_all.clone()]);
        subject.finds("one end for every input", &damaged, FaultKind::Replay, 0, Some(&for_all));
    }
}

#[test]
fn an_exit_status_that_inputs_decide_is_checked() {
    let subject = Subject::new(ENDS);
    let told = |s: &Schedule| match s.ends {
        ScheduleEnd::Exit { status } => {
            assert_eq!(status, None);
            with_end(s, ScheduleEnd::Exit { status: Some(0) })
        }
        _ => s.clone(),
    };
    let wrong: Vec<Schedule> = schedules(&subject.database, 0).iter().map(told).collect();
    let at = wrong.iter().find(|s| matches!(s.ends, ScheduleEnd::Exit { .. })).expect("some inputs exit").clone();
    subject.finds("status", &with(&subject.database, 0, wrong), FaultKind::Replay, 0, Some(&at));
}

#[test]
fn errors_that_are_not_told_are_found() {
    let subject = Subject::new(ERROR_AT_ENTRY);
    is_verified(&subject);
    let mut damaged = subject.database.clone();
    assert_eq!(damaged.memory_errors().len(), 1);
    damaged.epochs[0].errors.clear();
    subject.finds("no error", &damaged, FaultKind::Errors, 0, None);
}

#[test]
fn errors_behind_the_first_epoch_do_not_vanish() {
    let subject = Subject::new(ERROR_BEHIND);
    is_verified(&subject);
    let last = subject.database.epochs.len() - 1;
    let is_error = |s: &Schedule| matches!(s.ends, ScheduleEnd::MemoryError { .. });
    let all = schedules(&subject.database, last);
    assert!(all.iter().any(is_error) || !subject.database.epochs[last].errors.is_empty(), "{:#?}", subject.database);
    let mut damaged = with(&subject.database, last, all.into_iter().filter(|s| !is_error(s)).collect());
    damaged.epochs[last].errors.clear();
    subject.finds("no error", &damaged, FaultKind::Errors, last, None);
}

#[test]
fn a_result_with_errors_says_that_it_is_for_the_other_inputs() {
    let subject = Subject::new(ERROR_AT_ENTRY);
    assert!(subject.database.epochs.iter().any(EpochResult::has_errors));
    let mut damaged = subject.database.clone();
    damaged.assumptions.retain(|assumption| *assumption != Assumption::NoMemoryErrors);
    let found = subject.verify(&damaged);
    assert!(found.faults.iter().any(|fault| fault.kind == FaultKind::Form), "{found:#?}");
}

//! What an epoch is searched with is damaged: `verify` finds that paths leave something else.

use std::collections::BTreeMap;

use icsched_driver::verify::{Fault, FaultKind};
use icsched_epochs::{EpochFacts, SearchOptions};
use icsched_facts::{Held, Node, Shape};
use icsched_ir::{EntityId as _, GlobalId};
use icsched_schedule::{Enumeration, EpochResult, Json};

use super::Subject;
use crate::verify::damage::compile;

/// Two threads go round equally often, with a lock on the heap.
const HEAP: &str = "
#include <pthread.h>
#include <stdlib.h>
struct account { pthread_mutex_t lock; int sum, closed; };
static int rounds;
static void *work(void *arg)
{
    struct account *account = arg;
    for (int i = 0; i < rounds; i++) {
        if (account->closed)
            continue;
        pthread_mutex_lock(&account->lock);
        account->sum++;
        pthread_mutex_unlock(&account->lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    pthread_t t[2];
    rounds = atoi(argv[1]);
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    account->sum = account->closed = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, account);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    account->closed = 1;
    return 0;
}
";

/// A loop that begins with 1.
const FROM_ONE: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int last = atoi(argv[1]);
    for (int i = 1; i <= last; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
";

/// Two readers wait for sheets, of which there are as many as the input says. How many are there still, less how many
/// there were, is known by the bounds of both alone.
const SHEETS: &str = "
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int sheets, read, last;
static void *reader(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!sheets && !last)
            pthread_cond_wait(&more, &lock);
        if (!sheets) {
            pthread_mutex_unlock(&lock);
            return arg;
        }
        sheets--;
        read++;
        pthread_mutex_unlock(&lock);
    }
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    int n = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        sheets++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    last = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return read;
}
";

/// What a later round asks of a mark must not follow from which way a comparison went that is no condition of the
/// schedule.
const MARKS: &str = include_str!("../../../../c-tests/epochs/summaries/marks_in_use.c");

/// What is wrong when the shape of the second epoch is damaged.
fn found(subject: &Subject, damage: impl FnOnce(&mut Shape)) -> Vec<String> {
    let mut database = subject.database.clone();
    change(&mut database.epochs[1], |facts| damage(&mut facts.shape));
    messages(subject, &database)
}

/// Changes what a database says is known where an epoch begins.
pub(super) fn change(epoch: &mut EpochResult, change: impl FnOnce(&mut EpochFacts)) {
    let mut facts: EpochFacts = epoch.searched_with.facts.value().expect("facts of an epoch");
    change(&mut facts);
    epoch.searched_with.facts = Json::of(&facts);
}

/// What is wrong. Where facts are, other promises may be broken, too, since paths begin with them; but never those
/// alone.
fn messages(subject: &Subject, database: &Enumeration) -> Vec<String> {
    let faults = subject.verify(database).faults;
    let is_of_facts = |fault: &Fault| fault.kind == FaultKind::Facts;
    assert!(faults.is_empty() || faults.iter().any(is_of_facts), "{faults:#?}");
    faults.into_iter().map(|fault| fault.message).collect()
}

#[track_caller]
fn finds(faults: &[String], what: &str) {
    assert!(faults.iter().any(|message| message.contains(what)), "{what}: {faults:#?}");
}

/// The first byte of a number in the object from the heap.
fn number(shape: &Shape) -> (Node, u64) {
    let all = shape.bytes.iter().map(|(at, _)| at);
    let mut of_heap = all.filter(|(node, at)| matches!(node, Node::Heap(_)) && at % 4 == 0);
    of_heap.next().expect("something is known of the object")
}

#[test]
fn numbers_addresses_and_what_is_equal() {
    let subject = Subject::new(HEAP);
    assert_eq!(found(&subject, |_| {}), [""; 0]);
    let faults = found(&subject, |shape| {
        let at = number(shape);
        let byte = shape.bytes.get(&at).expect("it is known");
        shape.bytes.insert(at, byte ^ 8);
    });
    finds(&faults, " of object 0 from the heap is 8");
    let faults = found(&subject, |shape| {
        let to_heap = |held: &Held| matches!(held, Held::Address(Node::Heap(_), 0));
        let register = shape.registers.values_mut().find(|(_, held)| to_heap(held)).expect("workers have its address");
        register.1 = Held::Address(Node::Heap(0), 4);
    });
    finds(&faults, "is the address of byte 4 of object 0 from the heap");
    // The sum is 0 at first, whatever the input is that says how often the threads go round.
    let faults = found(&subject, |shape| {
        let heap = number(shape).0;
        let rounds = Node::Global(GlobalId::from_index(0));
        let class = (4, Held::Same(7));
        shape.words.extend([((rounds, 0), class), ((heap, 40), class)]);
    });
    finds(&faults, "is equal to");
}

/// `i >= 1`, because `i + 1` does not overflow; but not `i >= 2`, nor is anything known of it where it may.
#[test]
fn bounds_of_sums_that_do_not_overflow() {
    let subject = Subject::new(FROM_ONE);
    let mut bounds = BTreeMap::new();
    assert_eq!(found(&subject, |shape| bounds = (*shape.bounds).clone()), [""; 0]);
    assert!(bounds.values().any(|bounds| bounds.least == 1), "{bounds:?}");
    let narrow = |shape: &mut Shape| shape.bounds.values_mut().for_each(|bounds| bounds.least = 2);
    finds(&found(&subject, narrow), "is between 2 and");
    // The same program but for the flag.
    let unsigned = Subject::new(&FROM_ONE.replace("int i = 1; i <= last", "unsigned i = 1; (int)i <= last"));
    finds(&found(&unsigned, |shape| shape.bounds.extend(bounds)), "is between 1 and");
}

/// A sum that has overflowed is one number, whatever it is compared with.
#[test]
fn differences_of_sums_that_do_not_overflow() {
    let subject = Subject::optimised(SHEETS);
    let find = |damage: &dyn Fn(&mut Shape)| {
        let mut database = subject.database.clone();
        database.epochs.iter_mut().for_each(|epoch| change(epoch, |facts| damage(&mut facts.shape)));
        messages(&subject, &database)
    };
    assert_eq!(find(&|_| {}), [""; 0]);
    let narrow = |shape: &mut Shape| {
        for bounds in shape.differences.values_mut().filter(|bounds| !bounds.are_nonzero()) {
            bounds.greatest = bounds.least.saturating_add(1);
        }
    };
    finds(&find(&narrow), " - v");
}

#[test]
fn what_a_loop_does_not_write_on_some_paths() {
    let subject = Subject::with_arguments(compile(MARKS, "-O0"), SearchOptions::default(), 2);
    assert_eq!(messages(&subject, &subject.database), [""; 0]);
}

#[test]
fn the_order_of_waiting_threads() {
    let subject = Subject::new(HEAP);
    let faults = found(&subject, |shape| {
        assert_eq!(shape.waits.len(), 1, "main waits, and workers do not");
        shape.waits.extend((0..3).filter(|n| *n != shape.waits[0]).collect::<Vec<_>>());
    });
    finds(&faults, "waits");
}

#[test]
fn that_no_thread_has_ended() {
    let subject = Subject::new(super::EPOCHS);
    let mut database = subject.database.clone();
    let mut ended = 0;
    for epoch in &mut database.epochs {
        change(epoch, |facts| ended += usize::from(!std::mem::replace(&mut facts.none_ended, true)));
    }
    assert!(ended > 0);
    finds(&messages(&subject, &database), "no thread has ended");
}

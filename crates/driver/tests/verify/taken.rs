//! What schedules mean does not depend on the path that they were found on, and what the search takes for granted
//! `verify` does, too.

use icsched_epochs::SearchOptions;

use super::Subject;
use crate::verify::damage::compile;

/// Two threads each look for two numbers in a list. Whether a thread goes on to use the second node that it has found
/// is of no importance where it has not found the first one; but then the other thread may find the same one, or
/// nothing that was used before.
const SEARCHES: &str = "
#include <pthread.h>
#include <stdlib.h>
struct set { int id; pthread_mutex_t lock; struct set *next; };
static struct set *sets;
static int a, b;
static struct set *search(int id)
{
    for (struct set *s = sets; s; s = s->next)
        if (s->id == id)
            return s;
    return NULL;
}
static void *merge(void *arg)
{
    struct set *x = search(a), *y = search(b);
    if (!x || !y)
        return arg;
    pthread_mutex_lock(&x->lock);
    pthread_mutex_lock(&y->lock);
    pthread_mutex_unlock(&y->lock);
    pthread_mutex_unlock(&x->lock);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 3)
        return 2;
    for (int id = 4; id > 0; id--) {
        struct set *s = calloc(1, sizeof *s);
        s->id = id;
        s->next = sets;
        sets = s;
    }
    a = atoi(argv[1]);
    b = atoi(argv[2]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, merge, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

/// A table that may be told to have less than no elements: then its first store is out of range, and might set the flag
/// in front.
const TABLE: &str = "
#include <pthread.h>
#include <stdlib.h>
static struct { int flag, used, key[4]; pthread_mutex_t lock; } c = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int rounds;
static void *work(void *arg)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&c.lock);
        if (c.used < 4)
            c.key[c.used++] = i;
        pthread_mutex_unlock(&c.lock);
    }
    if (c.flag) {
        pthread_mutex_lock(&c.lock);
        pthread_mutex_unlock(&c.lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 3)
        return 2;
    rounds = atoi(argv[1]);
    c.used = atoi(argv[2]);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
";

/// Two runners hand batons on through boxes, each with one more notch, until one that is negative comes. Where nobody
/// could stop any more if numbers were unbounded, what is in a box is the largest number: the only one that a sum gives
/// without overflow.
const RELAY: &str = "
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
enum { RUNNERS = 2 };
typedef struct { sem_t is_free, is_used; int baton; } box;
static box boxes[RUNNERS + 1];
static void lay(box *b, int baton) { sem_wait(&b->is_free); b->baton = baton; sem_post(&b->is_used); }
static int take(box *b) { sem_wait(&b->is_used); int baton = b->baton; sem_post(&b->is_free); return baton; }
static void *runner(void *arg)
{
    int lane = (int)(long)arg, baton;
    do {
        baton = take(&boxes[lane]);
        lay(&boxes[lane + 1], baton < 0 ? baton : baton + 1);
    } while (baton >= 0);
    return NULL;
}
static void *judge(void *arg)
{
    long *notches = arg;
    int baton;
    while ((baton = take(&boxes[RUNNERS])) >= 0)
        *notches += baton;
    return NULL;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    long notches = 0;
    pthread_t runners[RUNNERS], last;
    for (int i = 0; i <= RUNNERS; i++) {
        sem_init(&boxes[i].is_free, 0, 1);
        sem_init(&boxes[i].is_used, 0, 0);
    }
    for (long i = 0; i < RUNNERS; i++)
        if (pthread_create(&runners[i], NULL, runner, (void *)i))
            return 1;
    if (pthread_create(&last, NULL, judge, &notches))
        return 1;
    for (int i = 0; i < n; i++)
        lay(&boxes[0], i);
    lay(&boxes[0], -1);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(runners[i], NULL);
    pthread_join(last, NULL);
    return notches > 0;
}
";

/// Two looks at a list, with a write between them on some paths.
const INSPECTORS: &str = include_str!("../../../../c-tests/epochs/barriers/inspectors_who_scratch.c");

fn is_verified(source: &str) {
    is_verified_at(source, "-O0", 2);
}

fn is_verified_at(source: &str, level: &str, arguments: usize) {
    let subject = Subject::with_arguments(compile(source, level), SearchOptions::default(), arguments);
    let found = subject.verify(&subject.database);
    assert!(found.is_verified(), "{found:#?}");
}

#[test]
fn a_node_has_the_same_name_whether_a_path_has_met_it_before_or_not() {
    is_verified(SEARCHES);
}

#[test]
fn what_equal_loops_leave_is_the_same_where_nothing_is_written_between() {
    for variant in ["LAST", "BY_NUMBER"] {
        is_verified_at(&format!("#define {variant}\n{INSPECTORS}"), "-O0", 3);
    }
}

#[test]
fn subscripts_are_in_range_on_the_paths_of_schedules() {
    is_verified(TABLE);
}

#[test]
fn numbers_that_only_sums_without_overflow_give_are_constants() {
    is_verified_at(RELAY, "-O2", 1);
}

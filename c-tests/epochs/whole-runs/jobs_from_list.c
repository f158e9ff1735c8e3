// Two threads take 600 jobs out of a list under a lock, until it is empty; there are no inputs.
//
// By hand: no input decides anything, so there is one schedule, however often threads come to a place where an epoch could end: 601 times and
// more. An epoch that began there would have forgotten how long the list is, and who comes last.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec:
// stdout: 179700
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define JOBS 600

struct job {
    struct job *next;
    long cost;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static long done[2];

static struct job *take(void) {
    pthread_mutex_lock(&lock);
    struct job *first = jobs;
    if (first)
        jobs = first->next;
    pthread_mutex_unlock(&lock);
    return first;
}

static void *work(void *sum) {
    for (struct job *job = take(); job; job = take()) {
        *(long *)sum += job->cost;
        free(job);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    for (int i = 0; i < JOBS; i++) {
        struct job *job = malloc(sizeof *job);
        job->next = jobs;
        job->cost = i;
        jobs = job;
    }
    pthread_create(&other, NULL, work, &done[1]);
    work(&done[0]);
    pthread_join(other, NULL);
    printf("%ld\n", done[0] + done[1]);
    return 0;
}

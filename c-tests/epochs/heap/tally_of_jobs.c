// Three workers add their step to a tally as often as an input says, and count how often it was a multiple of ten. Main adds up what each has done and
// frees the jobs.
//
// By hand: nobody holds the lock for long, so there is no deadlock, and what the tally is decides nothing. An epoch ends in each round, and the last one
// with the end of main, where the jobs are freed: what was there before is still known to be another object than the tally.
//
// run: enumerate -- @ @
// expect: complete=true deadlocked=0
// exec: 3 5
// stdout: 45 4
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 3

struct tally {
    pthread_mutex_t lock;
    long value;
    long tens;
};

struct job {
    struct tally *tally;
    int rounds;
    int step;
    long done;
};

static void *work(void *arg)
{
    struct job *job = arg;
    for (int i = 0; i < job->rounds; i++) {
        pthread_mutex_lock(&job->tally->lock);
        job->tally->value += job->step;
        if (job->tally->value % 10 == 0)
            job->tally->tens++;
        pthread_mutex_unlock(&job->tally->lock);
        job->done += job->step;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct tally tally = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct job *jobs = calloc(WORKERS, sizeof *jobs);
    pthread_t threads[WORKERS];
    if (jobs == NULL)
        return 1;
    for (int i = 0; i < WORKERS; i++) {
        jobs[i].tally = &tally;
        jobs[i].rounds = atoi(argv[1]);
        jobs[i].step = atoi(argv[2]);
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
            return 1;
    }
    long sum = 0;
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        sum += jobs[i].done;
    }
    free(jobs);
    printf("%ld %ld\n", sum, tally.tens);
    return 0;
}

// Threads held in a heap array and joined last to first: the handles are concrete, so the joins fork nothing.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=7
// constraint: true
// exec: 11
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 6

struct job {
    int id;
    int input;
    int output;
};

static void *worker(void *arg)
{
    struct job *job = arg;
    job->output = job->input * job->id;
    return job;
}

int main(int argc, char **argv)
{
    pthread_t *t = malloc(THREADS * sizeof *t);
    struct job *job = calloc(THREADS, sizeof *job);
    int sum = 0;
    if (argc < 2 || !t || !job)
        return 2;
    for (int i = 0; i < THREADS; i++) {
        job[i].id = i;
        job[i].input = atoi(argv[1]);
        pthread_create(&t[i], NULL, worker, &job[i]);
    }
    for (int i = THREADS - 1; i >= 0; i--) {
        void *result;
        pthread_join(t[i], &result);
        sum += ((struct job *)result)->output;
    }
    printf("%d\n", sum);
    free(job);
    free(t);
    return 0;
}

// Inputs choose two of three gauges, which `main` has allocated one by one and keeps in an array, and two threads move what is in one of
// them to the other, one to and one fro, as often as a third input says. Both locks are taken, that of the gauge with the smaller number
// first. Behind the first epoch nobody knows which gauges they are; but each is one of the three, whose numbers differ and whose locks are free.
//
// By hand: 2 epochs. main starts the threads (1 schedule) and waits for them, while each is in front of its loop: they are done (1), go
// round with the same gauge twice and take no lock (1), or with two of them (1, which leaves open which ones). No deadlock, no null pointer,
// no fourth gauge. (Optimised loops ask at their ends, which divides the schedules otherwise.)
// run: enumerate --conservative-after 0 -- @ @ @
// expect: epochs=2 schedules=4 complete=true deadlocked=0
// levels: O0
// exec: 0 2 3
// stdout: 13 10 7
// exec: 1 1 3
// stdout: 10 10 10
// exec: 3 0 1
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { GAUGES = 3 };

struct gauge {
    pthread_mutex_t lock;
    int number;
    long value;
};

struct task {
    struct gauge *out, *in;
    int rounds, step;
};

static void move(struct gauge *out, struct gauge *in, int step)
{
    if (out == in)
        return;
    struct gauge *low = out->number < in->number ? out : in;
    struct gauge *high = low == out ? in : out;
    pthread_mutex_lock(&low->lock);
    pthread_mutex_lock(&high->lock);
    out->value -= step;
    in->value += step;
    pthread_mutex_unlock(&high->lock);
    pthread_mutex_unlock(&low->lock);
}

static void *work(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->rounds; i++)
        move(task->out, task->in, task->step);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int one = atoi(argv[1]), other = atoi(argv[2]), rounds = atoi(argv[3]);
    if (one < 0 || one >= GAUGES || other < 0 || other >= GAUGES)
        return 2;
    struct gauge **gauges = malloc(GAUGES * sizeof *gauges);
    if (!gauges)
        return 2;
    for (int i = 0; i < GAUGES; i++) {
        gauges[i] = malloc(sizeof **gauges);
        if (!gauges[i])
            return 2;
        pthread_mutex_init(&gauges[i]->lock, NULL);
        gauges[i]->number = i;
        gauges[i]->value = 10;
    }
    struct task to = {gauges[one], gauges[other], rounds, 1}, fro = {gauges[other], gauges[one], rounds, 2};
    pthread_t a, b;
    if (pthread_create(&a, NULL, work, &to) || pthread_create(&b, NULL, work, &fro))
        return 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld %ld %ld\n", gauges[0]->value, gauges[1]->value, gauges[2]->value);
    return 0;
}

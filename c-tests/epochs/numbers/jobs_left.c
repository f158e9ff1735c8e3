// Two clerks take numbered forms from a pile until none is left; main waits until all are taken and stamped, then sends the clerks home.
//
// By hand: 4 epochs and no deadlock. Main waits for `done` only while there are forms, or while one is being stamped, so it must be known
// at the markers, where a clerk waits for forms, that `next` is smaller than `forms`: a relation of two numbers that nobody knows. It
// holds at first, and is kept by who takes a form that is not the last one.
// run: enumerate -- @
// expect: epochs=4 complete=true deadlocked=0
// exec: 1
// stdout: 1 stamped
// exec: 9
// stdout: 9 stamped
// exec: 0
// exit: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pile {
    pthread_mutex_t lock;
    pthread_cond_t more, done;
    int next, forms, stamping, go_home;
    long stamped;
};

static void *clerk(void *arg)
{
    struct pile *pile = arg;
    pthread_mutex_lock(&pile->lock);
    for (;;) {
        while (pile->next == pile->forms && !pile->go_home)
            pthread_cond_wait(&pile->more, &pile->lock);
        if (pile->go_home)
            break;
        pile->next++;
        pile->stamping++;
        pthread_mutex_unlock(&pile->lock);
        // Here the form would be stamped.
        pthread_mutex_lock(&pile->lock);
        pile->stamped++;
        pile->stamping--;
        if (pile->next == pile->forms && pile->stamping == 0)
            pthread_cond_signal(&pile->done);
    }
    pthread_mutex_unlock(&pile->lock);
    return NULL;
}

int main(int argc, char **argv)
{
    int forms = argc > 1 ? atoi(argv[1]) : 10;
    if (forms < 1)
        return 1;
    struct pile *pile = calloc(1, sizeof *pile);
    if (!pile)
        return 1;
    pthread_mutex_init(&pile->lock, NULL);
    pthread_cond_init(&pile->more, NULL);
    pthread_cond_init(&pile->done, NULL);
    pthread_t clerks[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&clerks[i], NULL, clerk, pile);
    pthread_mutex_lock(&pile->lock);
    pile->forms = forms;
    pthread_cond_broadcast(&pile->more);
    while (pile->next != pile->forms || pile->stamping > 0)
        pthread_cond_wait(&pile->done, &pile->lock);
    pile->go_home = 1;
    pthread_cond_broadcast(&pile->more);
    pthread_mutex_unlock(&pile->lock);
    for (int i = 0; i < 2; i++)
        pthread_join(clerks[i], NULL);
    printf("%ld stamped\n", pile->stamped);
    free(pile);
    return 0;
}

// As many tickets as the input says are handed from main to a clerk, one at a time; the ticket with number 0 is the last one.
//
// By hand, with markers in front of both loops' conditions and threads that run in the order of their numbers: 2 epochs with 3
// schedules, no deadlock. The entry has 1. At the markers no ticket is waiting. Either main hands one over, which the clerk takes; or
// it hands over the last one and waits for the clerk, which ends. Who does not know that numbers from 1 upwards are not 0 finds a
// clerk that ends too early. They are not, because signed numbers do not overflow.
// levels: O0
// run: enumerate -- @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// exec: 3
// stdout: 3 tickets, the last one has number 3
// exec: -1
// stdout: 0 tickets, the last one has number 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_waiting, ticket, tickets, last;

static void hand_over(int number)
{
    pthread_mutex_lock(&lock);
    while (is_waiting)
        pthread_cond_wait(&changed, &lock);
    ticket = number;
    is_waiting = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *clerk(void *arg)
{
    for (;;) { //~ clerk
        pthread_mutex_lock(&lock);
        while (!is_waiting)
            pthread_cond_wait(&changed, &lock);
        int number = ticket;
        is_waiting = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        if (number == 0)
            break;
        tickets++;
        last = number;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    int wanted = atoi(argv[1]);
    pthread_create(&t, NULL, clerk, NULL);
    for (int number = 1; number <= wanted; number++) //~ main
        hand_over(number);
    hand_over(0);
    pthread_join(t, NULL);
    printf("%d tickets, the last one has number %d\n", tickets, last);
    return 0;
}

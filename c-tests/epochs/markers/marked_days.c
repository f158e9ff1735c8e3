// Two gardeners go through the twelve months. In the months that are marked for them by a bit of the input, they take the only spade.
//
// By hand: 2 epochs, no deadlock. The loop goes round twelve times, and which of its iterations take the lock is up to the input: two to the
// power of twelve ways for each gardener, if they are followed one by one. So it has a marker, as if it went round any number of times.
// run: enumerate -- @ @
// expect: complete=true epochs=2 deadlocked=0
// exec: 5 3
// stdout: 4 days
// exec: 0 0
// stdout: 0 days
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MONTHS 12

static pthread_mutex_t spade = PTHREAD_MUTEX_INITIALIZER;
static int days;

static void *dig(void *marks)
{
    int marked = *(int *)marks;
    for (int month = 0; month < MONTHS; month++) {
        if ((marked >> month & 1) == 0)
            continue;
        pthread_mutex_lock(&spade);
        days++;
        pthread_mutex_unlock(&spade);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t gardeners[2];
    int marks[2];
    if (argc != 3)
        return 2;
    for (int n = 0; n < 2; n++) {
        marks[n] = atoi(argv[n + 1]);
        pthread_create(&gardeners[n], NULL, dig, &marks[n]);
    }
    for (int n = 0; n < 2; n++)
        pthread_join(gardeners[n], NULL);
    printf("%d days\n", days);
    return 0;
}

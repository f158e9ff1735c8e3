// Sixteen visitors come in by one of two doors, as one bit of the input each says, and are counted under the lock of their door: by an `if`
// with two arms, which do the same with other objects.
//
// By hand: 1 schedule. That the arms are one, with a lock that inputs choose, is what optimisers make of them, too; and where inputs choose
// among objects so often, it is left open which one it is. Model checkers look at all orders for each of the 65,536 ways to choose.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 0
// stdout: 0 16
// exec: 21
// stdout: 3 13
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define VISITORS 16

static pthread_mutex_t north = PTHREAD_MUTEX_INITIALIZER, south = PTHREAD_MUTEX_INITIALIZER;
static int by_north, by_south;
static int doors;

static void *visitor(void *number) {
    if (doors >> (long)number & 1) {
        pthread_mutex_lock(&north);
        by_north++;
        pthread_mutex_unlock(&north);
    } else {
        pthread_mutex_lock(&south);
        by_south++;
        pthread_mutex_unlock(&south);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    doors = atoi(argv[1]);
    pthread_t threads[VISITORS];
    for (long i = 0; i < VISITORS; i++) pthread_create(&threads[i], NULL, visitor, (void *)i);
    for (int i = 0; i < VISITORS; i++) pthread_join(threads[i], NULL);
    printf("%d %d\n", by_north, by_south);
    return 0;
}

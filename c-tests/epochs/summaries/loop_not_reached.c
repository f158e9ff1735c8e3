// A loop that does not synchronise computes in memory, and what is there behind it says which lock is taken. Not every input comes to the
// loop; of those that do not, what is in memory is what was there before.
//
// By hand: 1 epoch with 2 schedules. Behind the loop the number may be any; inputs that do not come there are among those of the second.
// run: enumerate -- @ @
// expect: epochs=1 schedules=2 complete=true
// constraint: argv[2][0] != 'x'
// exec: 3 x
// stdout: 5
// exec: 1 y
// stdout: 0
// exec: 1
// exit: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t five = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int number;

int main(int argc, char **argv)
{
    if (argc < 3)
        return 1;
    int n = atoi(argv[1]);
    if (argv[2][0] == 'x') {
        for (int i = 0; i < n; i++)
            number = number * 3 + i;
    }
    pthread_mutex_t *lock = number == 5 ? &five : &other;
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    printf("%d\n", number);
    return 0;
}

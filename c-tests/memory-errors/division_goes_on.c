// A division by zero has any result: one lock or the other is taken.
// run: enumerate --memory-errors=continue -- 0
// expect: schedules=2 deadlocked=1 complete=true errors=1 behind=2
// memory-error: {divide}: division-by-zero
// run: enumerate --memory-errors=continue -- @
// expect: schedules=2 deadlocked=1 complete=true errors=1
// exec: 0
// error: division-by-zero
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    (void)argc;
    int parts = atoi(argv[1]);
    pthread_mutex_lock(&kept);
    pthread_mutex_lock(12 / parts == 3 ? &kept : &other); //~ divide
    return 0;
}

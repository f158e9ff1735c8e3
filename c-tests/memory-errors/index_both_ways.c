// An index that is an input may be in front of an array or behind it: then it is not known which lock is taken, and it may be either. Inside,
// it is known for each index.
// run: enumerate --memory-errors=continue -- @
// expect: schedules=2 deadlocked=1 complete=true errors=1
// memory-error: {read}: out-of-bounds
// run: enumerate --memory-errors=continue -- 7
// expect: schedules=2 deadlocked=1 complete=true errors=1 behind=2
// run: enumerate --memory-errors=continue -- -1
// expect: schedules=2 deadlocked=1 complete=true errors=1 behind=2
// run: enumerate -- @
// expect: schedules=2 deadlocked=1 complete=true errors=1 behind=0
// levels: O0
// exec: 7
// error: out-of-bounds
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int uses_kept[4] = {0, 1, 0, 1};

int main(int argc, char **argv)
{
    (void)argc;
    int at = atoi(argv[1]);
    pthread_mutex_lock(&kept);
    pthread_mutex_lock(uses_kept[at] ? &kept : &other); //~ read
    return 0;
}

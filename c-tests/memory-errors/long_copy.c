// memcpy of twelve bytes from ten into eight. What fits is copied: the second lock is taken, which is held.
// run: enumerate --memory-errors=continue
// expect: schedules=1 deadlocked=1 complete=true behind=1
// memory-error: {copy}: out-of-bounds: write of 12 bytes
// exec:
// error: out-of-bounds
#include <pthread.h>
#include <string.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
char from[10] = "abcdefg\1x", to[8];
static volatile unsigned long many = 12;

int main(void)
{
    pthread_mutex_lock(&locks[1]);
    memcpy(to, from, many); //~ copy
    pthread_mutex_lock(&locks[to[7] & 1]);
    return 0;
}

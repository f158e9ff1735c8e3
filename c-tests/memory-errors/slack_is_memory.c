// What is written behind a heap object, but where malloc gives memory, is read there again: so one thread waits for ever. It is an error all
// the same.
// run: enumerate --memory-errors=continue -- 5
// expect: schedules=1 deadlocked=1 complete=true errors=2 behind=1
// memory-error: {write}: out-of-bounds
// run: enumerate --memory-errors=continue -- 40
// expect: schedules=2 deadlocked=1 complete=true
// exec: 5
// error: out-of-bounds
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    (void)argc;
    volatile char *text = malloc(5);
    int at = atoi(argv[1]);
    text[at] = 'x'; //~ write
    pthread_mutex_lock(&once);
    if (text[at] == 'x')
        pthread_mutex_lock(&once); /* by itself */
    return 0;
}

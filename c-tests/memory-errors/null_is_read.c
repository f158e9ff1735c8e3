// The length of no string, and a member of no structure. What comes of it decides nothing here but whether a lock is taken once or twice.
// run: enumerate --memory-errors=continue -- 0
// expect: schedules=1 deadlocked=1 complete=true behind=1
// memory-error: {length}: null-pointer
// run: enumerate --memory-errors=continue -- 1
// expect: schedules=2 deadlocked=1 complete=true behind=2
// memory-error: {member}: null-pointer
// run: enumerate -- 0
// ends: memory-error
// exec: 0
// error: null-pointer
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int level;
    int is_twice;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long length;

int main(int argc, char **argv)
{
    const char *volatile name = NULL;
    struct options *volatile options = NULL;
    (void)argc;
    pthread_mutex_lock(&lock);
    if (argv[1][0] == '0') {
        length = strlen(name); //~ length
        pthread_mutex_lock(&lock);
    } else if (options->is_twice) //~ member
        pthread_mutex_lock(&lock);
    return 0;
}

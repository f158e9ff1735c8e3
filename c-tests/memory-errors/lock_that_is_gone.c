// A lock in memory that was freed, and one that nobody knows where it is: nothing can be ordered by them, so the path ends there.
// run: enumerate --memory-errors=continue -- 0
// expect: schedules=1 deadlocked=0 complete=true behind=0
// ends: memory-error
// status: 1
// run: enumerate --memory-errors=continue -- 1
// expect: schedules=1 deadlocked=0 complete=true behind=1
// ends: memory-error
// memory-error: {read}: use-after-free
// status: 1
// exec: 0
// error: use-after-free
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    pthread_mutex_t *other;
};

int main(int argc, char **argv)
{
    (void)argc;
    struct account *volatile account = malloc(sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    account->other = &account->lock;
    free(account);
    if (argv[1][0] == '0')
        pthread_mutex_lock(&account->lock);
    else
        pthread_mutex_lock(account->other); //~ read
    return 0;
}

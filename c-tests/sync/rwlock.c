// Readers share a lock, a writer does not; the writer's value comes from the input.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0 max_live_threads=4
// constraint: true
// exec: 6
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[2];

static void *reader(void *arg)
{
    int id = (int)(long)arg;
    pthread_rwlock_rdlock(&lock);
    seen[id] = value;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    value = *(int *)arg;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t r[2], w;
    if (argc < 2)
        return 2;
    int n = atoi(argv[1]);
    pthread_create(&w, NULL, writer, &n);
    pthread_create(&r[0], NULL, reader, (void *)0L);
    pthread_create(&r[1], NULL, reader, (void *)1L);
    pthread_join(w, NULL);
    pthread_join(r[0], NULL);
    pthread_join(r[1], NULL);
    pthread_rwlock_rdlock(&lock);
    printf("second reader %d, writer %d\n", pthread_rwlock_tryrdlock(&lock),
           pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    printf("%d %d\n", value, (seen[0] == 0 || seen[0] == n) && (seen[1] == 0 || seen[1] == n));
    return 0;
}

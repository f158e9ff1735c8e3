// A loop reads the lines of a file. The last `mode=` decides whether a worker leaves with the lock held.
//
// By hand: two schedules, one of them a deadlock. 32 unknown bytes are a handful of lines, and nothing of the stream is
// in a constraint.
// ignore-native: only what is found is compared
// run: check --sym-file conf=32 -- conf
// finding: confirmed deadlock/leaked-lock: T2 waits for lock, leaked by T1 at ...
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int mode;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    if (mode == 3)
        return arg;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    char line[40];
    int n;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return 2;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        if (sscanf(line, "mode=%d", &n) == 1)
            mode = n;
    }
    fclose(file);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

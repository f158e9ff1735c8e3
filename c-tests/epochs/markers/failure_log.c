// Two workers take names of files from a list and count their bytes; a failure is logged under a lock and the worker goes on,
// as in pfscan. So failures are no prefixes of other schedules, and each of them doubles what is to be covered.
//
// By hand, with a marker in front of the workers' endless loop (the loop that reads does not synchronise) and threads that
// run in the order of their numbers: 3 epochs with 9 schedules, no deadlock. The entry has 1. From both markers there are 4
// if two names or more are left, as each file can be opened or not; 2 if one is left, and the second worker ends; and 1 if
// none is. When only the first worker is there, no name is left, which is 1, to the end (or 3 if this is not known, 11 in all).
// exec: /dev/null nosuchfile /dev/null
// stdout: 2 files, 0 bytes, 1 failures
// exec: nosuchfile
// exec:
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static char **names;
static int count, next, failures, files;
static long bytes;

static void scan(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file) {
        pthread_mutex_lock(&log_lock);
        fprintf(stderr, "cannot open %s\n", name);
        failures++;
        pthread_mutex_unlock(&log_lock);
        return;
    }
    long length = 0;
    while (getc(file) != EOF)
        length++;
    fclose(file);
    pthread_mutex_lock(&result_lock);
    files++;
    bytes += length;
    pthread_mutex_unlock(&result_lock);
}

static void *worker(void *arg)
{
    for (;;) { //~ loop
        pthread_mutex_lock(&list_lock);
        const char *name = next < count ? names[next++] : NULL;
        pthread_mutex_unlock(&list_lock);
        if (!name)
            return arg;
        scan(name);
    }
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    names = argv + 1;
    count = argc - 1;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d files, %ld bytes, %d failures\n", files, bytes, failures);
    return 0;
}

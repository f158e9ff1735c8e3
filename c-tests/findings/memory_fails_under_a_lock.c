// There is no memory for an entry of a journal, and the way out keeps the lock of the journal.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --may-fail malloc
// finding: confirmed deadlock/leaked-lock: T2 waits for journal ... []
#include <pthread.h>
#include <stdlib.h>

struct entry {
    struct entry *next;
    int number;
};

static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static struct entry *newest;

static int note(int number)
{
    pthread_mutex_lock(&journal);
    struct entry *entry = malloc(sizeof *entry);
    if (!entry) {
#ifdef FIXED
        pthread_mutex_unlock(&journal);
#endif
        return -1;
    }
    entry->number = number;
    entry->next = newest;
    newest = entry;
    pthread_mutex_unlock(&journal);
    return 0;
}

static void *writer(void *arg)
{
    note((int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, writer, (void *)i))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

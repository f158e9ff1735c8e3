// For one sort of line nobody posts: the line is read from a file and taken apart by sscanf.
// ignore-native: only what is found is compared
// mended: -DFIXED
// run: check --only deadlock --sym-file jobs=8 -- jobs
// finding: confirmed deadlock/no-post: T0 waits for ready to be posted; nobody is left who would post
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t ready;

static void *producer(void *line)
{
    char name[8];
    int value;
    if (sscanf(line, "%7[a-z]=%d", name, &value) == 2 && strcmp(name, "go") != 0 && value > 3) {
#ifdef FIXED
        sem_post(&ready);
#endif
        return line;
    }
    sem_post(&ready);
    return NULL;
}

int main(void)
{
    char line[12];
    pthread_t thread;
    sem_init(&ready, 0, 0);
    FILE *file = fopen("jobs", "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        return 2;
    fclose(file);
    pthread_create(&thread, NULL, producer, line);
    sem_wait(&ready);
    pthread_join(thread, NULL);
    return 0;
}

// As copied_argument.c, but the copy has no room for the terminator: every input writes one byte behind it. To find this,
// and not to blame copied_argument.c, the string's end must be known exactly.
// run: enumerate --without epochs -- @
// expect: epochs=1 complete=true deadlocked=0
// status: 1
// exec: word
// error: out-of-bounds
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text));
    if (!copy)
        abort();
    strcpy(copy, text); //~ out-of-bounds
    return copy;
}

static void *worker(void *arg)
{
    char *word = copy_of(arg);
    pthread_mutex_lock(&lock);
    puts(word);
    pthread_mutex_unlock(&lock);
    free(word);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 2)
        return 2;
    pthread_create(&t, NULL, worker, argv[1]);
    pthread_join(t, NULL);
    return 0;
}

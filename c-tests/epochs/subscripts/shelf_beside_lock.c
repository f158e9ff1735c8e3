// Two clerks look up a word as often as an input says, on a shelf that takes sixteen; whoever does not find it puts it there under the
// writers' lock. The lock, the words and how many there are, are in one structure.
//
// By hand: no deadlock, everybody unlocks what he has locked. Words are put behind the last one, which is on the shelf: nothing is written
// to the lock in front of it, whatever is forgotten of how many there are.
// run: enumerate -- @ 9
// expect: complete=true deadlocked=0
// levels: O0
// exec: 3 9
// stdout: 6 found, 3 words
// exec: 0 1
// stdout: 0 found, 2 words
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CLERKS 2
#define WORDS 16

struct shelf {
    pthread_rwlock_t lock;
    int words[WORDS];
    int pages[WORDS];
    int count;
};

static struct shelf *shelf;
static int lookups, word, found;
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;

static int search(const struct shelf *s, int wanted)
{
    for (int n = 0; n < s->count; n++)
        if (s->words[n] == wanted)
            return n;
    return -1;
}

static int look_up(struct shelf *s, int wanted)
{
    pthread_rwlock_rdlock(&s->lock);
    int at = search(s, wanted);
    pthread_rwlock_unlock(&s->lock);
    if (at >= 0)
        return 1;
    pthread_rwlock_wrlock(&s->lock);
    at = search(s, wanted);
    if (at < 0 && s->count < WORDS) {
        at = s->count++;
        s->words[at] = wanted;
        s->pages[at] = wanted * 10;
    }
    pthread_rwlock_unlock(&s->lock);
    return 1;
}

static void *serve(void *unused)
{
    int own = 0;
    for (int n = 0; n < lookups; n++)
        own += look_up(shelf, word);
    pthread_mutex_lock(&counter);
    found += own;
    pthread_mutex_unlock(&counter);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t clerks[CLERKS];
    if (argc != 3)
        return 2;
    lookups = atoi(argv[1]);
    word = atoi(argv[2]);
    shelf = calloc(1, sizeof *shelf);
    if (!shelf)
        return 1;
    pthread_rwlock_init(&shelf->lock, NULL);
    for (int n = 1; n <= 2; n++)
        shelf->words[shelf->count++] = n;
    for (int n = 0; n < CLERKS; n++)
        pthread_create(&clerks[n], NULL, serve, NULL);
    for (int n = 0; n < CLERKS; n++)
        pthread_join(clerks[n], NULL);
    printf("%d found, %d words\n", found, shelf->count);
    free(shelf);
    return 0;
}

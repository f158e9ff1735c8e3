// A shelf with room for two letters, which two clerks take; for each of them a mark says that the day is over.
//
// By hand: the marks are the last that is put there, one for each clerk, so each clerk comes to one. Optimisers count places modulo two by turning one
// bit over.
//
// run: enumerate --without whole-runs --sym-stdin 3
// expect: complete=true deadlocked=0
// exec:
// stdin: abc
// stdout: 1
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define ROOM 2
#define CLERKS 2

static int shelf[ROOM], put_at, take_at, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER, letters = PTHREAD_COND_INITIALIZER;

static void put(int letter)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&room, &lock);
    shelf[put_at] = letter;
    put_at = (put_at + 1) % ROOM;
    count++;
    pthread_cond_signal(&letters);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&letters, &lock);
    int letter = shelf[take_at];
    take_at = (take_at + 1) % ROOM;
    count--;
    pthread_cond_signal(&room);
    pthread_mutex_unlock(&lock);
    return letter;
}

static void *clerk(void *arg)
{
    long *sum = arg;
    for (int letter; (letter = take()) != -1;) {
        if (letter == ' ')
            continue;
        *sum = *sum * 3 + letter;
    }
    return NULL;
}

int main(void)
{
    pthread_t clerks[CLERKS];
    long sums[CLERKS] = {0};
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerks[i], NULL, clerk, &sums[i]);
    unsigned char c;
    while (read(0, &c, 1) == 1) {
        if (c == '.')
            break;
        put(c);
    }
    for (int i = 0; i < CLERKS; i++)
        put(-1);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    printf("%d\n", sums[0] >= 0);
    return 0;
}

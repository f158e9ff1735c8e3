// A program defines functions that the models of others call: its own are for its own calls. Here `fstat` and `strlen` would recurse
// without end, and `write` and `memcpy` would end the process.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// ends: exit
// exec: 7
// cflags: -fno-builtin
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int calls;

int fstat(int fd, struct stat *to)
{
    calls++;
    return fstatat(fd, "", to, 0x1000);
}

size_t strlen(const char *s)
{
    calls++;
    return strnlen(s, 100);
}

ssize_t write(int fd, const void *from, size_t n)
{
    abort();
}

void *memcpy(void *to, const void *from, size_t n)
{
    abort();
}

static int puts_again(const char *s)
{
    return puts(s);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    calls += strlen("four") == 4;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    struct stat s;
    char text[40];
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    int known = fstat(0, &s) == 0;
    snprintf(text, sizeof text, "%s %d", "calls:", calls);
    puts_again(text);
    return !known && argc > 100;
}

// System calls by number, as threads need them where headers have no function: the same as the functions.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// ends: exit
// exec:
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pid_t other;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    other = syscall(SYS_gettid);
    syscall(SYS_sched_yield);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    unsigned cpu = 9999, node = 9999;
    struct timespec now = { 0, -1 }, shortly = { 0, 1000 };
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    int same = syscall(SYS_gettid) == gettid() && syscall(SYS_getpid) == getpid() && other != gettid();
    int asked = syscall(SYS_getcpu, &cpu, &node, NULL) == 0 && cpu != 9999 && node != 9999;
    int timed = syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0 && now.tv_nsec >= 0;
    int slept = syscall(SYS_nanosleep, &shortly, NULL) == 0;
    fflush(stdout);
    long written = syscall(SYS_write, 1, "text\n", 5);
    errno = 0;
    int refused = syscall(SYS_close, -1) == -1 && errno == EBADF;
    if (same && asked && timed && slept && written == 5 && refused)
        puts("all");
    return 0;
}

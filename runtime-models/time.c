/* Clocks and sleeping. Time is an input of the symbolic domain; a sleep lets the others run and takes no time. */
#include "ics.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "ics_thread.h"

static int host_clock(clockid_t clock, struct timespec *t) {
    long now[2];
    long error = __ics_host_clock((int)clock, now);
    if (error < 0) {
        errno = (int)-error;
        return -1;
    }
    t->tv_sec = now[0];
    t->tv_nsec = now[1];
    return 0;
}

/* Seconds since 1970 as an input; a few hundred years of them. */
static long input_seconds(const char *name) {
    unsigned long seconds = __ics_input(name, 64);
    __ics_assume(seconds < 1ul << 34);
    return (long)seconds;
}

static long input_below(const char *name, unsigned long limit) {
    unsigned long value = __ics_input(name, 64);
    __ics_assume(value < limit);
    return (long)value;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
    if (!__ics_is_symbolic_domain()) return host_clock(clock, t);
    t->tv_sec = input_seconds("clock_gettime.tv_sec");
    t->tv_nsec = input_below("clock_gettime.tv_nsec", 1000000000);
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *t) {
    if (t) *t = (struct timespec){0, 1};
    return 0;
}

time_t time(time_t *to) {
    struct timespec now = {0, 0};
    if (__ics_is_symbolic_domain()) now.tv_sec = input_seconds("time");
    else host_clock(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *t, int base) {
    if (base != TIME_UTC) return 0;
    clock_gettime(CLOCK_REALTIME, t);
    return base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    if (zone) *(struct timezone *)zone = (struct timezone){0, 0};
    if (!t) return 0;
    if (__ics_is_symbolic_domain()) {
        t->tv_sec = input_seconds("gettimeofday.tv_sec");
        t->tv_usec = input_below("gettimeofday.tv_usec", 1000000);
        return 0;
    }
    struct timespec now;
    if (host_clock(CLOCK_REALTIME, &now)) return -1;
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

clock_t clock(void) {
    if (__ics_is_symbolic_domain()) return input_below("clock", 1ul << 50);
    struct timespec now = {0, 0};
    host_clock(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / 1000;
}

clock_t times(struct tms *t) {
    clock_t now = clock() / (CLOCKS_PER_SEC / 100);
    if (t) *t = (struct tms){.tms_utime = now};
    return now;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    __ics_memset(usage, 0, sizeof *usage);
    clock_t now = clock();
    usage->ru_utime.tv_sec = now / CLOCKS_PER_SEC;
    usage->ru_utime.tv_usec = now % CLOCKS_PER_SEC;
    return 0;
}

double difftime(time_t a, time_t b) {
    return (double)a - (double)b;
}

/* --- sleeping --- */

static void pause_thread(void) {
    ics_cancellation_point();
    __ics_pause();
    ics_cancellation_point();
}

unsigned sleep(unsigned seconds) {
    pause_thread();
    return 0;
}

int usleep(useconds_t microseconds) {
    pause_thread();
    return 0;
}

int nanosleep(const struct timespec *duration, struct timespec *left) {
    if (duration->tv_nsec < 0 || duration->tv_nsec >= 1000000000 || duration->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    pause_thread();
    if (left) *left = (struct timespec){0, 0};
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *left) {
    if (duration->tv_nsec < 0 || duration->tv_nsec >= 1000000000) return EINVAL;
    pause_thread();
    if (left) *left = (struct timespec){0, 0};
    return 0;
}

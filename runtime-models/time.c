/* Clocks and sleeping. Time is an input of the symbolic domain, and a sleep there only lets the others run. */
#include "ics.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "ics_thread.h"

#define SECOND 1000000000l

/* A clock of the concrete domain, in nanoseconds; negative if there is none with this number. What runs is the run's
 * own clock: a sleep takes no time but is seen by every clock. */
static long now(clockid_t clock) {
    static long start; /* of CLOCK_REALTIME */
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        if (start == 0) {
            long host[2];
            __ics_host_clock(CLOCK_REALTIME, host);
            start = host[0] * SECOND + host[1] - (long)__ics_clock(0);
        }
        return start + (long)__ics_clock(0);
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return 100000 * SECOND + (long)__ics_clock(0);
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID: return (long)__ics_clock(1);
    default: return -1;
    }
}

int ics_valid_time(const struct timespec *t) {
    return t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

/* A time so far away that it never comes. */
static long saturated(const struct timespec *t) {
    if (t->tv_sec > 1l << 32) return 1l << 62;
    return t->tv_sec * SECOND + t->tv_nsec;
}

unsigned long ics_deadline_after(const struct timespec *duration) {
    if (__ics_is_symbolic_domain()) return ICS_WHEN_STUCK;
    return __ics_clock(0) + (unsigned long)saturated(duration);
}

unsigned long ics_deadline(int clock, const struct timespec *time) {
    if (__ics_is_symbolic_domain()) return ICS_WHEN_STUCK;
    long left = time->tv_sec < 0 ? 0 : saturated(time) - now(clock);
    return __ics_clock(0) + (unsigned long)(left < 0 ? 0 : left);
}

static int concrete_clock(clockid_t clock, struct timespec *t) {
    long ns = now(clock);
    if (ns < 0) {
        errno = EINVAL;
        return -1;
    }
    *t = (struct timespec){ns / SECOND, ns % SECOND};
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
    if (!__ics_is_symbolic_domain()) return concrete_clock(clock, t);
    t->tv_sec = input_seconds("clock_gettime.tv_sec");
    t->tv_nsec = input_below("clock_gettime.tv_nsec", 1000000000);
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *t) {
    if (clock < 0 || clock > CLOCK_TAI || clock == 10) {
        errno = EINVAL;
        return -1;
    }
    int coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
    if (t) *t = (struct timespec){0, coarse ? 4000000 : 1};
    return 0;
}

int clock_settime(clockid_t clock, const struct timespec *t) {
    errno = clock == CLOCK_REALTIME ? EPERM : EINVAL;
    return -1;
}

int clock_getcpuclockid(pid_t pid, clockid_t *clock) {
    if (pid != 0 && pid != getpid()) return ESRCH;
    *clock = CLOCK_PROCESS_CPUTIME_ID;
    return 0;
}

time_t time(time_t *to) {
    struct timespec now = {0, 0};
    if (__ics_is_symbolic_domain()) now.tv_sec = input_seconds("time");
    else concrete_clock(CLOCK_REALTIME, &now);
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
    if (concrete_clock(CLOCK_REALTIME, &now)) return -1;
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

int ftime(struct timeb *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *to = (struct timeb){.time = now.tv_sec, .millitm = (unsigned short)(now.tv_nsec / 1000000)};
    return 0;
}

clock_t clock(void) {
    if (__ics_is_symbolic_domain()) return input_below("clock", 1ul << 50);
    struct timespec now = {0, 0};
    concrete_clock(CLOCK_PROCESS_CPUTIME_ID, &now);
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

/* Until the deadline; 0, or EINTR when a handler ran before. */
static int sleep_until(unsigned long deadline) {
    struct ics_thread *t = ics_self();
    ics_cancellation_point();
    if (__ics_is_symbolic_domain()) {
        __ics_pause();
        ics_cancellation_point();
        return 0;
    }
    for (;;) {
        enum ics_woken woken = ics_wait_cancellable(&t->name, deadline);
        if (woken == ICS_TIMED_OUT) return 0;
        if (woken == ICS_INTERRUPTED || woken == ICS_RESTART) return EINTR;
    }
}

static int sleep_for(const struct timespec *duration, struct timespec *left) {
    unsigned long deadline = ics_deadline_after(duration);
    int error = sleep_until(deadline);
    unsigned long ns = error && deadline > __ics_clock(0) ? deadline - __ics_clock(0) : 0;
    if (left) *left = (struct timespec){(long)(ns / SECOND), (long)(ns % SECOND)};
    return error;
}

unsigned sleep(unsigned seconds) {
    struct timespec duration = {seconds, 0}, left;
    sleep_for(&duration, &left);
    return (unsigned)(left.tv_sec + (left.tv_nsec >= SECOND / 2));
}

static int result(int error) {
    if (error == 0) return 0;
    errno = error;
    return -1;
}

int usleep(useconds_t microseconds) {
    struct timespec duration = {microseconds / 1000000, microseconds % 1000000 * 1000l};
    return result(sleep_for(&duration, 0));
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *left) {
    if (clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
    if (clock < 0 || clock > CLOCK_TAI || clock == 10) return EINVAL;
    if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE)
        return ENOTSUP;
    if (!ics_valid_time(duration) || duration->tv_sec < 0) return EINVAL;
    if (flags & TIMER_ABSTIME) return sleep_until(ics_deadline(clock, duration));
    return sleep_for(duration, left);
}

int nanosleep(const struct timespec *duration, struct timespec *left) {
    return result(clock_nanosleep(CLOCK_REALTIME, 0, duration, left));
}

/* The processor's counter: the frontend calls this for `rdtsc`. */
unsigned long __ics_time_stamp(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
}

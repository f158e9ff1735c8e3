/* Time goes on when threads sleep or time out, and a little with each look at it; so every run sees the same. */
#include "explorer.h"

#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)
#define SECOND 1000000000ull
/* Looks at a clock after which a millisecond has passed. */
#define LOOKS 1000

static uint64_t now = 1700000000ull * SECOND;

static uint64_t look(void) {
    static unsigned looks;
    if (++looks % LOOKS == 0) {
        now += SECOND / 1000;
        not_in_a_cycle(self);
    }
    return now;
}

static struct timespec as_time(uint64_t nanoseconds) {
    return (struct timespec){(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
}

static uint64_t as_number(const struct timespec *time) {
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

void time_passes(const struct timespec *until) {
    if (until && as_number(until) > now) {
        now = as_number(until);
        not_in_a_cycle(self);
    }
}

static void sleeps_for(uint64_t nanoseconds, const void *caller) {
    void cancellation_point(const void *);
    cancellation_point(caller);
    announce(OP_sleep, 0, 0, 0, caller);
    now += nanoseconds;
}

time_t __wrap_time(time_t *to) {
    time_t seconds = as_time(look()).tv_sec;
    if (to) *to = seconds;
    return seconds;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *to) {
    (void)clock;
    *to = as_time(look());
    return 0;
}

int __wrap_timespec_get(struct timespec *to, int base) {
    *to = as_time(look());
    return base;
}

int __wrap_gettimeofday(struct timeval *to, void *zone) {
    (void)zone;
    struct timespec time = as_time(look());
    *to = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

clock_t __wrap_clock(void) {
    return (clock_t)((look() - 1700000000ull * SECOND) / 1000);
}

unsigned __wrap_sleep(unsigned seconds) {
    sleeps_for(seconds * SECOND, CALLER);
    return 0;
}

int __wrap_usleep(useconds_t microseconds) {
    sleeps_for(microseconds * 1000ull, CALLER);
    return 0;
}

int __wrap_nanosleep(const struct timespec *duration, struct timespec *left) {
    (void)left;
    sleeps_for(as_number(duration), CALLER);
    return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    (void)clock, (void)left;
    uint64_t number = as_number(time);
    if (flags & TIMER_ABSTIME) number = number > now ? number - now : 0;
    sleeps_for(number, CALLER);
    return 0;
}

int __wrap_thrd_sleep(const struct timespec *duration, struct timespec *left) {
    (void)left;
    sleeps_for(as_number(duration), CALLER);
    return 0;
}

int __wrap_sched_yield(void) {
    announce(OP_yield, 0, 0, 0, CALLER);
    return 0;
}

int __wrap_pthread_yield(void) {
    announce(OP_yield, 0, 0, 0, CALLER);
    return 0;
}

void __wrap_thrd_yield(void) {
    announce(OP_yield, 0, 0, 0, CALLER);
}

/* Timers that send signals: alarm, setitimer, timer_create. A hidden thread waits for the earliest one. In the
 * symbolic domain no timer ever expires: an alarm whose signal would end the process only makes it end early, which is
 * a prefix of a schedule; everything else is unsupported there. */
#include "ics_signal.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define TIMERS 64
/* The first is that of alarm and ITIMER_REAL. */
#define ALARM 0

static struct timer {
    int used;
    int signal; /* 0: none */
    clockid_t clock;
    unsigned long deadline; /* 0: disarmed */
    unsigned long interval;
    int overrun;
    union sigval value;
} timers[TIMERS] = {{.used = 1, .signal = SIGALRM}};
static int watching, alarm_set;

#define SECOND 1000000000ul

static int fail(int error) {
    errno = error;
    return -1;
}

int ics_alarm_is_set(void) {
    return alarm_set;
}

static unsigned long earliest(void) {
    unsigned long first = ICS_FOREVER;
    for (int i = 0; i < TIMERS; i++)
        if (timers[i].deadline && timers[i].deadline < first) first = timers[i].deadline;
    return first;
}

static void expire(struct timer *t, unsigned long now) {
    t->overrun = t->interval ? (int)((now - t->deadline) / t->interval) : 0;
    t->deadline = t->interval ? t->deadline + (1 + (unsigned long)t->overrun) * t->interval : 0;
    if (t->signal) ics_send(0, t->signal, t == &timers[ALARM] ? SI_KERNEL : SI_TIMER, t->value);
}

static void *watch(void *unused) {
    while (earliest() != ICS_FOREVER) {
        __ics_wait_timed(timers, earliest());
        unsigned long now = __ics_clock(0);
        for (int i = 0; i < TIMERS; i++)
            if (timers[i].deadline && timers[i].deadline <= now) expire(&timers[i], now);
    }
    watching = 0;
    __ics_thread_exit();
}

static void arm(struct timer *t, unsigned long after, unsigned long interval) {
    t->interval = interval;
    t->deadline = after ? __ics_clock(0) + after : 0;
    t->overrun = 0;
    if (watching) {
        __ics_notify_all(timers);
        return;
    }
    if (earliest() == ICS_FOREVER) return;
    watching = 1;
    __ics_threads[ICS_TIMER_SLOT].state = ICS_RUNNING;
    __ics_thread_create(watch, 0, ICS_TIMER_SLOT);
}

static unsigned long left(const struct timer *t) {
    unsigned long now = __ics_clock(0);
    return t->deadline > now ? t->deadline - now : t->deadline ? 1 : 0;
}

unsigned alarm(unsigned seconds) {
    if (__ics_is_symbolic_domain()) {
        if (seconds && ics_has_handler(SIGALRM)) __ics_unsupported("alarm with a handler");
        alarm_set = seconds != 0;
        return 0;
    }
    unsigned long before = left(&timers[ALARM]);
    arm(&timers[ALARM], seconds * SECOND, 0);
    /* Rounded, but never to 0. */
    return before ? before < SECOND ? 1 : (unsigned)((before + SECOND / 2) / SECOND) : 0;
}

static unsigned long nanoseconds(const struct timeval *t) {
    return (unsigned long)t->tv_sec * SECOND + (unsigned long)t->tv_usec * 1000;
}

static struct timeval timeval(unsigned long ns) {
    return (struct timeval){(long)(ns / SECOND), (long)(ns % SECOND / 1000)};
}

int getitimer(__itimer_which_t which, struct itimerval *value) {
    if (which < ITIMER_REAL || which > ITIMER_PROF) return fail(EINVAL);
    __ics_memset(value, 0, sizeof *value);
    if (which != ITIMER_REAL || __ics_is_symbolic_domain()) return 0;
    value->it_value = timeval(left(&timers[ALARM]));
    value->it_interval = timeval(timers[ALARM].interval);
    return 0;
}

static int valid_timeval(const struct timeval *t) {
    return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000;
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old) {
    if (which < ITIMER_REAL || which > ITIMER_PROF) return fail(EINVAL);
    if (value && (!valid_timeval(&value->it_value) || !valid_timeval(&value->it_interval))) return fail(EINVAL);
    unsigned long after = value ? nanoseconds(&value->it_value) : 0;
    if (old) getitimer(which, old);
    if (after && __ics_is_symbolic_domain()) __ics_unsupported("setitimer");
    if (which == ITIMER_REAL && !__ics_is_symbolic_domain())
        arm(&timers[ALARM], after, value ? nanoseconds(&value->it_interval) : 0);
    else if (after) __ics_unsupported("setitimer of processor time");
    return 0;
}

useconds_t ualarm(useconds_t after, useconds_t interval) {
    struct itimerval value = {timeval(interval * 1000ul), timeval(after * 1000ul)}, old;
    if (setitimer(ITIMER_REAL, &value, &old)) return (useconds_t)-1;
    return (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}

/* A timer_t is the index. */
static struct timer *find(timer_t id) {
    unsigned long index = (unsigned long)id;
    return index > ALARM && index < TIMERS && timers[index].used ? &timers[index] : 0;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("timer_create");
    if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
        __ics_unsupported("a timer of processor time");
    if (clock < 0 || clock > CLOCK_TAI) return fail(EINVAL);
    if (event && event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_NONE)
        __ics_unsupported("a timer that starts threads");
    unsigned long index = ALARM + 1;
    while (index < TIMERS && timers[index].used) index++;
    if (index == TIMERS) return fail(EAGAIN);
    struct timer *t = &timers[index];
    if (event && event->sigev_notify == SIGEV_SIGNAL && (event->sigev_signo < 1 || event->sigev_signo > 64))
        return fail(EINVAL);
    *t = (struct timer){.used = 1, .signal = SIGALRM, .clock = clock, .value.sival_ptr = (void *)index};
    if (event) {
        t->signal = event->sigev_notify == SIGEV_NONE ? 0 : event->sigev_signo;
        t->value = event->sigev_value;
    }
    *id = (timer_t)index;
    return 0;
}

int timer_delete(timer_t id) {
    struct timer *t = find(id);
    if (!t) return fail(EINVAL);
    arm(t, 0, 0);
    t->used = 0;
    return 0;
}

static struct timespec timespec(unsigned long ns) {
    return (struct timespec){(long)(ns / SECOND), (long)(ns % SECOND)};
}

int timer_gettime(timer_t id, struct itimerspec *value) {
    struct timer *t = find(id);
    if (!t) return fail(EINVAL);
    value->it_value = timespec(left(t));
    value->it_interval = timespec(t->interval);
    return 0;
}

int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict old) {
    struct timer *t = find(id);
    if (!t || !value) return fail(EINVAL);
    const struct timespec *first = &value->it_value, *then = &value->it_interval;
    if (!ics_valid_time(first) || !ics_valid_time(then) || first->tv_sec < 0) return fail(EINVAL);
    if (old) timer_gettime(id, old);
    unsigned long after = 0;
    if (first->tv_sec || first->tv_nsec) {
        unsigned long now = __ics_clock(0);
        unsigned long at = flags & TIMER_ABSTIME ? ics_deadline(t->clock, first) : ics_deadline_after(first);
        after = at > now ? at - now : 1;
    }
    arm(t, after, (unsigned long)then->tv_sec * SECOND + (unsigned long)then->tv_nsec);
    return 0;
}

int timer_getoverrun(timer_t id) {
    struct timer *t = find(id);
    return t ? t->overrun : fail(EINVAL);
}

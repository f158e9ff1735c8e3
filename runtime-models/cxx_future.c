/* What futures of libstdc++ wait with: std::__atomic_futex_unsigned_base. Names are those of the Itanium C++ ABI. */
#include "ics.h"

#include <time.h>

#include "ics_thread.h"

/* Waits while the word is `value`; whether it did not time out. */
static _Bool wait_while(unsigned *word, unsigned value, unsigned long deadline) {
    __ics_event(word, ICS_EXCLUSIVE);
    return *word != value || ics_wait(word, deadline) != ICS_TIMED_OUT;
}

static unsigned long deadline_of(int clock, _Bool has_timeout, long seconds, long nanoseconds) {
    struct timespec time = {seconds, nanoseconds};
    return has_timeout ? ics_deadline(clock, &time) : ICS_FOREVER;
}

/* _M_futex_wait_until(unsigned *, unsigned, bool, std::chrono::seconds, std::chrono::nanoseconds) */
_Bool
_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *self, unsigned *word, unsigned value, _Bool has_timeout, long seconds, long nanoseconds) {
    return wait_while(word, value, deadline_of(CLOCK_REALTIME, has_timeout, seconds, nanoseconds));
}

/* The same by std::chrono::steady_clock. */
_Bool
_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *self, unsigned *word, unsigned value, _Bool has_timeout, long seconds, long nanoseconds) {
    return wait_while(word, value, deadline_of(CLOCK_MONOTONIC, has_timeout, seconds, nanoseconds));
}

/* _M_futex_notify_all(unsigned *) */
void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(unsigned *word) {
    __ics_event(word, ICS_EXCLUSIVE);
    __ics_notify_all(word);
    ics_yield();
}

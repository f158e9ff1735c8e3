/* Signals, shared by signals.c and timers.c. */
#ifndef ICS_SIGNAL_H
#define ICS_SIGNAL_H

#include "ics.h"

#include <signal.h>

#include "ics_thread.h"

#define ICS_LAST_SIGNAL 64

static inline unsigned long ics_signal_bit(int number) {
    return 1ul << (number - 1);
}

static inline int ics_is_any_signal(int number) {
    return number >= 1 && number <= ICS_LAST_SIGNAL;
}

/* 32 and 33 are the C library's own. */
static inline int ics_is_signal(int number) {
    return ics_is_any_signal(number) && number != 32 && number != 33;
}

/* Sends a signal to a thread, or to the process (null). */
void ics_send(struct ics_thread *t, int number, int code, union sigval value);
/* Whether a program's handler is set for a signal. */
int ics_has_handler(int number);
/* In the symbolic domain: whether an alarm was set, which then must not get a handler. */
int ics_alarm_is_set(void);
/* Ends the process as the signal's default action does. */
_Noreturn void ics_die(int number);

#endif

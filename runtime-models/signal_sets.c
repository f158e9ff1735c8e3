/* Sets of signals. Of glibc's 1024 bits the first word is all that Linux has. */
#include "ics_signal.h"

#include <errno.h>

static int fail(int error) {
    errno = error;
    return -1;
}

int sigemptyset(sigset_t *set) {
    __ics_memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set) {
    __ics_memset(set, 0xff, sizeof *set);
    set->__val[0] &= ~(ics_signal_bit(32) | ics_signal_bit(33));
    return 0;
}

int sigaddset(sigset_t *set, int number) {
    if (!ics_is_signal(number)) return fail(EINVAL);
    set->__val[0] |= ics_signal_bit(number);
    return 0;
}

int sigdelset(sigset_t *set, int number) {
    if (!ics_is_signal(number)) return fail(EINVAL);
    set->__val[0] &= ~ics_signal_bit(number);
    return 0;
}

int sigismember(const sigset_t *set, int number) {
    if (!ics_is_any_signal(number)) return fail(EINVAL);
    return set->__val[0] >> (number - 1) & 1;
}

int sigisemptyset(const sigset_t *set) {
    return set->__val[0] == 0;
}

int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b) {
    to->__val[0] = a->__val[0] & b->__val[0];
    return 0;
}

int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b) {
    to->__val[0] = a->__val[0] | b->__val[0];
    return 0;
}

/* What SIGRTMIN and SIGRTMAX are. */
int __libc_current_sigrtmin(void) {
    return 34;
}

int __libc_current_sigrtmax(void) {
    return ICS_LAST_SIGNAL;
}

/* Signals that the program sends itself. A handler runs in the thread that gets the signal: at once if that is the
 * caller, else when that thread next leaves a model, or between two of its instructions if it is in none. In the
 * symbolic domain only a thread's signals to itself are handled, and those to threads that wait for them; nothing
 * outside sends any. */
#include "ics_signal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static struct sigaction actions[ICS_LAST_SIGNAL + 1];
/* Sent to the process while every thread blocks it. */
static unsigned long process_pending;
/* What came with the last one of each number. */
static struct {
    int code;
    union sigval value;
} sent[ICS_LAST_SIGNAL + 1];
int ics_signalled;

static int fail(int error) {
    errno = error;
    return -1;
}

static int is_ignored_by_default(int number) {
    return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static int is_stop(int number) {
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static int is_ignored(int number) {
    sighandler_t handler = actions[number].sa_handler;
    return handler == SIG_IGN || (handler == SIG_DFL && is_ignored_by_default(number));
}

int ics_has_handler(int number) {
    return actions[number].sa_handler != SIG_DFL && actions[number].sa_handler != SIG_IGN;
}

void ics_die(int number) {
    if (is_stop(number)) __ics_unsupported("a signal that stops the process");
    if (number == SIGABRT) __ics_abort();
    __ics_exit(128 + number);
}

/* --- delivery --- */

static void fill(siginfo_t *info, int number) {
    __ics_memset(info, 0, sizeof *info);
    info->si_signo = number;
    info->si_code = sent[number].code;
    info->si_pid = getpid();
    info->si_uid = getuid();
    info->si_value = sent[number].value;
}

/* Runs the action. Signals that its mask lets through come first, as on Linux, where each new frame goes on top. */
static enum ics_woken act(struct ics_thread *t, int number) {
    struct sigaction action = actions[number];
    if (is_ignored(number)) return ICS_NOTIFIED;
    if (action.sa_handler == SIG_DFL) ics_die(number);
    if (action.sa_flags & SA_RESETHAND) actions[number].sa_handler = SIG_DFL;
    unsigned long before = t->blocked;
    t->blocked |= action.sa_mask.__val[0];
    if (!(action.sa_flags & SA_NODEFER)) t->blocked |= ics_signal_bit(number);
    siginfo_t info;
    fill(&info, number);
    ics_handle_signals();
    if (action.sa_flags & SA_SIGINFO) action.sa_sigaction(number, &info, 0);
    else action.sa_handler(number);
    t->blocked = before;
    return action.sa_flags & SA_RESTART ? ICS_RESTART : ICS_INTERRUPTED;
}

enum ics_woken ics_handle_signals(void) {
    struct ics_thread *t = ics_self();
    enum ics_woken woken = ICS_NOTIFIED;
    for (;;) {
        unsigned long ready = (t->pending | process_pending) & ~t->blocked & ~t->awaited;
        if (!ready) return woken;
        int number = __builtin_ctzl(ready) + 1;
        if (t->pending & ics_signal_bit(number)) t->pending &= ~ics_signal_bit(number);
        else process_pending &= ~ics_signal_bit(number);
        enum ics_woken now = act(t, number);
        if (now == ICS_INTERRUPTED || woken == ICS_NOTIFIED) woken = now;
    }
}

/* What an interrupted thread runs. */
static void interrupted(void) {
    ics_handle_signals();
    __ics_resume();
}

static int takes(const struct ics_thread *t, int number) {
    return t->state == ICS_RUNNING && (!(t->blocked & ics_signal_bit(number)) || t->awaited & ics_signal_bit(number));
}

/* Who gets a signal to the process: the main thread if it can, else the first that can. */
static struct ics_thread *receiver(int number) {
    struct ics_thread *me = ics_self();
    if (__ics_is_symbolic_domain() && !ics_concurrent) return takes(me, number) ? me : 0;
    if (__ics_is_symbolic_domain()) __ics_unsupported("a signal to a process of several threads");
    for (int i = 0; i < ICS_MAX_THREADS; i++)
        if (takes(&__ics_threads[i], number)) return &__ics_threads[i];
    return 0;
}

static void wake(struct ics_thread *t) {
    int slot = (int)(t - __ics_threads);
    if (__ics_notify_thread(slot)) t->kicked = 1;
    else __ics_interrupt(slot, interrupted);
}

/* In the symbolic domain: to a thread that waits for it, or blocks it, for it may wait for it later. */
static void send_to_waiting(struct ics_thread *t, int number, int code, union sigval value) {
    __ics_event(&t->pending, ICS_EXCLUSIVE);
    int awaited = !!(t->awaited & ics_signal_bit(number));
    if (!awaited && !(t->blocked & ics_signal_bit(number))) {
        if (is_ignored(number)) return;
        if (actions[number].sa_handler == SIG_DFL) ics_die(number);
        __ics_unsupported("a signal to another thread, which has a handler for it");
    }
    sent[number].code = code;
    sent[number].value = value;
    t->pending |= ics_signal_bit(number);
    if (awaited) __ics_notify_all(&t->awaited);
}

void ics_send(struct ics_thread *t, int number, int code, union sigval value) {
    if (number == SIGKILL) __ics_exit(128 + SIGKILL);
    if (number == SIGSTOP) ics_die(number);
    int to_process = !t;
    if (!t) t = receiver(number);
    if (t && t != ics_self() && __ics_is_symbolic_domain()) {
        send_to_waiting(t, number, code, value);
        return;
    }
    int taken = t && takes(t, number);
    if (taken && !(t->awaited & ics_signal_bit(number))) {
        if (is_ignored(number)) return;
        if (actions[number].sa_handler == SIG_DFL) ics_die(number);
    }
    sent[number].code = code;
    sent[number].value = value;
    if (t) t->pending |= ics_signal_bit(number);
    else process_pending |= ics_signal_bit(number);
    if (t && to_process) t->of_process |= ics_signal_bit(number);
    ics_signalled = 1;
    if (!taken) return;
    if (t == ics_self()) {
        ics_handle_signals();
        return;
    }
    wake(t);
    /* It is dealt with soon. */
    if (__ics_thread_self() != ICS_TIMER_SLOT && ics_self()->state == ICS_RUNNING) __ics_pause();
}

void ics_pass_signals_on(struct ics_thread *t) {
    unsigned long left = t->pending & t->of_process;
    t->pending = 0;
    for (; left; left &= left - 1) {
        int number = __builtin_ctzl(left) + 1;
        ics_send(0, number, sent[number].code, sent[number].value);
    }
}

/* --- waiting --- */

/* Deals with what happened while the thread was away. */
static enum ics_woken back(struct ics_thread *t, int timed_out) {
    int kicked = t->kicked;
    t->kicked = 0;
    enum ics_woken handled = ics_signalled ? ics_handle_signals() : ICS_NOTIFIED;
    if (t->cancel_async) ics_cancellation_point();
    if (timed_out) return ICS_TIMED_OUT;
    if (!kicked) return ICS_NOTIFIED;
    return handled == ICS_NOTIFIED ? ICS_RESTART : handled;
}

enum ics_woken ics_wait(const void *queue, unsigned long deadline) {
    int timed_out = 0;
    unsigned sections = ics_sections ? ics_leave_sections() : 0;
    if (deadline == ICS_FOREVER) __ics_wait(queue);
    else timed_out = __ics_wait_timed(queue, deadline);
    if (ics_sections) ics_return_to_sections(sections);
    return back(ics_self(), timed_out);
}

void ics_yield(void) {
    __ics_yield();
    if (ics_signalled) ics_handle_signals();
}

void ics_pause(void) {
    __ics_pause();
    if (ics_signalled) ics_handle_signals();
}

void ics_inherit_signals(struct ics_thread *child) {
    child->blocked = ics_self()->blocked;
}

/* Until a handler has run. */
static int suspend(void) {
    struct ics_thread *t = ics_self();
    if (__ics_is_symbolic_domain()) __ics_unsupported("waiting for a signal");
    while (ics_handle_signals() == ICS_NOTIFIED) {
        enum ics_woken woken = ics_wait_cancellable(&t->pending, ICS_FOREVER);
        if (woken == ICS_INTERRUPTED || (woken == ICS_RESTART && !t->pending)) break;
    }
    return fail(EINTR);
}

int pause(void) {
    ics_cancellation_point();
    return suspend();
}

int sigsuspend(const sigset_t *mask) {
    struct ics_thread *t = ics_self();
    ics_cancellation_point();
    unsigned long before = t->blocked;
    t->blocked = mask->__val[0] & ~(ics_signal_bit(SIGKILL) | ics_signal_bit(SIGSTOP));
    suspend();
    t->blocked = before;
    return fail(EINTR);
}

/* What sigpause is in X/Open's form. */
int ics_xpg_sigpause(int number) __asm__("__xpg_sigpause");
int ics_xpg_sigpause(int number) {
    sigset_t mask;
    __ics_memset(&mask, 0, sizeof mask);
    mask.__val[0] = ics_self()->blocked;
    return sigdelset(&mask, number) ? -1 : sigsuspend(&mask);
}

/* The lowest of the awaited signals; a negative error. */
static int await(const sigset_t *set, siginfo_t *info, unsigned long deadline) {
    struct ics_thread *t = ics_self();
    unsigned long wanted = set->__val[0];
    ics_cancellation_point();
    enum ics_woken woken = ICS_NOTIFIED;
    for (;;) {
        if (__ics_is_symbolic_domain()) __ics_event(&t->pending, ICS_EXCLUSIVE);
        unsigned long ready = (t->pending | process_pending) & wanted;
        if (ready) {
            int number = __builtin_ctzl(ready) + 1;
            if (t->pending & ics_signal_bit(number)) t->pending &= ~ics_signal_bit(number);
            else process_pending &= ~ics_signal_bit(number);
            if (info) fill(info, number);
            return number;
        }
        if (woken == ICS_TIMED_OUT) return -EAGAIN;
        if (woken == ICS_INTERRUPTED) return -EINTR;
        t->awaited = wanted;
        woken = ics_wait_cancellable(&t->awaited, deadline);
        t->awaited = 0;
    }
}

int sigwait(const sigset_t *set, int *number) {
    int got;
    do got = await(set, 0, ICS_FOREVER);
    while (got == -EINTR);
    *number = got;
    return 0;
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info) {
    int got = await(set, info, ICS_FOREVER);
    return got < 0 ? fail(-got) : got;
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
    if (!timeout) return sigwaitinfo(set, info);
    if (!ics_valid_time(timeout) || timeout->tv_sec < 0) return fail(EINVAL);
    int got = await(set, info, ics_deadline_after(timeout));
    return got < 0 ? fail(-got) : got;
}

/* --- sending --- */

static const union sigval nothing;

int raise(int number) {
    if (number == 0) return 0;
    if (!ics_is_any_signal(number)) return fail(EINVAL);
    ics_send(ics_self(), number, SI_TKILL, nothing);
    return 0;
}

static int to_thread(pthread_t thread, int number, int code, union sigval value) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    if (number != 0 && !ics_is_signal(number)) return EINVAL;
    if (number != 0 && t->state == ICS_RUNNING) ics_send(t, number, code, value);
    return 0;
}

int pthread_kill(pthread_t thread, int number) {
    return to_thread(thread, number, SI_TKILL, nothing);
}

int pthread_sigqueue(pthread_t thread, int number, const union sigval value) {
    return to_thread(thread, number, SI_QUEUE, value);
}

/* 0 if the process number means this process, else an error. */
static int other_process(pid_t pid, int number) {
    if (number < 0 || number > ICS_LAST_SIGNAL) return EINVAL;
    if (pid == 0 || pid == getpid() || pid == -getpgrp()) return 0;
    __ics_unsupported("a signal to another process");
}

int kill(pid_t pid, int number) {
    int error = other_process(pid, number);
    if (error) return fail(error);
    if (number) ics_send(0, number, SI_USER, nothing);
    return 0;
}

int killpg(pid_t group, int number) {
    return kill(group ? -group : 0, number);
}

int sigqueue(pid_t pid, int number, const union sigval value) {
    int error = other_process(pid, number);
    if (error) return fail(error);
    if (number) ics_send(0, number, SI_QUEUE, value);
    return 0;
}

/* --- actions and masks --- */

int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (!ics_is_signal(number)) return fail(EINVAL);
    if (action && (number == SIGKILL || number == SIGSTOP)) return fail(EINVAL);
    if (old) __ics_memcpy(old, &actions[number], sizeof *old);
    if (!action) return 0;
    __ics_memcpy(&actions[number], action, sizeof *action);
    if (number == SIGALRM && ics_has_handler(number) && ics_alarm_is_set()) __ics_unsupported("alarm with a handler");
    return 0;
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags, int masked) {
    struct sigaction action, old;
    __ics_memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    if (masked && ics_is_any_signal(number)) action.sa_mask.__val[0] = ics_signal_bit(number);
    return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

static unsigned long interrupting; /* siginterrupt */

sighandler_t signal(int number, sighandler_t handler) {
    int flags = ics_is_any_signal(number) && interrupting & ics_signal_bit(number) ? 0 : SA_RESTART;
    return handler == SIG_ERR ? (errno = EINVAL, SIG_ERR) : set_handler(number, handler, flags, 1);
}

sighandler_t bsd_signal(int number, sighandler_t handler) {
    return signal(number, handler);
}

sighandler_t __sysv_signal(int number, sighandler_t handler) {
    return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, 0);
}

sighandler_t sysv_signal(int number, sighandler_t handler) {
    return __sysv_signal(number, handler);
}

int siginterrupt(int number, int interrupt) {
    if (!ics_is_signal(number)) return fail(EINVAL);
    interrupting = interrupt ? interrupting | ics_signal_bit(number) : interrupting & ~ics_signal_bit(number);
    actions[number].sa_flags = interrupt ? actions[number].sa_flags & ~SA_RESTART : actions[number].sa_flags | SA_RESTART;
    return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    struct ics_thread *t = ics_self();
    unsigned long before = t->blocked, given = set ? set->__val[0] : 0;
    if (set) {
        if (how == SIG_BLOCK) t->blocked |= given;
        else if (how == SIG_UNBLOCK) t->blocked &= ~given;
        else if (how == SIG_SETMASK) t->blocked = given;
        else return EINVAL;
        t->blocked &= ~(ics_signal_bit(SIGKILL) | ics_signal_bit(SIGSTOP) | ics_signal_bit(32) | ics_signal_bit(33));
    }
    if (old) {
        __ics_memset(old, 0, sizeof *old);
        old->__val[0] = before;
    }
    if (set && ics_signalled) ics_handle_signals();
    return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    int error = pthread_sigmask(how, set, old);
    return error ? fail(error) : 0;
}

int sigpending(sigset_t *set) {
    struct ics_thread *t = ics_self();
    __ics_memset(set, 0, sizeof *set);
    set->__val[0] = (t->pending | process_pending) & t->blocked;
    return 0;
}

/* --- the System V names --- */

static int change(int how, int number) {
    sigset_t set;
    __ics_memset(&set, 0, sizeof set);
    return sigaddset(&set, number) ? -1 : sigprocmask(how, &set, 0);
}

int sighold(int number) {
    return change(SIG_BLOCK, number);
}

int sigrelse(int number) {
    return change(SIG_UNBLOCK, number);
}

int sigignore(int number) {
    return set_handler(number, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

sighandler_t sigset(int number, sighandler_t handler) {
    if (!ics_is_signal(number)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    int held = (ics_self()->blocked & ics_signal_bit(number)) != 0;
    sighandler_t old = actions[number].sa_handler;
    if (handler != SIG_HOLD) old = set_handler(number, handler, 0, 0);
    if (old == SIG_ERR || change(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, number)) return SIG_ERR;
    return held ? SIG_HOLD : old;
}

/* Handlers run on the thread's own stack whatever it says here. */
int sigaltstack(const stack_t *stack, stack_t *old) {
    static _Thread_local stack_t current = {.ss_flags = SS_DISABLE};
    if (stack && stack->ss_flags & ~SS_DISABLE) return fail(EINVAL);
    if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < 2048) return fail(ENOMEM);
    if (old) *old = current;
    if (stack) current = *stack;
    return 0;
}

/* The process: environment, identity, configuration, signals (which are never delivered), locale. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "ics_thread.h"

/* The engine sets these before main. */
char **environ;
char *program_invocation_name = "program";
char *program_invocation_short_name = "program";
char *ics_progname __asm__("__progname") = "program";

static int fail(int error) {
    errno = error;
    return -1;
}

static size_t name_length(const char *entry) {
    size_t n = 0;
    while (entry[n] && entry[n] != '=') n++;
    return n;
}

/* The entry of the environment with this name; names are constants, values may be symbolic. */
static char **find(const char *name, size_t n) {
    if (!environ) return 0;
    for (char **e = environ; *e; e++)
        if (name_length(*e) == n && strncmp(*e, name, n) == 0) return e;
    return 0;
}

char *getenv(const char *name) {
    size_t n = strlen(name);
    char **e = find(name, n);
    return e ? *e + n + 1 : 0;
}

char *secure_getenv(const char *name) {
    return getenv(name);
}

int putenv(char *entry) {
    size_t n = name_length(entry), count = 0;
    if (!entry[n]) return unsetenv(entry);
    char **e = find(entry, n);
    if (e) {
        *e = entry;
        return 0;
    }
    while (environ && environ[count]) count++;
    char **bigger = malloc((count + 2) * sizeof *bigger);
    if (count) __ics_memcpy(bigger, environ, count * sizeof *bigger);
    bigger[count] = entry;
    bigger[count + 1] = 0;
    environ = bigger;
    return 0;
}

int setenv(const char *name, const char *value, int overwrite) {
    size_t n = name ? strlen(name) : 0, size = strlen(value) + 1;
    if (n == 0 || strchr(name, '=')) return fail(EINVAL);
    if (!overwrite && find(name, n)) return 0;
    char *entry = malloc(n + 1 + size);
    __ics_memcpy(entry, name, n);
    entry[n] = '=';
    __ics_memcpy(entry + n + 1, value, size);
    return putenv(entry);
}

int unsetenv(const char *name) {
    char **e = find(name, strlen(name));
    if (!e) return 0;
    do e[0] = e[1];
    while (*e++);
    return 0;
}

int clearenv(void) {
    environ = 0;
    return 0;
}

/* Numbers of this process: inputs; in the concrete domain some that look like ones. */
static int number(const char *name, int concrete) {
    if (!__ics_is_symbolic_domain()) return concrete;
    unsigned value = (unsigned)__ics_input(name, 32);
    __ics_assume(value < 1u << 22);
    return (int)value;
}

pid_t getpid(void) {
    return number("getpid", 4242);
}

pid_t getppid(void) {
    return number("getppid", 4241);
}

pid_t getpgrp(void) {
    return number("getpgrp", 4242);
}

pid_t gettid(void) {
    return getpid() + __ics_thread_self();
}

uid_t getuid(void) {
    return (uid_t)number("getuid", 1000);
}

uid_t geteuid(void) {
    return (uid_t)number("geteuid", 1000);
}

gid_t getgid(void) {
    return (gid_t)number("getgid", 1000);
}

gid_t getegid(void) {
    return (gid_t)number("getegid", 1000);
}

int isatty(int fd) {
    if (__ics_is_symbolic_domain() && (__ics_input("isatty", 1) & 1)) return 1;
    errno = ENOTTY;
    return 0;
}

int getpagesize(void) {
    return 4096;
}

/* The machine is assumed to have ICS_PROCESSORS processors, not read: a thread per processor would else be a number of
 * threads that is an input. */
long sysconf(int name) {
    switch (name) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF: return ICS_PROCESSORS;
    case _SC_PAGESIZE: return 4096;
    case _SC_CLK_TCK: return 100;
    case _SC_OPEN_MAX: return 1024;
    case _SC_ARG_MAX: return 2097152;
    case _SC_PHYS_PAGES: return 1l << 20;
    case _SC_AVPHYS_PAGES: return 1l << 19;
    case _SC_THREAD_KEYS_MAX: return 1024;
    case _SC_THREAD_STACK_MIN: return 16384;
    case _SC_HOST_NAME_MAX: return 64;
    case _SC_LINE_MAX: return 2048;
    case _SC_IOV_MAX: return 1024;
    case _SC_LEVEL1_DCACHE_LINESIZE: return 64;
    default: __ics_unsupported("sysconf with this name");
    }
}

int get_nprocs(void) {
    return ICS_PROCESSORS;
}

int get_nprocs_conf(void) {
    return ICS_PROCESSORS;
}

/* Naming a thread is all that threaded programs use it for; nobody reads the name back. */
int prctl(int option, ...) {
    if (option == PR_SET_NAME) return 0;
    __ics_unsupported("prctl with another option than PR_SET_NAME");
}

ssize_t getrandom(void *to, size_t n, unsigned flags) {
    if (__ics_is_symbolic_domain()) {
        __ics_input_bytes(to, n, "getrandom");
        return (ssize_t)n;
    }
    int fd = __ics_host_open("/dev/urandom", O_RDONLY, 0);
    long count = fd < 0 ? fd : __ics_host_read(fd, to, n);
    if (fd >= 0) __ics_host_close(fd);
    return count < 0 ? fail((int)-count) : count;
}

int getentropy(void *to, size_t n) {
    return getrandom(to, n, 0) == (ssize_t)n ? 0 : -1;
}

/* --- signals: handlers are kept, but nothing outside sends any --- */

static struct sigaction actions[NSIG];

int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    if (signal < 1 || signal >= NSIG) return fail(EINVAL);
    if (old) __ics_memcpy(old, &actions[signal], sizeof *old);
    if (action) __ics_memcpy(&actions[signal], action, sizeof *action);
    return 0;
}

sighandler_t signal(int signal, sighandler_t handler) {
    if (signal < 1 || signal >= NSIG) {
        errno = EINVAL;
        return SIG_ERR;
    }
    sighandler_t old = actions[signal].sa_handler;
    actions[signal].sa_handler = handler;
    return old;
}

sighandler_t __sysv_signal(int number, sighandler_t handler) {
    return signal(number, handler);
}

int raise(int number) {
    if (number < 1 || number >= NSIG) return fail(EINVAL);
    sighandler_t handler = actions[number].sa_handler;
    if (handler == SIG_IGN) return 0;
    if (handler != SIG_DFL) {
        if (actions[number].sa_flags & SA_SIGINFO) __ics_unsupported("raise with a handler that takes siginfo_t");
        handler(number);
        return 0;
    }
    if (number != SIGABRT) __ics_unsupported("raise of a signal with its default action");
    __ics_abort();
}

int sigemptyset(sigset_t *set) {
    __ics_memset(set, 0, sizeof *set);
    return 0;
}

int sigfillset(sigset_t *set) {
    __ics_memset(set, 0xff, sizeof *set);
    return 0;
}

int sigaddset(sigset_t *set, int signal) {
    if (signal < 1 || signal >= NSIG) return fail(EINVAL);
    set->__val[(signal - 1) / 64] |= 1ul << (signal - 1) % 64;
    return 0;
}

int sigdelset(sigset_t *set, int signal) {
    if (signal < 1 || signal >= NSIG) return fail(EINVAL);
    set->__val[(signal - 1) / 64] &= ~(1ul << (signal - 1) % 64);
    return 0;
}

int sigismember(const sigset_t *set, int signal) {
    if (signal < 1 || signal >= NSIG) return fail(EINVAL);
    return set->__val[(signal - 1) / 64] >> (signal - 1) % 64 & 1;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    static _Thread_local sigset_t mask;
    if (old) __ics_memcpy(old, &mask, sizeof mask);
    if (!set) return 0;
    for (unsigned i = 0; i < sizeof mask / sizeof mask.__val[0]; i++) {
        if (how == SIG_BLOCK) mask.__val[i] |= set->__val[i];
        else if (how == SIG_UNBLOCK) mask.__val[i] &= ~set->__val[i];
        else if (how == SIG_SETMASK) mask.__val[i] = set->__val[i];
        else return EINVAL;
    }
    return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    int error = pthread_sigmask(how, set, old);
    return error ? fail(error) : 0;
}

unsigned alarm(unsigned seconds) {
    if (seconds) __ics_unsupported("alarm");
    return 0;
}

/* --- locale: C only --- */

char *setlocale(int category, const char *name) {
    if (name && *name && strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0) return 0;
    return "C";
}

#undef gettext
#undef dcgettext
#undef dgettext
#undef ngettext
#undef textdomain
#undef bindtextdomain

char *gettext(const char *text) {
    return (char *)text;
}

char *dcgettext(const char *domain, const char *text, int category) {
    return (char *)text;
}

char *textdomain(const char *domain) {
    return (char *)(domain ? domain : "messages");
}

char *bindtextdomain(const char *domain, const char *directory) {
    return (char *)directory;
}

#undef htons
#undef ntohs
#undef htonl
#undef ntohl

unsigned short htons(unsigned short x) {
    return __builtin_bswap16(x);
}

unsigned short ntohs(unsigned short x) {
    return __builtin_bswap16(x);
}

unsigned htonl(unsigned x) {
    return __builtin_bswap32(x);
}

unsigned ntohl(unsigned x) {
    return __builtin_bswap32(x);
}

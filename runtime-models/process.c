/* The process: environment, identity, configuration, messages. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libintl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "ics_files.h"
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

/* They are the same at each call. */
#define SAME_NUMBER(name, concrete)                                                                                 \
    static int known, value;                                                                                        \
    if (!known) value = number(name, concrete);                                                                     \
    known = 1;                                                                                                      \
    return value

pid_t getpid(void) {
    SAME_NUMBER("getpid", 4242);
}

pid_t getppid(void) {
    SAME_NUMBER("getppid", 4241);
}

pid_t getpgrp(void) {
    SAME_NUMBER("getpgrp", 4242);
}

pid_t getpgid(pid_t pid) {
    if (pid != 0 && pid != getpid()) return fail(ESRCH);
    return getpgrp();
}

pid_t getsid(pid_t pid) {
    return getpgid(pid);
}

pid_t gettid(void) {
    return getpid() + __ics_thread_self();
}

uid_t getuid(void) {
    SAME_NUMBER("getuid", 1000);
}

uid_t geteuid(void) {
    SAME_NUMBER("geteuid", 1000);
}

gid_t getgid(void) {
    SAME_NUMBER("getgid", 1000);
}

gid_t getegid(void) {
    SAME_NUMBER("getegid", 1000);
}

/* Identities do not change: to what they are already, or not at all. */
static int stays(unsigned wanted, unsigned is) {
    return wanted == is || wanted == ~0u ? 0 : fail(EPERM);
}

int setuid(uid_t id) {
    return stays(id, getuid());
}

int seteuid(uid_t id) {
    return stays(id, geteuid());
}

int setreuid(uid_t real, uid_t effective) {
    return stays(real, getuid()) | stays(effective, geteuid());
}

int setresuid(uid_t real, uid_t effective, uid_t saved) {
    return stays(real, getuid()) | stays(effective, geteuid()) | stays(saved, geteuid());
}

int getresuid(uid_t *real, uid_t *effective, uid_t *saved) {
    *real = getuid();
    *effective = *saved = geteuid();
    return 0;
}

int setresgid(gid_t real, gid_t effective, gid_t saved) {
    return stays(real, getgid()) | stays(effective, getegid()) | stays(saved, getegid());
}

int getresgid(gid_t *real, gid_t *effective, gid_t *saved) {
    *real = getgid();
    *effective = *saved = getegid();
    return 0;
}

int setgid(gid_t id) {
    return stays(id, getgid());
}

int setegid(gid_t id) {
    return stays(id, getegid());
}

int setregid(gid_t real, gid_t effective) {
    return stays(real, getgid()) | stays(effective, getegid());
}

int getgroups(int n, gid_t *groups) {
    if (n < 0) return fail(EINVAL);
    if (n > 0) groups[0] = getgid();
    return 1;
}

int setgroups(size_t n, const gid_t *groups) {
    return fail(EPERM);
}

int initgroups(const char *user, gid_t group) {
    return fail(EPERM);
}

int isatty(int fd) {
    if (__ics_is_symbolic_domain() && (__ics_input("isatty", 1) & 1)) return 1;
    if (ics_file(fd)) errno = ENOTTY;
    return 0;
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

/* --- messages are never translated --- */

#undef gettext
#undef dcgettext
#undef dgettext
#undef ngettext
#undef textdomain
#undef bindtextdomain
#undef bind_textdomain_codeset

char *gettext(const char *text) {
    return (char *)text;
}

char *dcgettext(const char *domain, const char *text, int category) {
    return (char *)text;
}

char *dgettext(const char *domain, const char *text) {
    return (char *)text;
}

char *ngettext(const char *one, const char *more, unsigned long n) {
    return ICS_SELECT_PTR(n == 1, one, more);
}

char *bind_textdomain_codeset(const char *domain, const char *codeset) {
    return (char *)codeset;
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

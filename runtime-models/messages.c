/* Messages about errors, and the system's log. */
#include "ics.h"

#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "ics_stdio.h"

void perror(const char *s) {
    if (__ics_is_symbolic_domain()) return;
    const char *message = strerror(errno);
    if (s && *s) fprintf(stderr, "%s: %s\n", s, message);
    else fprintf(stderr, "%s\n", message);
}

extern char *program_invocation_short_name;

static void report(int error, const char *format, va_list ap) {
    if (__ics_is_symbolic_domain()) return;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    if (format) {
        vfprintf(stderr, format, ap);
        if (error >= 0) fputs(": ", stderr);
    }
    if (error >= 0) fputs(strerror(error), stderr);
    fputc('\n', stderr);
}

#define REPORT(error)                                                                                               \
    va_list ap;                                                                                                     \
    va_start(ap, format);                                                                                           \
    report(error, format, ap);                                                                                      \
    va_end(ap)

void warn(const char *format, ...) {
    REPORT(errno);
}

void warnx(const char *format, ...) {
    REPORT(-1);
}

_Noreturn void err(int status, const char *format, ...) {
    REPORT(errno);
    exit(status);
}

_Noreturn void errx(int status, const char *format, ...) {
    REPORT(-1);
    exit(status);
}

void vwarn(const char *format, va_list ap) {
    report(errno, format, ap);
}

void vwarnx(const char *format, va_list ap) {
    report(-1, format, ap);
}

_Noreturn void verr(int status, const char *format, va_list ap) {
    report(errno, format, ap);
    exit(status);
}

_Noreturn void verrx(int status, const char *format, va_list ap) {
    report(-1, format, ap);
    exit(status);
}

/* --- error.h --- */

unsigned error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void message(int status, int number, const char *file, unsigned line, const char *format, va_list ap) {
    error_message_count++;
    if (!__ics_is_symbolic_domain()) {
        fflush(stdout);
        if (error_print_progname) error_print_progname();
        else fprintf(stderr, file ? "%s:" : "%s: ", program_invocation_name);
        if (file) fprintf(stderr, "%s:%u: ", file, line);
        vfprintf(stderr, format, ap);
        if (number) fprintf(stderr, ": %s", strerror(number));
        fputc('\n', stderr);
    }
    if (status) exit(status);
}

void error(int status, int number, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    message(status, number, 0, 0, format, ap);
    va_end(ap);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
    static const char *last_file;
    static unsigned last_line;
    if (error_one_per_line && line == last_line && last_file && file && strcmp(file, last_file) == 0) return;
    last_file = file;
    last_line = line;
    va_list ap;
    va_start(ap, format);
    message(status, number, file, line, format, ap);
    va_end(ap);
}

/* --- the system's log: a sink --- */

void syslog(int priority, const char *format, ...) {
}

void vsyslog(int priority, const char *format, va_list ap) {
}

void openlog(const char *name, int options, int facility) {
}

void closelog(void) {
}

void __syslog_chk(int priority, int flag, const char *format, ...) {
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list ap) {
}

int setlogmask(int mask) {
    static int current = 0xff;
    int before = current;
    if (mask) current = mask;
    return before;
}

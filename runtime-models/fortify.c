/* What _FORTIFY_SOURCE makes of string functions: the size of the destination comes along. In the symbolic domain the
 * memory checks find what does not fit. */
#include "ics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void __chk_fail(void);
size_t strlcpy(char *to, const char *from, size_t size);
size_t strlcat(char *to, const char *from, size_t size);

static void check(size_t n, size_t room) {
    if (!__ics_is_symbolic_domain() && n > room) __chk_fail();
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room) {
    check(n, room);
    return memcpy(to, from, n);
}

void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room) {
    check(n, room);
    return mempcpy(to, from, n);
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room) {
    check(n, room);
    return memmove(to, from, n);
}

void *__memset_chk(void *to, int byte, size_t n, size_t room) {
    check(n, room);
    return memset(to, byte, n);
}

void __explicit_bzero_chk(void *to, size_t n, size_t room) {
    check(n, room);
    explicit_bzero(to, n);
}

/* A length in the concrete domain only. */
static size_t bytes(const char *s) {
    return __ics_is_symbolic_domain() ? 0 : strlen(s) + 1;
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
    check(bytes(from), room);
    return strcpy(to, from);
}

char *__stpcpy_chk(char *to, const char *from, size_t room) {
    check(bytes(from), room);
    return stpcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t room) {
    check(n, room);
    return strncpy(to, from, n);
}

char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room) {
    check(n, room);
    return stpncpy(to, from, n);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
    if (!__ics_is_symbolic_domain()) check(strlen(to) + strlen(from) + 1, room);
    return strcat(to, from);
}

char *__strncat_chk(char *to, const char *from, size_t n, size_t room) {
    if (!__ics_is_symbolic_domain()) check(strlen(to) + strnlen(from, n) + 1, room);
    return strncat(to, from, n);
}

size_t __strlcpy_chk(char *to, const char *from, size_t n, size_t room) {
    check(n, room);
    return strlcpy(to, from, n);
}

size_t __strlcat_chk(char *to, const char *from, size_t n, size_t room) {
    check(n, room);
    return strlcat(to, from, n);
}

/* Strings whose bytes are not constants; shared by the string models. */
#ifndef ICS_STRING_H
#define ICS_STRING_H

#include "ics.h"

/* Whether the string has a byte that is not a constant. A constant 0 in the concrete domain. */
static inline int ics_symbolic_string(const char *s) {
    return __ics_is_symbolic_domain() && __ics_string_symbolic(s);
}

/* ASCII lower case, without a branch. */
static inline int ics_fold(int c) {
    return c + ((unsigned)(c - 'A') < 26u) * 32;
}

/* A constant that the length cannot exceed: the distance to the first constant NUL. A string that has none inside its
 * object may run out of it; that is reported as an error unless a byte before the object's end must be NUL. */
size_t ics_strlen_bound(const char *s);

size_t ics_symbolic_strlen(const char *s);
size_t ics_symbolic_strnlen(const char *s, size_t limit);
void ics_symbolic_strncpy(char *to, const char *from, size_t n);
/* Copies up to and including the NUL and leaves all bytes behind it alone; returns the length. */
size_t ics_symbolic_strcpy(char *to, const char *from);
char *ics_symbolic_strchr(const char *s, int c);
char *ics_symbolic_strrchr(const char *s, int c);
void *ics_symbolic_memchr(const void *s, int byte, size_t n);

enum ics_comparison { ICS_COMPARE_MEMORY, ICS_COMPARE_STRING, ICS_COMPARE_FOLDED };
/* memcmp, strncmp, strncasecmp: one value for all outcomes. */
int ics_symbolic_compare(const void *a, const void *b, size_t n, enum ics_comparison how);

/* The input "NAME of this string", the same for every later question of the same name about the same string. */
static inline unsigned long ics_ask(const char *name, const char *s, unsigned bits) {
    return __ics_input_of_string(name, s, bits);
}

#endif

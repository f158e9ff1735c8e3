/* What scanf.c and scanf_symbolic.c share. */
#ifndef ICS_SCANF_H
#define ICS_SCANF_H

#include "ics.h"

#include "ics_stdio.h"

/* Where characters come from: a stream, or a string. */
struct ics_source {
    FILE *stream;
    const char *text;
    long taken;  /* characters so far, for %n */
    long start;  /* `taken` when the conversion began */
    int ended;   /* the end was met */
};

struct ics_directive {
    unsigned char suppress, allocate, invert;
    unsigned char size;  /* bytes of an integer; float 4, double 8, long double 16 */
    char conversion;
    int width;           /* 0 if none */
    int position;        /* of "%2$d": 2; else 0 */
    const char *set, *set_end;
};

/* Reads one directive behind its '%'; returns what follows it. */
const char *ics_parse_directive(struct ics_directive *d, const char *format);
void ics_store_integer(const struct ics_directive *d, void *to, unsigned long value);
int ics_scan(struct ics_source *in, const char *format, va_list ap);
/* The same from bytes that are not constants. */
int ics_scan_symbolic(struct ics_source *in, const char *format, va_list ap);

#endif

/* Wide streams in the C locale: every character is one byte. */
#include "ics.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "ics_stdio.h"

wint_t fputwc(wchar_t c, FILE *f) {
    if ((unsigned)c > 127) {
        errno = EILSEQ;
        return WEOF;
    }
    return fputc(c, f) == EOF ? WEOF : (wint_t)c;
}

wint_t putwc(wchar_t c, FILE *f) {
    return fputwc(c, f);
}

wint_t putwchar(wchar_t c) {
    return fputwc(c, stdout);
}

int fputws(const wchar_t *s, FILE *f) {
    for (; *s; s++)
        if (fputwc(*s, f) == WEOF) return -1;
    return 1;
}

wint_t fgetwc(FILE *f) {
    int c = fgetc(f);
    if (c < 128) return (wint_t)c;
    errno = EILSEQ;
    f->_flags |= ICS_ERROR;
    return WEOF;
}

wint_t getwc(FILE *f) {
    return fgetwc(f);
}

wint_t getwchar(void) {
    return fgetwc(stdin);
}

wint_t ungetwc(wint_t c, FILE *f) {
    return c > 127 ? WEOF : (wint_t)ungetc((int)c, f);
}

wchar_t *fgetws(wchar_t *to, int n, FILE *f) {
    int i = 0;
    wint_t c = 0;
    while (i < n - 1 && c != '\n') {
        c = fgetwc(f);
        if (c == WEOF) break;
        to[i++] = (wchar_t)c;
    }
    if (i == 0 || n < 1) return 0;
    to[i] = 0;
    return to;
}

/* The orientation is kept, but nothing depends on it. */
int fwide(FILE *f, int mode) {
    if (f->_mode == 0) f->_mode = mode > 0 ? 1 : mode < 0 ? -1 : 0;
    return f->_mode;
}

/* A format of ASCII characters as bytes, or null with EILSEQ; the caller frees it. */
static char *narrow(const wchar_t *format) {
    size_t n = wcslen(format) + 1;
    char *text = malloc(n);
    if (wcstombs(text, format, n) != (size_t)-1) return text;
    free(text);
    return 0;
}

int vfwprintf(FILE *f, const wchar_t *format, va_list ap) {
    char *text = narrow(format);
    if (!text) return -1;
    int count = vfprintf(f, text, ap);
    free(text);
    return count;
}

int vwprintf(const wchar_t *format, va_list ap) {
    return vfwprintf(stdout, format, ap);
}

/* -1 if it does not fit. */
int vswprintf(wchar_t *to, size_t n, const wchar_t *format, va_list ap) {
    char *text = narrow(format), *made = 0;
    int count = text ? ics_vasprintf(&made, text, ap) : -1;
    free(text);
    if (count < 0) return -1;
    size_t kept = n ? ICS_MIN((size_t)count, n - 1) : 0;
    for (size_t i = 0; i < kept; i++) to[i] = (unsigned char)made[i];
    if (n) to[kept] = 0;
    free(made);
    return (size_t)count < n ? count : -1;
}

#define FORWARD(call)                                                                                               \
    va_list ap;                                                                                                     \
    va_start(ap, format);                                                                                           \
    int count = call;                                                                                               \
    va_end(ap);                                                                                                     \
    return count

int wprintf(const wchar_t *format, ...) {
    FORWARD(vfwprintf(stdout, format, ap));
}

int fwprintf(FILE *f, const wchar_t *format, ...) {
    FORWARD(vfwprintf(f, format, ap));
}

int swprintf(wchar_t *to, size_t n, const wchar_t *format, ...) {
    FORWARD(vswprintf(to, n, format, ap));
}

int __wprintf_chk(int flag, const wchar_t *format, ...) {
    FORWARD(vfwprintf(stdout, format, ap));
}

int __fwprintf_chk(FILE *f, int flag, const wchar_t *format, ...) {
    FORWARD(vfwprintf(f, format, ap));
}

int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...) {
    FORWARD(vswprintf(to, n, format, ap));
}

/* Wide characters and their classes in the C locale: those of ASCII; nothing else has a class or a byte. */
#include "ics.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#undef wctob
#undef btowc

#define CLASS(name)                                                                                                 \
    int isw##name(wint_t c) {                                                                                       \
        return c < 128 ? is##name((int)c) : 0;                                                                      \
    }

CLASS(alnum)
CLASS(alpha)
CLASS(blank)
CLASS(cntrl)
CLASS(digit)
CLASS(graph)
CLASS(lower)
CLASS(print)
CLASS(punct)
CLASS(space)
CLASS(upper)
CLASS(xdigit)

wint_t towlower(wint_t c) {
    return c < 128 ? (wint_t)tolower((int)c) : c;
}

wint_t towupper(wint_t c) {
    return c < 128 ? (wint_t)toupper((int)c) : c;
}

static const char *const class_names[] = {
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit",
};

wctype_t wctype(const char *name) {
    for (unsigned i = 0; i < 12; i++)
        if (strcmp(name, class_names[i]) == 0) return i + 1;
    return 0;
}

int iswctype(wint_t c, wctype_t class) {
    switch (class) {
    case 1: return iswalnum(c);
    case 2: return iswalpha(c);
    case 3: return iswblank(c);
    case 4: return iswcntrl(c);
    case 5: return iswdigit(c);
    case 6: return iswgraph(c);
    case 7: return iswlower(c);
    case 8: return iswprint(c);
    case 9: return iswpunct(c);
    case 10: return iswspace(c);
    case 11: return iswupper(c);
    case 12: return iswxdigit(c);
    default: return 0;
    }
}

int wcwidth(wchar_t c) {
    return c == 0 ? 0 : iswprint((wint_t)c) ? 1 : -1;
}

int wcswidth(const wchar_t *s, size_t n) {
    int width = 0;
    for (size_t i = 0; i < n && s[i]; i++) {
        if (wcwidth(s[i]) < 0) return -1;
        width += wcwidth(s[i]);
    }
    return width;
}

/* --- bytes and wide characters --- */

size_t __ctype_get_mb_cur_max(void) {
    return 1;
}

wint_t btowc(int c) {
    return c >= 0 && c < 128 ? (wint_t)c : WEOF;
}

int wctob(wint_t c) {
    return c < 128 ? (int)c : EOF;
}

int mbsinit(const mbstate_t *state) {
    return 1;
}

static size_t illegal(void) {
    errno = EILSEQ;
    return (size_t)-1;
}

size_t mbrtowc(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
    if (!s) return 0;
    if (n == 0) return (size_t)-2;
    unsigned char c = (unsigned char)*s;
    if (c > 127) return illegal();
    if (to) *to = c;
    return c != 0;
}

size_t mbrlen(const char *s, size_t n, mbstate_t *state) {
    return mbrtowc(0, s, n, state);
}

int mbtowc(wchar_t *to, const char *s, size_t n) {
    if (!s) return 0;
    size_t taken = mbrtowc(to, s, n, 0);
    return taken == (size_t)-2 ? -1 : (int)taken;
}

int mblen(const char *s, size_t n) {
    return mbtowc(0, s, n);
}

size_t wcrtomb(char *to, wchar_t c, mbstate_t *state) {
    if (!to) return 1;
    if ((unsigned)c > 127) return illegal();
    *to = (char)c;
    return 1;
}

int wctomb(char *to, wchar_t c) {
    return to ? (int)wcrtomb(to, c, 0) : 0;
}

/* At most `n` characters out of at most `limit` bytes. Without a place to store they are only counted. */
size_t mbsnrtowcs(wchar_t *to, const char **from, size_t limit, size_t n, mbstate_t *state) {
    const char *s = *from;
    size_t i = 0;
    for (; i < limit && (!to || i < n); i++) {
        unsigned char c = (unsigned char)s[i];
        if (c > 127) {
            if (to) *from = s + i;
            return illegal();
        }
        if (to) to[i] = c;
        if (c == 0) {
            if (to) *from = 0;
            return i;
        }
    }
    if (to) *from = s + i;
    return i;
}

size_t mbsrtowcs(wchar_t *to, const char **from, size_t n, mbstate_t *state) {
    return mbsnrtowcs(to, from, (size_t)-1, n, state);
}

size_t mbstowcs(wchar_t *to, const char *from, size_t n) {
    return mbsnrtowcs(to, &from, (size_t)-1, n, 0);
}

size_t wcsnrtombs(char *to, const wchar_t **from, size_t limit, size_t n, mbstate_t *state) {
    const wchar_t *s = *from;
    size_t i = 0;
    for (; i < limit && (!to || i < n); i++) {
        if ((unsigned)s[i] > 127) {
            if (to) *from = s + i;
            return illegal();
        }
        if (to) to[i] = (char)s[i];
        if (s[i] == 0) {
            if (to) *from = 0;
            return i;
        }
    }
    if (to) *from = s + i;
    return i;
}

size_t wcsrtombs(char *to, const wchar_t **from, size_t n, mbstate_t *state) {
    return wcsnrtombs(to, from, (size_t)-1, n, state);
}

size_t wcstombs(char *to, const wchar_t *from, size_t n) {
    return wcsnrtombs(to, &from, (size_t)-1, n, 0);
}

/* _FORTIFY_SOURCE: what is too small is found by the memory checks. */
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room) {
    return mbstowcs(to, from, n);
}

size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room) {
    return wcstombs(to, from, n);
}

size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t n, mbstate_t *state, size_t room) {
    return mbsrtowcs(to, from, n, state);
}

size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state, size_t room) {
    return wcrtomb(to, c, state);
}

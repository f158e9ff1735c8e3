/* Locale objects and the functions that take one: all of them are the C locale. */
#include "ics.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

static struct __locale_struct the_locale;

/* glibc's macros look into the object. */
static locale_t c_locale(void) {
    the_locale.__ctype_b = *__ctype_b_loc();
    the_locale.__ctype_tolower = *__ctype_tolower_loc();
    the_locale.__ctype_toupper = *__ctype_toupper_loc();
    return &the_locale;
}

locale_t newlocale(int mask, const char *name, locale_t base) {
    if (!name) {
        errno = EINVAL;
        return 0;
    }
    if (*name && strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0) {
        errno = ENOENT;
        return 0;
    }
    return c_locale();
}

locale_t duplocale(locale_t locale) {
    return c_locale();
}

void freelocale(locale_t locale) {
}

/* What each thread was given; the global one before. */
locale_t uselocale(locale_t locale) {
    static _Thread_local locale_t current;
    locale_t before = current ? current : LC_GLOBAL_LOCALE;
    if (locale) current = locale;
    return before;
}

#define CLASS(name)                                                                                                 \
    int name##_l(int c, locale_t locale) {                                                                          \
        return name(c);                                                                                             \
    }
#define WIDE_CLASS(name)                                                                                            \
    int name##_l(wint_t c, locale_t locale) {                                                                       \
        return name(c);                                                                                             \
    }
#undef isalnum_l
#undef isalpha_l
#undef isblank_l
#undef iscntrl_l
#undef isdigit_l
#undef isgraph_l
#undef islower_l
#undef isprint_l
#undef ispunct_l
#undef isspace_l
#undef isupper_l
#undef isxdigit_l
#undef tolower_l
#undef toupper_l
CLASS(isalnum)
CLASS(isalpha)
CLASS(isblank)
CLASS(iscntrl)
CLASS(isdigit)
CLASS(isgraph)
CLASS(islower)
CLASS(isprint)
CLASS(ispunct)
CLASS(isspace)
CLASS(isupper)
CLASS(isxdigit)
CLASS(tolower)
CLASS(toupper)
WIDE_CLASS(iswalnum)
WIDE_CLASS(iswalpha)
WIDE_CLASS(iswdigit)
WIDE_CLASS(iswlower)
WIDE_CLASS(iswprint)
WIDE_CLASS(iswpunct)
WIDE_CLASS(iswspace)
WIDE_CLASS(iswupper)
WIDE_CLASS(iswxdigit)

wint_t towlower_l(wint_t c, locale_t locale) {
    return towlower(c);
}

wint_t towupper_l(wint_t c, locale_t locale) {
    return towupper(c);
}

double strtod_l(const char *s, char **end, locale_t locale) {
    return strtod(s, end);
}

float strtof_l(const char *s, char **end, locale_t locale) {
    return strtof(s, end);
}

long double strtold_l(const char *s, char **end, locale_t locale) {
    return strtold(s, end);
}

long strtol_l(const char *s, char **end, int base, locale_t locale) {
    return strtol(s, end, base);
}

long long strtoll_l(const char *s, char **end, int base, locale_t locale) {
    return strtoll(s, end, base);
}

unsigned long strtoul_l(const char *s, char **end, int base, locale_t locale) {
    return strtoul(s, end, base);
}

unsigned long long strtoull_l(const char *s, char **end, int base, locale_t locale) {
    return strtoull(s, end, base);
}

size_t strftime_l(char *to, size_t size, const char *format, const struct tm *t, locale_t locale) {
    return strftime(to, size, format, t);
}

char *strptime_l(const char *s, const char *format, struct tm *t, locale_t locale) {
    return strptime(s, format, t);
}

char *nl_langinfo_l(nl_item item, locale_t locale) {
    return nl_langinfo(item);
}

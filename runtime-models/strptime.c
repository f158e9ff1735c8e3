/* strptime: a date from text, as glibc reads it in the C locale. */
#include "ics.h"

#include <ctype.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* What is known besides the fields that are stored. */
struct dates {
    int pm, has_pm, twelve;
    int century, year_in_century; /* -1: not given */
    int have_year, have_month, have_day, have_year_day, have_week_day;
    int week, week_starts;        /* %U: 0, %W: 1; -1: not given */
};

/* At most `digits` digits, a value within the range; the end, or null. */
static const char *number(const char *s, int least, int most, int digits, int *to) {
    while (*s == ' ') s++;
    if (!isdigit((unsigned char)*s)) return 0;
    int value = 0;
    for (; digits-- > 0 && isdigit((unsigned char)*s); s++) value = value * 10 + (*s - '0');
    if (value < least || value > most) return 0;
    *to = value;
    return s;
}

/* One of the names of a run of items of the locale, long before short. */
static const char *name(const char *s, nl_item longs, nl_item shorts, int n, int *to) {
    for (int i = 0; i < n; i++) {
        const char *names[2] = {nl_langinfo(longs + i), nl_langinfo(shorts + i)};
        for (int k = 0; k < 2; k++) {
            size_t length = strlen(names[k]);
            if (strncasecmp(s, names[k], length) != 0) continue;
            *to = i;
            return s + length;
        }
    }
    return 0;
}

static const char *zone(const char *s, struct tm *t) {
    int digits = 0, value = 0;
    while (isspace((unsigned char)*s)) s++;
    if (*s == 'Z') {
        t->tm_gmtoff = 0;
        return s + 1;
    }
    if (*s != '+' && *s != '-') return 0;
    int negative = *s++ == '-';
    for (; digits < 4 && isdigit((unsigned char)*s); digits++) {
        value = value * 10 + (*s++ - '0');
        if (*s == ':' && digits == 1) s++;
    }
    if (digits == 2) value *= 100;
    else if (digits != 4) return 0;
    if (value % 100 >= 60) return 0;
    long seconds = (value / 100 * 60 + value % 100) * 60l;
    t->tm_gmtoff = negative ? -seconds : seconds;
    return s;
}

static const char *half_day(const char *s, struct dates *d) {
    d->has_pm = 1;
    d->pm = strncasecmp(s, "PM", 2) == 0;
    return d->pm || strncasecmp(s, "AM", 2) == 0 ? s + 2 : 0;
}

static const char *epoch(const char *s, struct tm *t) {
    char *end;
    if (!isdigit((unsigned char)*s)) return 0;
    time_t seconds = (time_t)strtoul(s, &end, 10);
    localtime_r(&seconds, t);
    return end;
}

static const char *hour(const char *s, struct tm *t, struct dates *d, int twelve) {
    d->twelve = twelve;
    s = twelve ? number(s, 1, 12, 2, &t->tm_hour) : number(s, 0, 23, 2, &t->tm_hour);
    if (twelve && s) t->tm_hour %= 12;
    return s;
}

static const char *year(const char *s, struct tm *t, struct dates *d) {
    s = number(s, 0, 9999, 4, &t->tm_year);
    t->tm_year -= 1900;
    d->century = d->year_in_century = -1;
    d->have_year = 1;
    return s;
}

static const char *parse(const char *s, const char *format, struct tm *t, struct dates *d);

/* One conversion. */
static const char *field(const char *s, char c, struct tm *t, struct dates *d) {
    int ignored;
    switch (c) {
    case '%': return *s == '%' ? s + 1 : 0;
    case 'a':
    case 'A': d->have_week_day = 1; return name(s, DAY_1, ABDAY_1, 7, &t->tm_wday);
    case 'b':
    case 'B':
    case 'h': d->have_month = 1; return name(s, MON_1, ABMON_1, 12, &t->tm_mon);
    case 'c': return parse(s, "%a %b %e %H:%M:%S %Y", t, d);
    case 'C': d->have_year = 1; return number(s, 0, 99, 2, &d->century);
    case 'd':
    case 'e': d->have_day = 1; return number(s, 1, 31, 2, &t->tm_mday);
    case 'x':
    case 'D': return parse(s, "%m/%d/%y", t, d);
    case 'F': return parse(s, "%Y-%m-%d", t, d);
    case 'g': return number(s, 0, 99, 2, &ignored);
    case 'G': return number(s, 0, 9999, 4, &ignored);
    case 'k':
    case 'H': return hour(s, t, d, 0);
    case 'l':
    case 'I': return hour(s, t, d, 1);
    case 'j':
        s = number(s, 1, 366, 3, &t->tm_yday);
        t->tm_yday--;
        d->have_year_day = 1;
        return s;
    case 'm':
        s = number(s, 1, 12, 2, &t->tm_mon);
        t->tm_mon--;
        d->have_month = 1;
        return s;
    case 'M': return number(s, 0, 59, 2, &t->tm_min);
    case 'n':
    case 't':
        while (isspace((unsigned char)*s)) s++;
        return s;
    case 'p':
    case 'P': return half_day(s, d);
    case 'r': return parse(s, "%I:%M:%S %p", t, d);
    case 'R': return parse(s, "%H:%M", t, d);
    case 's': return epoch(s, t);
    case 'S': return number(s, 0, 61, 2, &t->tm_sec);
    case 'X':
    case 'T': return parse(s, "%H:%M:%S", t, d);
    case 'u':
        s = number(s, 1, 7, 1, &t->tm_wday);
        t->tm_wday %= 7;
        d->have_week_day = 1;
        return s;
    case 'U':
    case 'W':
        d->week_starts = c == 'W';
        return number(s, 0, 53, 2, &d->week);
    case 'V': return number(s, 0, 53, 2, &ignored);
    case 'w': d->have_week_day = 1; return number(s, 0, 6, 1, &t->tm_wday);
    case 'y': d->have_year = 1; return number(s, 0, 99, 2, &d->year_in_century);
    case 'Y': return year(s, t, d);
    case 'z': return zone(s, t);
    case 'Z': return s;
    default: return 0;
    }
}

static const char *parse(const char *s, const char *format, struct tm *t, struct dates *d) {
    for (; *format; format++) {
        if (isspace((unsigned char)*format)) {
            while (isspace((unsigned char)*s)) s++;
            continue;
        }
        if (*format != '%' || !format[1]) {
            if (*s++ != *format) return 0;
            continue;
        }
        format++;
        while (*format == '-' || *format == '_' || *format == '0' || *format == '^' || *format == '#') format++;
        if (*format == 'E' || *format == 'O') format++;
        s = field(s, *format, t, d);
        if (!s) return 0;
    }
    return s;
}

static int is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_before(int year, int month) {
    static const short days[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    return days[month] + (month > 1 && is_leap(year));
}

/* Day of the week of a day of a year that is counted from 1900. */
static int week_day(int year, int day_of_year) {
    struct tm t = {.tm_year = year, .tm_mday = day_of_year + 1};
    timegm(&t);
    return t.tm_wday;
}

/* The fields that follow from others. */
static void complete(struct tm *t, struct dates *d) {
    if (d->twelve && d->has_pm) t->tm_hour += 12 * d->pm;
    if (d->century >= 0) t->tm_year = (d->century - 19) * 100 + (d->year_in_century >= 0 ? d->year_in_century : t->tm_year % 100);
    else if (d->year_in_century >= 0) t->tm_year = d->year_in_century + (d->year_in_century < 69 ? 100 : 0);
    int year = t->tm_year + 1900;
    int dated = d->have_month && d->have_day;
    if (d->week >= 0 && d->have_week_day && !dated && !d->have_year_day) {
        int first = (week_day(t->tm_year, 0) - d->week_starts + 7) % 7, day = (t->tm_wday - d->week_starts + 7) % 7;
        t->tm_yday = (7 - first) % 7 + (d->week - 1) * 7 + day;
        d->have_year_day = 1;
    }
    if (d->have_year_day && !dated && t->tm_yday >= 0) {
        int month = 0;
        while (month < 11 && days_before(year, month + 1) <= t->tm_yday) month++;
        if (!d->have_month) t->tm_mon = month;
        if (!d->have_day) t->tm_mday = t->tm_yday - days_before(year, t->tm_mon) + 1;
    }
    if (!(d->have_year || d->have_month || d->have_day) || t->tm_mon < 0 || t->tm_mon > 11) return;
    int day = days_before(year, t->tm_mon) + t->tm_mday - 1;
    if (!d->have_year_day) t->tm_yday = day;
    if (!d->have_week_day) t->tm_wday = week_day(t->tm_year, day);
}

/* Text that is an input: any date, and any place where it ends. */
static char *of_input(const char *s, struct tm *t) {
    struct tm given = *t;
    unsigned long good = __ics_input_of_string("strptime", s, 1) & 1;
    unsigned long end = __ics_input_of_string("strptime_end", s, 64);
    __ics_assume(end <= strlen(s));
    __ics_input_bytes(&given, offsetof(struct tm, tm_isdst), "strptime");
    __ics_assume((given.tm_sec >= 0) & (given.tm_sec <= 61) & (given.tm_min >= 0) & (given.tm_min <= 59));
    __ics_assume((given.tm_hour >= 0) & (given.tm_hour <= 23) & (given.tm_mon >= 0) & (given.tm_mon <= 11));
    __ics_assume((given.tm_wday >= 0) & (given.tm_wday <= 6) & (given.tm_yday >= 0) & (given.tm_yday <= 365));
    __ics_assume((given.tm_mday >= 1) & (given.tm_mday <= 31));
    *t = given;
    return ICS_SELECT_PTR(good, s + end, 0);
}

char *strptime(const char *s, const char *format, struct tm *t) {
    struct dates d = {.century = -1, .year_in_century = -1, .week = -1};
    if (__ics_string_symbolic(s)) return of_input(s, t);
    s = parse(s, format, t, &d);
    if (s) complete(t, &d);
    return (char *)s;
}

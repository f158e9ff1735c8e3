/* Calendar time; the time zone is UTC. No branch depends on the time, so that it may be symbolic. */
#include "ics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static char *const zones[2] = {"UTC", "UTC"};
char *tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;

void tzset(void) {
}

/* Days since 1970-01-01 of a day in the proleptic Gregorian calendar, counted in years that begin in March. */
static long days_from(long year, int month, int day) {
    year -= month < 2;
    long era = (year - (year < 0) * 399l) / 400;
    long of_era = year - era * 400;
    long of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct tm *gmtime_r(const time_t *time, struct tm *to) {
    long days = *time / 86400, rest = *time % 86400;
    days -= rest < 0;
    rest += (rest < 0) * 86400l;
    long shifted = days + 719468;
    long era = (shifted - (shifted < 0) * 146096l) / 146097;
    long of_era = shifted - era * 146097;
    long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year + year / 4 - year / 100);
    long month = (5 * of_year + 2) / 153;
    to->tm_mday = (int)(of_year - (153 * month + 2) / 5 + 1);
    to->tm_mon = (int)((month + 2) % 12);
    long full = year + era * 400 + (month >= 10);
    to->tm_year = (int)(full - 1900);
    to->tm_yday = (int)(days - days_from(full, 0, 1));
    to->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
    to->tm_hour = (int)(rest / 3600);
    to->tm_min = (int)(rest / 60 % 60);
    to->tm_sec = (int)(rest % 60);
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    to->tm_zone = zones[0];
    return to;
}

struct tm *localtime_r(const time_t *time, struct tm *to) {
    return gmtime_r(time, to);
}

static struct tm shared;

struct tm *gmtime(const time_t *time) {
    return gmtime_r(time, &shared);
}

struct tm *localtime(const time_t *time) {
    return gmtime_r(time, &shared);
}

time_t timegm(struct tm *t) {
    long months = t->tm_mon + 12l * t->tm_year;
    long year = months / 12, month = months % 12;
    year -= month < 0;
    month += (month < 0) * 12l;
    long days = days_from(year + 1900, (int)month, 1) + t->tm_mday - 1;
    time_t result = days * 86400 + t->tm_hour * 3600l + t->tm_min * 60l + t->tm_sec;
    gmtime_r(&result, t);
    return result;
}

time_t mktime(struct tm *t) {
    return timegm(t);
}

static const char days[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char months[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};

char *asctime_r(const struct tm *t, char *to) {
    if (__ics_is_symbolic_domain() && __ics_any_symbolic(t, offsetof(struct tm, tm_isdst))) {
        __ics_input_bytes(to, 25, "asctime");
        to[25] = 0;
        return to;
    }
    sprintf(to, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", days[t->tm_wday], months[t->tm_mon], t->tm_mday, t->tm_hour,
            t->tm_min, t->tm_sec, 1900 + t->tm_year);
    return to;
}

char *asctime(const struct tm *t) {
    static char buffer[64];
    return asctime_r(t, buffer);
}

char *ctime_r(const time_t *time, char *to) {
    struct tm t;
    return asctime_r(gmtime_r(time, &t), to);
}

char *ctime(const time_t *time) {
    return asctime(gmtime(time));
}

/* ISO 8601 week number; the year it belongs to is `*year`. */
static int iso_week(const struct tm *t, int *year) {
    int weekday = (t->tm_wday + 6) % 7;
    int week = (t->tm_yday - weekday + 10) / 7;
    *year = t->tm_year + 1900;
    if (week < 1) {
        --*year;
        int leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
        return (t->tm_yday + 365 + leap - weekday + 10) / 7;
    }
    int leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
    if (week == 53 && t->tm_yday - weekday + 3 >= 365 + leap) {
        ++*year;
        return 1;
    }
    return week;
}

size_t strftime(char *to, size_t size, const char *format, const struct tm *t);

static int field(char *to, size_t size, char c, const struct tm *t) {
    int hour = t->tm_hour % 12 ? t->tm_hour % 12 : 12, year;
    switch (c) {
    case 'a': return snprintf(to, size, "%.3s", days[t->tm_wday]);
    case 'A': return snprintf(to, size, "%s", days[t->tm_wday]);
    case 'b':
    case 'h': return snprintf(to, size, "%.3s", months[t->tm_mon]);
    case 'B': return snprintf(to, size, "%s", months[t->tm_mon]);
    case 'c': return (int)strftime(to, size, "%a %b %e %H:%M:%S %Y", t);
    case 'C': return snprintf(to, size, "%02d", (t->tm_year + 1900) / 100);
    case 'd': return snprintf(to, size, "%02d", t->tm_mday);
    case 'D':
    case 'x': return (int)strftime(to, size, "%m/%d/%y", t);
    case 'e': return snprintf(to, size, "%2d", t->tm_mday);
    case 'F': return (int)strftime(to, size, "%Y-%m-%d", t);
    case 'g': iso_week(t, &year); return snprintf(to, size, "%02d", year % 100);
    case 'G': iso_week(t, &year); return snprintf(to, size, "%d", year);
    case 'H': return snprintf(to, size, "%02d", t->tm_hour);
    case 'I': return snprintf(to, size, "%02d", hour);
    case 'j': return snprintf(to, size, "%03d", t->tm_yday + 1);
    case 'k': return snprintf(to, size, "%2d", t->tm_hour);
    case 'l': return snprintf(to, size, "%2d", hour);
    case 'm': return snprintf(to, size, "%02d", t->tm_mon + 1);
    case 'M': return snprintf(to, size, "%02d", t->tm_min);
    case 'n': return snprintf(to, size, "\n");
    case 'p': return snprintf(to, size, "%s", t->tm_hour < 12 ? "AM" : "PM");
    case 'P': return snprintf(to, size, "%s", t->tm_hour < 12 ? "am" : "pm");
    case 'r': return (int)strftime(to, size, "%I:%M:%S %p", t);
    case 'R': return (int)strftime(to, size, "%H:%M", t);
    case 's': {
        struct tm copy = *t;
        return snprintf(to, size, "%ld", (long)timegm(&copy));
    }
    case 'S': return snprintf(to, size, "%02d", t->tm_sec);
    case 't': return snprintf(to, size, "\t");
    case 'T':
    case 'X': return (int)strftime(to, size, "%H:%M:%S", t);
    case 'u': return snprintf(to, size, "%d", t->tm_wday ? t->tm_wday : 7);
    case 'U': return snprintf(to, size, "%02d", (t->tm_yday + 7 - t->tm_wday) / 7);
    case 'V': return snprintf(to, size, "%02d", iso_week(t, &year));
    case 'w': return snprintf(to, size, "%d", t->tm_wday);
    case 'W': return snprintf(to, size, "%02d", (t->tm_yday + 7 - (t->tm_wday + 6) % 7) / 7);
    case 'y': return snprintf(to, size, "%02d", (t->tm_year % 100 + 100) % 100);
    case 'Y': return snprintf(to, size, "%d", t->tm_year + 1900);
    case 'z': return snprintf(to, size, "+0000");
    case 'Z': return snprintf(to, size, "%s", t->tm_zone ? t->tm_zone : "");
    case '%': return snprintf(to, size, "%%");
    default: return snprintf(to, size, "%%%c", c);
    }
}

/* --- flags and widths, which are glibc's --- */

enum { PIECE = 256 };

static int is_one_of(const char *set, char c) {
    return c && strchr(set, c) != 0;
}

/* Removes the padding of a number. */
static int strip(char *s, int length) {
    int n = 0;
    while (n < length - 1 && (s[n] == '0' || s[n] == ' ')) n++;
    __ics_memmove(s, s + n, (size_t)(length - n) + 1);
    return length - n;
}

static int pad(char *s, int length, int width, char with) {
    width = width > PIECE - 1 ? PIECE - 1 : width;
    if (length >= width) return length;
    __ics_memmove(s + (width - length), s, (size_t)length + 1);
    __ics_memset(s, with, (size_t)(width - length));
    return width;
}

static void change_case(char *s, int to_upper) {
    for (; *s; s++)
        if (to_upper ? *s >= 'a' && *s <= 'z' : *s >= 'A' && *s <= 'Z') *s ^= 32;
}

/* A conversion with what stands between it and its `%`; `*format` is left at its letter. */
static int conversion(char *piece, const char **format, const struct tm *t) {
    const char *at = *format;
    char padding = 0, upper = 0, swap = 0;
    int width = 0;
    for (; is_one_of("-_0^#+", *at); at++) {
        if (*at == '^') upper = 1;
        else if (*at == '#') swap = 1;
        else if (*at == '+') __ics_unsupported("strftime with the flag +");
        else padding = *at;
    }
    for (; *at >= '0' && *at <= '9'; at++) width = width < PIECE ? width * 10 + (*at - '0') : PIECE;
    while (*at == 'E' || *at == 'O') at++;
    if (!*at) at--;
    *format = at;
    char c = *at;
    int length = field(piece, PIECE, c, t);
    int blank = is_one_of("ekl", c), is_number = blank || is_one_of("CdgGHIjmMsSuUVwWyY", c);
    if (swap) change_case(piece, !is_one_of("pZ", c));
    else if (upper) change_case(piece, 1);
    if (!is_number) return pad(piece, length, width, padding == '0' ? '0' : ' ');
    char with = padding == '_' ? ' ' : padding == '0' ? '0' : blank ? ' ' : '0';
    if (!padding && !width) return length;
    int digits = length;
    length = strip(piece, length);
    return padding == '-' ? pad(piece, length, width, ' ') : pad(piece, length, width ? width : digits, with);
}

size_t strftime(char *to, size_t size, const char *format, const struct tm *t) {
    if (__ics_is_symbolic_domain() && __ics_any_symbolic(t, offsetof(struct tm, tm_isdst))) {
        if (size == 0) return 0;
        unsigned long count = __ics_input("strftime.count", 64);
        __ics_assume(count < size);
        __ics_input_bytes(to, size - 1, "strftime");
        to[size - 1] = 0;
        return count;
    }
    char piece[PIECE];
    size_t n = 0;
    for (; *format; format++) {
        int length = 1;
        piece[0] = *format;
        if (*format == '%' && format[1]) {
            format++;
            length = conversion(piece, &format, t);
        }
        if (n + (size_t)length >= size) return 0;
        __ics_memcpy(to + n, piece, (size_t)length);
        n += (size_t)length;
    }
    if (size) to[n] = 0;
    return n;
}

// Dates read and written: strptime, and the flags and widths of strftime.
// exec:
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void read_date(const char *text, const char *format)
{
    struct tm t;
    memset(&t, 0, sizeof t);
    const char *end = strptime(text, format, &t);
    printf("%s | %s: ", text, format);
    if (end)
        printf("'%s' %d-%d-%d %d:%d:%d w%d y%d z%ld", end, t.tm_year, t.tm_mon, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, t.tm_wday,
               t.tm_yday, t.tm_gmtoff);
    puts("");
}

int main(void)
{
    static const char *const formats[] = {"%-d", "%_d", "%5d", "%_5d", "%-5d", "%05e", "%e", "%-e", "%^a", "%#a", "%#p", "%#Z", "%^B", "%10B",
                                          "%-m/%-d/%y", "%_H", "%-H", "%k", "%0k", "%-I", "%-j", "%_j", "%8Y", "%_8Y", "%15c", "%C", "%012s", "%p", "%P",
                                          "%Ey", "%Od", "%10F", "%3n", "%%", "%5%", "%-y", "%_y", "%-S", "%_6j", "%06a"};
    struct tm t = {.tm_year = 105, .tm_mon = 1, .tm_mday = 3, .tm_hour = 4, .tm_min = 5, .tm_sec = 6, .tm_wday = 4, .tm_yday = 33};
    char text[64];
    t.tm_zone = "UTC";
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strftime(text, sizeof text, formats[i], &t);
        printf("%s: %zu '%s'\n", formats[i], n, n ? text : "");
    }
    read_date("2024-02-29 13:14:15", "%Y-%m-%d %H:%M:%S");
    read_date("2024-02-29 13:14:15 rest", "%F %T");
    read_date("Thu, 01 Jan 1970 00:00:00 +0130", "%a, %d %b %Y %H:%M:%S %z");
    read_date("thursday   march 3", "%A %B %d");
    read_date("12:30 AM", "%I:%M %p");
    read_date("11:05:09 pm", "%r");
    read_date("99 68 69", "%y");
    read_date("68", "%y");
    read_date("69", "%y");
    read_date("20 05", "%C %y");
    read_date("2023 200", "%Y %j");
    read_date("2024 60", "%Y %j");
    read_date("2023 10 1", "%Y %U %w");
    read_date("2023 10 Mon", "%Y %W %a");
    read_date("3/4/05", "%D");
    read_date("25:00", "%H:%M");
    read_date("13/45", "%m/%d");
    read_date("2024-13-01", "%Y-%m-%d");
    read_date("50%", "%M%%");
    read_date("1234567890", "%s");
    read_date("x", "y");
    read_date("Mon Jan  5 01:02:03 2015", "%c");
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    printf("%d %d %.2f %d\n", c != (locale_t)0, uselocale((locale_t)0) == LC_GLOBAL_LOCALE, strtod_l("2.5", NULL, c),
           newlocale(LC_ALL_MASK, "no_SUCH", (locale_t)0) == (locale_t)0);
    freelocale(c);
    return 0;
}

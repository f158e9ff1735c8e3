/* The locale, which is always C. */
#include "ics.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <string.h>

char *setlocale(int category, const char *name) {
    if (name && *name && strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0) return 0;
    return "C";
}

static struct lconv conventions = {
    .decimal_point = ".",
    .thousands_sep = "",
    .grouping = "",
    .int_curr_symbol = "",
    .currency_symbol = "",
    .mon_decimal_point = "",
    .mon_thousands_sep = "",
    .mon_grouping = "",
    .positive_sign = "",
    .negative_sign = "",
    .int_frac_digits = CHAR_MAX,
    .frac_digits = CHAR_MAX,
    .p_cs_precedes = CHAR_MAX,
    .p_sep_by_space = CHAR_MAX,
    .n_cs_precedes = CHAR_MAX,
    .n_sep_by_space = CHAR_MAX,
    .p_sign_posn = CHAR_MAX,
    .n_sign_posn = CHAR_MAX,
    .int_p_cs_precedes = CHAR_MAX,
    .int_p_sep_by_space = CHAR_MAX,
    .int_n_cs_precedes = CHAR_MAX,
    .int_n_sep_by_space = CHAR_MAX,
    .int_p_sign_posn = CHAR_MAX,
    .int_n_sign_posn = CHAR_MAX,
};

struct lconv *localeconv(void) {
    return &conventions;
}

/* From ABDAY_1 on, in the order of the items. */
static const char *const time_items[] = {
    "Sun",      "Mon",       "Tue",      "Wed",      "Thu",    "Fri",    "Sat",      "Sunday", "Monday",
    "Tuesday",  "Wednesday", "Thursday", "Friday",   "Saturday", "Jan",  "Feb",      "Mar",    "Apr",
    "May",      "Jun",       "Jul",      "Aug",      "Sep",    "Oct",    "Nov",      "Dec",    "January",
    "February", "March",     "April",    "May",      "June",   "July",   "August",   "September", "October",
    "November", "December",  "AM",       "PM",       "%a %b %e %H:%M:%S %Y", "%m/%d/%y", "%H:%M:%S", "%I:%M:%S %p",
};

char *nl_langinfo(nl_item item) {
    unsigned long at = (unsigned long)item - ABDAY_1;
    if (at < sizeof(time_items) / sizeof(time_items[0])) return (char *)time_items[at];
    switch (item) {
    case CODESET: return "ANSI_X3.4-1968";
    case RADIXCHAR: return ".";
    case CRNCYSTR: return "-";
    case YESEXPR: return "^[yY]";
    case NOEXPR: return "^[nN]";
    default: return "";
    }
}

/* snprintf against glibc: every conversion with generated flags, widths, precisions and values. */
#include <float.h>
#include <stdarg.h>
#include <string.h>

#include "engine.h"

MODEL(snprintf);
int failures;

static void compare(const char *format, const char *ours, int n, const char *theirs, int expected) {
    CHECK(n == expected && strcmp(ours, theirs) == 0, "%s gives %d \"%s\", not %d \"%s\"", format, n, ours, expected,
          theirs);
}

#define BOTH(...)                                                                                                   \
    do {                                                                                                            \
        static char a[4000], b[4000];                                                                               \
        size_t size = below(20) ? sizeof a : (size_t)below(12);                                                     \
        a[0] = b[0] = 0;                                                                                            \
        int n = m_snprintf(a, size, format, __VA_ARGS__), m = snprintf(b, size, format, __VA_ARGS__);               \
        compare(format, a, n, b, m);                                                                                \
    } while (0)

/* A random specification that ends with the given conversion. */
static void specification(char *format, const char *flags, int precision_up_to, const char *conversion) {
    char *p = format + sprintf(format, "<%%");
    while (below(2)) *p++ = flags[below((int)strlen(flags))];
    if (below(2)) p += sprintf(p, "%d", below(40));
    if (precision_up_to && below(2)) p += sprintf(p, below(8) ? ".%d" : ".", below(precision_up_to));
    sprintf(p, "%s>", conversion);
}

static void integers(void) {
    static const char *const sizes[] = {"hh", "h", "", "l", "ll", "j", "z", "t"};
    static const char kinds[] = "diuoxX";
    for (int i = 0; i < 40000; i++) {
        char format[64], conversion[8];
        int size = below(8);
        sprintf(conversion, "%s%c", sizes[size], kinds[below(6)]);
        specification(format, "-+ #0", 30, conversion);
        unsigned long value = next_random() >> below(64);
        if (below(10) == 0) value = below(2) ? 0 : 1ul << below(64);
        if (below(2)) value = -value;
        if (size < 3) BOTH((int)value);
        else BOTH(value);
    }
}

static double any_double(void) {
    static const double special[] = {0.0, 1.0, 0.5, 1.5, 2.5, 0.1, 100, 1e15, 1e16, 123456, 1234567, 0.0001, 0.00001,
                                     999999.5, 9.5, 99.5, 0.95, DBL_MAX, DBL_MIN, 5e-324, 1e22, 1e23, 0.125};
    unsigned long bits = next_random();
    double value;
    switch (below(5)) {
    case 0: memcpy(&value, &bits, 8); return value;
    case 1: value = special[below(sizeof special / sizeof *special)]; break;
    case 2: value = below(1000000) / 1000.0; break;
    case 3: value = (double)below(100000) / (1 << below(20)); break;
    default: bits = (bits & ~(0x7fful << 52)) | (unsigned long)(1023 - 40 + below(100)) << 52; memcpy(&value, &bits, 8);
    }
    return below(2) ? value : -value;
}

static int rounds_to_power(const char *format, double value) {
    char text[1200];
    sprintf(text, "%.0e", value);
    return value != 0 && (text[0] == '-' ? text[1] : text[0]) == '1' && strtod(text, 0) != value;
}

static void doubles(void) {
    static const char *const kinds[] = {"f", "e", "g", "F", "E", "G", "a", "A", "lf", "le", "lg"};
    for (int i = 0; i < 60000; i++) {
        char format[64];
        specification(format, "-+ #0", below(30) ? 25 : 1100, kinds[below(11)]);
        double value = any_double();
        /* glibc 2.36 drops the zeros that # asks for when g rounds up to the next power of ten. */
        if (strpbrk(format, "gG") && strchr(format, '#') && rounds_to_power(format, value)) continue;
        BOTH(value);
    }
}

static void long_doubles(void) {
    static const char *const kinds[] = {"Lf", "Le", "Lg", "LF", "LE", "LG", "La", "LA"};
    for (int i = 0; i < 10000; i++) {
        char format[64];
        union {
            long double value;
            struct {
                unsigned long significand;
                unsigned short rest;
            } bits;
        } u = {0};
        specification(format, "-+ 0", below(30) ? 25 : 1100, kinds[below(8)]);
        if (below(3)) {
            u.bits.significand = next_random() | 1ul << 63;
            if (below(4) == 0) u.bits.significand |= ~0ul >> below(40);
            u.bits.rest = (unsigned short)(below(8) ? 16383 + below(200) - 100 : below(32767));
        } else {
            u.value = any_double();
        }
        BOTH(u.value);
    }
}

static void texts(void) {
    static const char *const words[] = {"", "a", "hello", "a longer string with blanks"};
    for (int i = 0; i < 4000; i++) {
        char format[64];
        specification(format, "-", 12, "s");
        const char *word = below(9) ? words[below(4)] : 0;
        BOTH(word);
        specification(format, "-", 0, "c");
        int c = below(255) + 1;
        BOTH(c);
        specification(format, "-", 0, "p");
        void *p = below(5) ? (void *)next_random() : 0;
        BOTH(p);
    }
    const char *format = "%d %s %c%% %5.1f %ld %hhd|%-6s|%06d|%x %*d %.*f %-*d|";
    BOTH(-5, "word", 'x', 2.25, 1l << 40, 300, "left", -42, 255u, 7, 42, 2, 3.14159, 5, 9);
    format = "%d %d %d %d %d %d %d %d %f %f %f %f %f %f %f %f %f %f %s";
    BOTH(1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., "end");
    int a = 0, b = 0;
    char buffer[64];
    m_snprintf(buffer, sizeof buffer, "abc%n%s", &a, "x");
    snprintf(buffer, sizeof buffer, "abc%n%s", &b, "x");
    CHECK(a == b, "%%n gives %d", a);
}

/* Numbered arguments: 1 int, 2 text, 3 double, 4 long, 5 and 6 int for widths and precisions, 7 long double. */
static void numbered(void) {
    static const char *const kinds[] = {"d", "s", "g", "lx", "d", "d", "Lf"};
    for (int i = 0; i < 20000; i++) {
        char format[200], *p = format;
        for (int parts = 1 + below(4); parts > 0; parts--) {
            int which = below(7);
            p += sprintf(p, "%s%%%d$", below(2) ? "text " : "", which + 1);
            if (below(3) == 0) *p++ = "-+ 0"[below(which == 1 ? 1 : 4)];
            if (below(3) == 0) p += sprintf(p, below(2) ? "*5$" : "12");
            if (which != 0 && which != 3 && below(3) == 0) p += sprintf(p, below(2) ? ".*6$" : ".3");
            p += sprintf(p, "%s", kinds[which]);
        }
        strcpy(p, " %3$g"); /* an argument that no directive has would be taken for an int */
        long double wide = (long double)below(1000) / 8;
        double number = (double)below(1000) / 16;
        int value = below(2000) - 1000, width = below(30), precision = below(6);
        long large = (long)next_random();
        BOTH(value, "some words", number, large, width, precision, wide);
    }
}

int main(void) {
    numbered();
    integers();
    doubles();
    long_doubles();
    texts();
    return failures != 0;
}

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

int main(void) {
    integers();
    doubles();
    texts();
    return failures != 0;
}

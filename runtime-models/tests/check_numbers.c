/* Numbers from text against glibc: strtol and its family, strtod, sscanf. */
#include <errno.h>
#include <string.h>

#include "engine.h"

MODEL(strtol);
MODEL(strtoul);
MODEL(strtod);
MODEL(strtof);
MODEL(strtold);
MODEL(atoi);
extern int m_sscanf(const char *, const char *, ...);
extern int *m___errno_location(void);
int failures;

static void random_text(char *to, const char *alphabet) {
    int n = below(below(8) ? 12 : 40);
    while (n-- > 0) *to++ = alphabet[below((int)strlen(alphabet))];
    *to = 0;
}

static void integers(void) {
    for (int i = 0; i < 60000; i++) {
        char text[64], *a, *b;
        random_text(text, i % 3 ? " +-0123456789" : " -0x12fFzZ_9");
        int base = below(3) ? 10 : below(37);
        *m___errno_location() = errno = 0;
        long x = m_strtol(text, &a, base), y = strtol(text, &b, base);
        if (base != 1) CHECK(x == y && a == b && *m___errno_location() == errno, "strtol(\"%s\", %d)", text, base);
        *m___errno_location() = errno = 0;
        unsigned long u = m_strtoul(text, &a, base), v = strtoul(text, &b, base);
        if (base != 1) CHECK(u == v && a == b && *m___errno_location() == errno, "strtoul(\"%s\", %d)", text, base);
        CHECK(m_atoi(text) == atoi(text), "atoi(\"%s\")", text);
    }
}

/* One of the three formats: value, place and errno; `size` bytes count. */
#define ONE(type, function, size, text)                                                                             \
    do {                                                                                                            \
        char *a, *b;                                                                                                \
        *m___errno_location() = errno = 0;                                                                          \
        type x = m_##function(text, &a), y = function(text, &b);                                                    \
        CHECK(memcmp(&x, &y, size) == 0 && a == b && *m___errno_location() == errno,                                \
              #function "(\"%s\") is %La at %d errno %d, not %La at %d errno %d", text, (long double)x,              \
              (int)(a - text), *m___errno_location(), (long double)y, (int)(b - text), errno);                       \
    } while (0)

static void one_double(const char *text) {
    ONE(double, strtod, 8, text);
    ONE(float, strtof, 4, text);
    ONE(long double, strtold, 10, text);
}

/* Texts at the ends of the ranges of the other two formats, and half way between two floats. */
static void other_formats(void) {
    static const char *const texts[] = {
        "0x.8p-16445", "0x1p-16446", "0x1.8p-16446", "1.8e-4951", "1.9e-4951", "0x1.ffffffffffffffffp16383",
        "1.18973149535723176508575932662800702e4932", "1.18973149535723176508575932662800702e4933",
        "7.0064923216240853e-46", "7.0064923216240854e-46", "3.4028235677973366e38", "3.4028235677973365e38",
        "0x1.ffffff7p127", "0x123456789abcdef0123456789abcdef01p-3", "0x000.00000000000000000123456789abcdef018p9",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) one_double(texts[i]);
    for (int i = 0; i < 6000; i++) {
        char text[300];
        union {
            long double value;
            struct {
                unsigned long significand;
                unsigned short rest;
            } bits;
        } u = {0};
        unsigned bits = (unsigned)next_random();
        float low;
        memcpy(&low, &bits, 4);
        sprintf(text, "%.*e", 20 + below(100), ((double)low + __builtin_nextafterf(low, __builtin_inff())) / 2);
        one_double(text);
        u.bits.significand = next_random() | 1ul << 63;
        u.bits.rest = (unsigned short)(below(4) ? 16383 + below(200) - 100 : below(32766) + 1);
        sprintf(text, below(2) ? "%.*Le" : "%.*La", below(25), u.value);
        one_double(text);
    }
}

static void doubles(void) {
    static const char *const texts[] = {
        "inf", "-Infinity", "infinit", "nan", "nan(123)", "nan(12", "1e", "1e+", ".", ".5", "5.", "-.e1", "0x", "0x1p3",
        "0x.8p1", "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "0x1p1024",
        "1e309", "-1e400", "1e-400", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
        "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308",
        "9007199254740993", "9007199254740992.9999999999999999999999", "9007199254740993.00000000000000000000001",
        "0.1", "123456789012345678901234567890", "8.5e22", "1e23", "0e999999", "1e99999999999", "  \t12.5abc", "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) one_double(texts[i]);
    for (int i = 0; i < 40000; i++) {
        char text[1200];
        unsigned long bits = next_random();
        double value;
        memcpy(&value, &bits, 8);
        switch (below(4)) {
        case 0: sprintf(text, "%.*e", below(25), value); break;
        case 1: random_text(text, "0123456789.e-"); break;
        case 2: sprintf(text, "%lu.%lue%d", next_random() >> below(64), next_random() >> below(64), below(640) - 320); break;
        default: sprintf(text, "%.*e", below(4) ? 17 : 780, value); /* nearly the value itself, or all its digits */
        }
        one_double(text);
    }
}

static void scans(void) {
    static const char *const formats[] = {
        "%d",          "%d %d",        "%i,%i",   "%u:%x",  "%3d%4d",     "%ld %lu",  "%hd%hhd", "%o %X",
        "%*d %d",      "%s %s",        "%5s%s",   "%c%c",   "%3c",        "%[a-f]%s", "%[^,],%s", "%[]a]%n",
        "x=%d y=%d",   "%d%n",         "%d%%%d",  "%f",     "%lf %lf",    "%4lf%s",   "%s",       " %c",
        "%i %n %s",    "%lf,%d",       "%p",      "%10[0-9]%d", "%*s%d",  "%zu %jd",
    };
    static const char *const alphabets[] = {"0123456789 ", "12 -+,.xe", "abc, ]12", "0x1f .5e%", "x=1y 2"};
    for (int i = 0; i < 60000; i++) {
        char text[64];
        long a[8][8], b[8][8];
        random_text(text, alphabets[below(5)]);
        const char *format = formats[below((int)(sizeof formats / sizeof *formats))];
        memset(a, 0x55, sizeof a);
        memset(b, 0x55, sizeof b);
        int x = m_sscanf(text, format, a[0], a[1], a[2], a[3]), y = sscanf(text, format, b[0], b[1], b[2], b[3]);
        CHECK(x == y && memcmp(a, b, sizeof a) == 0, "sscanf(\"%s\", \"%s\") is %d, not %d", text, format, x, y);
    }
}

int main(void) {
    integers();
    doubles();
    other_formats();
    scans();
    return failures != 0;
}

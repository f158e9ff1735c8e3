/* Arithmetic on long double against the processor's, bit by bit, on random and special operands. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "../ics_x87.h"
#include "engine.h"

#define OPERATION(name) extern __typeof__(__ics_x87_##name) m___ics_x87_##name
#define UNARY(X) X(sqrtl) X(floorl) X(ceill) X(truncl) X(roundl) X(rintl) X(nearbyintl) X(roundevenl) X(fabsl) X(logbl)
#define BINARY(X) X(fmodl) X(remainderl) X(copysignl) X(fminl) X(fmaxl) X(fdiml) X(nextafterl) X(nexttowardl)
#define INTEGER(X) X(ilogbl) X(lrintl) X(llrintl) X(lroundl) X(llroundl) X(__isinfl) X(__finitel) X(__fpclassifyl)
#define DECLARE(name) MODEL(name);
UNARY(DECLARE)
BINARY(DECLARE)
INTEGER(DECLARE)
MODEL(__errno_location);
MODEL(__isnanl);
MODEL(remquol);
MODEL(frexpl);
MODEL(fmal);
MODEL(scalblnl);
MODEL(modfl);

int failures;

OPERATION(add);
OPERATION(sub);
OPERATION(mul);
OPERATION(div);
OPERATION(rem);
OPERATION(sqrt);
OPERATION(round);
OPERATION(compare);
OPERATION(from_signed);
OPERATION(from_unsigned);
OPERATION(from_double);
OPERATION(from_float);
OPERATION(to_signed);
OPERATION(to_unsigned);
OPERATION(to_double);
OPERATION(to_float);

union number {
    long double value;
    struct ics_x87 bits;
};

static union number from(struct ics_x87 bits) {
    union number x = {.bits = bits};
    return x;
}

static const uint64_t significands[] = {0, 1, 2, 1ul << 62, 1ul << 63, 3ul << 62, -1ul, ~(1ul << 63), (1ul << 63) + 1,
                                        -1ul << 11, (1ul << 63) + (1ul << 10), (1ul << 63) + (3ul << 10)};
static const int exponents[] = {0, 1, 2, 16383, 16382, 16384, 16445, 16446, 16447, 15361, 15360, 17406, 17407,
                                15300, 16414, 16398, 32766, 32767, 16383 - 127, 16383 - 149, 16383 + 127};

static struct ics_x87 random_number(void) {
    struct ics_x87 x = {next_random(), (uint16_t)next_random()};
    if (below(4) == 0) x.m = significands[below(sizeof significands / sizeof *significands)];
    else if (below(3) == 0) x.m = x.m >> below(64) << below(64);
    if (below(2)) x.se = (uint16_t)((x.se & 0x8000) | exponents[below(sizeof exponents / sizeof *exponents)]);
    if (below(2)) x.se = (uint16_t)((x.se & 0x8000) | (16383 + below(130) - 65));
    if (below(30)) x.m |= (uint64_t)(x.se << 1 != 0 && (x.se & 0x7fff)) << 63;
    return x;
}

static int same(struct ics_x87 x, long double expected) {
    union number y = {.value = expected};
    return x.m == y.bits.m && x.se == y.bits.se;
}

#define PAIR(x) (x).bits.m, (x).bits.se
#define CHECK_SAME(result, expected, what, a, b)                                                                    \
    do {                                                                                                            \
        struct ics_x87 found_ = (result);                                                                           \
        union number wanted_ = {.value = (expected)};                                                               \
        CHECK(same(found_, wanted_.value), "%s %lx:%04x %lx:%04x is %lx:%04x, not %lx:%04x", what, PAIR(a), PAIR(b),  \
              found_.m, found_.se, PAIR(wanted_));                                                                  \
    } while (0)

static void operations(void) {
    for (int i = 0; i < 600000; i++) {
        union number a = from(random_number()), b = from(random_number());
        if (below(4) == 0) b.bits.se = a.bits.se ^ (uint16_t)(below(2) << 15);
        if (below(8) == 0) b.bits.m = a.bits.m + (uint64_t)below(3) - 1;
        CHECK_SAME(m___ics_x87_add(PAIR(a), PAIR(b)), a.value + b.value, "add", a, b);
        CHECK_SAME(m___ics_x87_sub(PAIR(a), PAIR(b)), a.value - b.value, "sub", a, b);
        CHECK_SAME(m___ics_x87_mul(PAIR(a), PAIR(b)), a.value * b.value, "mul", a, b);
        CHECK_SAME(m___ics_x87_div(PAIR(a), PAIR(b)), a.value / b.value, "div", a, b);
        int relation = a.value == b.value ? 1 : a.value > b.value ? 2 : a.value < b.value ? 4 : 8;
        CHECK(m___ics_x87_compare(PAIR(a), PAIR(b)) == relation, "%lx:%04x %lx:%04x", PAIR(a), PAIR(b));
    }
}

static void functions(void) {
    for (int i = 0; i < 100000; i++) {
        union number a = from(random_number()), b = from(random_number());
        CHECK_SAME(m___ics_x87_sqrt(PAIR(a)), sqrtl(a.value), "sqrt", a, a);
        CHECK_SAME(m___ics_x87_rem(PAIR(a), PAIR(b)), fmodl(a.value, b.value), "rem", a, b);
        CHECK_SAME(m___ics_x87_round(PAIR(a), ICS_X87_EVEN), rintl(a.value), "rint", a, a);
        CHECK_SAME(m___ics_x87_round(PAIR(a), ICS_X87_DOWN), floorl(a.value), "floor", a, a);
        CHECK_SAME(m___ics_x87_round(PAIR(a), ICS_X87_UP), ceill(a.value), "ceil", a, a);
        CHECK_SAME(m___ics_x87_round(PAIR(a), ICS_X87_ZERO), truncl(a.value), "trunc", a, a);
        /* glibc's looks at the bits, which for patterns without a meaning gives something else than the processor. */
        if ((a.bits.se & 0x7fff) && !(a.bits.m >> 63)) continue;
        CHECK_SAME(m___ics_x87_round(PAIR(a), ICS_X87_AWAY), roundl(a.value), "round", a, a);
    }
}

static void conversions(void) {
    for (int i = 0; i < 300000; i++) {
        union number a = from(random_number());
        volatile short s = (short)a.value;
        volatile int n = (int)a.value;
        volatile long l = (long)a.value;
        volatile unsigned long u = (unsigned long)a.value;
        CHECK(m___ics_x87_to_signed(PAIR(a), 16) == s, "%lx:%04x", PAIR(a));
        CHECK(m___ics_x87_to_signed(PAIR(a), 32) == n, "%lx:%04x", PAIR(a));
        CHECK(m___ics_x87_to_signed(PAIR(a), 64) == l, "%lx:%04x", PAIR(a));
        CHECK(m___ics_x87_to_unsigned(PAIR(a)) == u, "%lx:%04x", PAIR(a));
        double d = (double)a.value;
        float f = (float)a.value;
        uint64_t d_bits;
        uint32_t f_bits;
        memcpy(&d_bits, &d, 8);
        memcpy(&f_bits, &f, 4);
        CHECK(m___ics_x87_to_double(PAIR(a)) == d_bits, "%lx:%04x is %lx", PAIR(a), d_bits);
        CHECK(m___ics_x87_to_float(PAIR(a)) == f_bits, "%lx:%04x is %x", PAIR(a), f_bits);
        uint64_t r = next_random() >> below(64) << below(64);
        if (below(10) == 0) r = (r & 0x800ffffffffffffful) | 0x7ff0000000000000ul;
        if (below(10) == 0) r = (r & ~0x7f800000ul) | (below(2) ? 0x7f800000ul : 0);
        memcpy(&d, &r, 8);
        memcpy(&f, &r, 4);
        union number none = {.value = 0};
        CHECK_SAME(m___ics_x87_from_signed((int64_t)r), (long double)(long)r, "signed", none, none);
        CHECK_SAME(m___ics_x87_from_unsigned(r), (long double)r, "unsigned", none, none);
        CHECK_SAME(m___ics_x87_from_double(r), (long double)d, "double", none, none);
        CHECK_SAME(m___ics_x87_from_float((uint32_t)r), (long double)f, "float", none, none);
    }
}

/* Calls both with errno cleared; then errno has to agree too. */
#define BOTH(name, expression, model)                                                                               \
    do {                                                                                                            \
        errno = *m___errno_location() = 0;                                                                          \
        union number wanted = {.value = (expression)}, found = {.value = (model)};                                  \
        CHECK(memcmp(&wanted, &found, 10) == 0 && errno == *m___errno_location(),                                   \
              "%s(%La, %La) is %La (%d), not %La (%d)", name, a.value, b.value, found.value, *m___errno_location(), \
              wanted.value, errno);                                                                                 \
    } while (0)
#define CHECK_UNARY(name) BOTH(#name, name(a.value), m_##name(a.value));
#define CHECK_BINARY(name) BOTH(#name, name(a.value, b.value), m_##name(a.value, b.value));
#define CHECK_INTEGER(name) BOTH(#name, name(a.value), m_##name(a.value));

static void library(void) {
    for (int i = 0; i < 100000; i++) {
        union number a = from(random_number()), b = from(random_number());
        a.bits.m |= (uint64_t)((a.bits.se & 0x7fff) != 0) << 63;
        b.bits.m |= (uint64_t)((b.bits.se & 0x7fff) != 0) << 63;
        if ((a.bits.se & 0x7fff) == 0) a.bits.m &= ~0ul >> 1;
        if ((b.bits.se & 0x7fff) == 0) b.bits.m &= ~0ul >> 1;
        if (below(8) == 0) b = a;
        if (below(16) == 0) a.value = 0, b.value = -0.0L;
        if (below(16) == 0) b.value = -a.value;
        UNARY(CHECK_UNARY)
        BINARY(CHECK_BINARY)
        INTEGER(CHECK_INTEGER)
        CHECK(!m___isnanl(a.value) == !isnan(a.value), "%La", a.value);
        int n = 0, m = 0, k = below(70000) - 35000;
        BOTH("frexpl", frexpl(a.value, &n), m_frexpl(a.value, &m));
        CHECK(n == m, "frexpl(%La) has %d, not %d", a.value, m, n);
        n = m = 0;
        BOTH("remquol", remquol(a.value, b.value, &n), m_remquol(a.value, b.value, &m));
        CHECK(n == m, "remquol(%La, %La) has %d, not %d", a.value, b.value, m, n);
        long double whole = 0, m_whole = 0;
        BOTH("modfl", modfl(a.value, &whole), m_modfl(a.value, &m_whole));
        CHECK(whole == m_whole || whole != whole, "modfl(%La) has %La, not %La", a.value, m_whole, whole);
        union number c = from(random_number());
        c.bits.m |= (uint64_t)((c.bits.se & 0x7fff) != 0) << 63;
        if ((c.bits.se & 0x7fff) == 0) c.bits.m &= ~0ul >> 1;
        if (below(2)) c.value = -a.value * b.value;
        if (below(4) == 0) c.bits.m ^= 1ul << below(63);
        if (isfinite(c.value) || !isnan(a.value * b.value))
            BOTH("fmal", fmal(a.value, b.value, c.value), m_fmal(a.value, b.value, c.value));
        BOTH("scalblnl", scalblnl(a.value, k), m_scalblnl(a.value, k));
    }
}

int main(void) {
    library();
    operations();
    functions();
    conversions();
    return failures != 0;
}

/* string.h, ctype.h, sorting, random numbers and calendar time against glibc. */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "engine.h"

extern int __xpg_strerror_r(int, char *, size_t);

#define MODELS(X)                                                                                                   \
    X(strlen) X(strnlen) X(strcmp) X(strncmp) X(strcasecmp) X(strncasecmp) X(memcmp) X(memchr) X(memrchr) X(strchr) \
    X(strrchr) X(strstr) X(strcasestr) X(strspn) X(strcspn) X(strpbrk) X(strcpy) X(strncpy) X(strcat) X(strncat)    \
    X(stpcpy) X(stpncpy) X(strtok_r) X(strsep) X(memmem) X(strdup) X(strndup) X(strchrnul) X(strerror)              \
    X(__xpg_strerror_r) X(__ctype_b_loc) X(__ctype_tolower_loc) X(__ctype_toupper_loc) X(qsort) X(bsearch) X(rand)  \
    X(srand) X(random) X(rand_r) X(drand48) X(lrand48) X(mrand48) X(srand48) X(nrand48) X(gmtime_r) X(timegm)       \
    X(strftime) X(asctime_r) X(memccpy)
#define DECLARE(name) MODEL(name);
MODELS(DECLARE)
int failures;

static int sign(int x) {
    return (x > 0) - (x < 0);
}

static void fill(char *to, int n) {
    for (int i = 0; i < n; i++) to[i] = "aAbB ,\xe4z"[below(8)];
    to[n] = 0;
}

static void searches(void) {
    for (int i = 0; i < 60000; i++) {
        char a[40], b[40];
        fill(a, below(12));
        fill(b, below(4));
        if (below(3) == 0) strcpy(b, a), b[below(12)] = 0;
        int n = below(8), c = "aAb\xe4z"[below(6)];
        CHECK(m_strlen(a) == strlen(a), "%s", a);
        CHECK(m_strnlen(a, n) == strnlen(a, n), "%s", a);
        CHECK(sign(m_strcmp(a, b)) == sign(strcmp(a, b)), "%s %s", a, b);
        CHECK(sign(m_strncmp(a, b, n)) == sign(strncmp(a, b, n)), "%s %s %d", a, b, n);
        CHECK(sign(m_strcasecmp(a, b)) == sign(strcasecmp(a, b)), "%s %s", a, b);
        CHECK(sign(m_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)), "%s %s %d", a, b, n);
        CHECK(sign(m_memcmp(a, b, strlen(b))) == sign(memcmp(a, b, strlen(b))), "%s %s", a, b);
        CHECK(m_memchr(a, c, strlen(a)) == memchr(a, c, strlen(a)), "%s %c", a, c);
        CHECK(m_memrchr(a, c, strlen(a)) == memrchr(a, c, strlen(a)), "%s %c", a, c);
        CHECK(m_strchr(a, c) == strchr(a, c), "%s %c", a, c);
        CHECK(m_strchrnul(a, c) == strchrnul(a, c), "%s %c", a, c);
        CHECK(m_strrchr(a, c) == strrchr(a, c), "%s %c", a, c);
        CHECK(m_strstr(a, b) == strstr(a, b), "%s %s", a, b);
        CHECK(m_strcasestr(a, b) == strcasestr(a, b), "%s %s", a, b);
        CHECK(m_memmem(a, strlen(a), b, strlen(b)) == memmem(a, strlen(a), b, strlen(b)), "%s %s", a, b);
        CHECK(m_strspn(a, b) == strspn(a, b), "%s %s", a, b);
        CHECK(m_strcspn(a, b) == strcspn(a, b), "%s %s", a, b);
        CHECK(m_strpbrk(a, b) == strpbrk(a, b), "%s %s", a, b);
    }
}

static void copies(void) {
    for (int i = 0; i < 20000; i++) {
        char from[20], a[64], b[64], c[20], d[20], *x, *y;
        fill(from, below(10));
        int n = below(14);
#define SAME(model, glibc)                                                                                          \
    memset(a, 'q', sizeof a), strcpy(a, "pre");                                                                     \
    memcpy(b, a, sizeof b);                                                                                         \
    x = model, y = glibc;                                                                                           \
    CHECK((x ? x - a : -1) == (y ? y - b : -1) && memcmp(a, b, sizeof a) == 0, "\"%s\" %d", from, n)
        SAME(m_strcpy(a, from), strcpy(b, from));
        SAME(m_stpcpy(a, from), stpcpy(b, from));
        SAME(m_strncpy(a, from, n), strncpy(b, from, n));
        SAME(m_stpncpy(a, from, n), stpncpy(b, from, n));
        SAME(m_strcat(a, from), strcat(b, from));
        SAME(m_strncat(a, from, n), strncat(b, from, n));
        SAME(m_memccpy(a, from, 'b', strlen(from)), memccpy(b, from, 'b', strlen(from)));
        x = m_strndup(from, n), y = strndup(from, n);
        CHECK(strcmp(x, y) == 0, "strndup \"%s\" %d", from, n);
        free(x), free(y);
        strcpy(c, from), strcpy(d, from);
        char *p, *q, *s = c, *t = d;
        for (x = m_strtok_r(c, " ,", &p), y = strtok_r(d, " ,", &q); x && y;
             x = m_strtok_r(0, " ,", &p), y = strtok_r(0, " ,", &q))
            CHECK(x - c == y - d && strcmp(x, y) == 0, "strtok_r \"%s\"", from);
        CHECK(!x == !y, "strtok_r \"%s\"", from);
        strcpy(c, from), strcpy(d, from);
        while ((x = m_strsep(&s, " ,"), y = strsep(&t, " ,"), x && y)) CHECK(strcmp(x, y) == 0, "strsep \"%s\"", from);
        CHECK(!x == !y, "strsep \"%s\"", from);
    }
}

static void tables(void) {
    for (int c = -128; c < 256; c++) {
        CHECK((*m___ctype_b_loc())[c] == (*__ctype_b_loc())[c], "class of %d", c);
        CHECK((*m___ctype_tolower_loc())[c] == (*__ctype_tolower_loc())[c], "lower of %d", c);
        CHECK((*m___ctype_toupper_loc())[c] == (*__ctype_toupper_loc())[c], "upper of %d", c);
    }
    for (int e = -3; e < 200; e++) {
        CHECK(strcmp(m_strerror(e), strerror(e)) == 0, "strerror(%d) is %s", e, m_strerror(e));
        for (size_t size = 0; size < 30; size += 7) {
            char a[40] = "", b[40] = "";
            int x = m___xpg_strerror_r(e, a, size), y = __xpg_strerror_r(e, b, size);
            CHECK(x == y && strcmp(a, b) == 0, "strerror_r(%d, %zu): %d %s, not %d %s", e, size, x, a, y, b);
        }
    }
}

/* The order of the calls counts: their arguments are summed up. */
static unsigned long calls;
static int by_tens(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    calls = calls * 31 + (unsigned)(x * 1000 + y);
    return x / 10 - y / 10;
}

static void sorting(void) {
    for (int i = 0; i < 3000; i++) {
        int a[100], b[100], n = below(100);
        for (int k = 0; k < n; k++) a[k] = b[k] = below(300);
        calls = 0;
        m_qsort(a, n, sizeof *a, by_tens);
        unsigned long ours = calls;
        calls = 0;
        qsort(b, n, sizeof *b, by_tens);
        CHECK(ours == calls && memcmp(a, b, n * sizeof *a) == 0, "qsort of %d", n);
        int key = below(300);
        int *x = m_bsearch(&key, a, n, sizeof *a, by_tens), *y = bsearch(&key, b, n, sizeof *b, by_tens);
        CHECK((x ? x - a : -1) == (y ? y - b : -1), "bsearch of %d", key);
    }
}

static void random_numbers(void) {
    for (int i = 0; i < 5; i++) CHECK(m_rand() == rand(), "rand without a seed");
    for (int i = 0; i < 200; i++) {
        unsigned seed = i < 3 ? (unsigned)i : (unsigned)next_random(), a = seed, b = seed;
        m_srand(seed), srand(seed);
        m_srand48(seed), srand48(seed);
        unsigned short p[3] = {1, 2, (unsigned short)seed}, q[3] = {1, 2, (unsigned short)seed};
        for (int k = 0; k < 100; k++) {
            CHECK(m_rand() == rand() && m_random() == random(), "rand with seed %u", seed);
            CHECK(m_rand_r(&a) == rand_r(&b), "rand_r with seed %u", seed);
            CHECK(m_drand48() == drand48() && m_lrand48() == lrand48() && m_mrand48() == mrand48(), "seed %u", seed);
            CHECK(m_nrand48(p) == nrand48(q), "nrand48");
        }
    }
}

static void calendar(void) {
    static const char format[] = "%a %A %b %B %c %C %d %D %e %F %g %G %H %I %j %k %l %m %M %p %r %R %s %S %T %u %U %V "
                                 "%w %W %x %X %y %Y %z %Z %% %n %t %h %P";
    for (int i = 0; i < 20000; i++) {
        time_t t = (time_t)(next_random() % (1ul << 36)) - (1l << 35);
        struct tm a, b;
        memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
        char x[600], y[600];
        m_gmtime_r(&t, &a), gmtime_r(&t, &b);
        b.tm_zone = a.tm_zone;
        CHECK(memcmp(&a, &b, sizeof a) == 0, "gmtime of %ld: %s", (long)t, asctime(&a));
        if (b.tm_year > -900 && m_strftime(x, sizeof x, format, &a) && strftime(y, sizeof y, format, &b))
            CHECK(strcmp(x, y) == 0, "strftime\n%s\n%s", x, y);
        CHECK(strcmp(m_asctime_r(&a, x), asctime_r(&b, y)) == 0, "asctime %s %s", x, y);
        a.tm_mon = b.tm_mon = below(60) - 20;
        a.tm_mday = b.tm_mday = below(600) - 200;
        time_t p = m_timegm(&a), q = timegm(&b);
        CHECK(p == q && a.tm_yday == b.tm_yday, "timegm %ld, not %ld", (long)p, (long)q);
    }
}

int main(void) {
    setenv("TZ", "UTC", 1);
    searches();
    copies();
    tables();
    sorting();
    random_numbers();
    calendar();
    return failures != 0;
}

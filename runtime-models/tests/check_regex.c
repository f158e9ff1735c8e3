/* Regular expressions against glibc: generated patterns on generated texts have to match the same characters. */
#define _GNU_SOURCE
#include <regex.h>
#include <string.h>

#include "engine.h"

MODEL(regcomp);
MODEL(regexec);
MODEL(regfree);
MODEL(regerror);
int failures;

enum { GROUPS = 4 };

/* Appends a random expression; depth limits nesting. */
static char *expression(char *to, int depth, int extended) {
    static const char *const atoms[] = {"a", "b", "ab", ".", "[ab]", "[^a]", "[[:alpha:]]", "c", "[a-c]", "\\w", "\\."};
    static const char *const repeats[] = {"*", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}"};
    static const char *const basic_repeats[] = {"*", "*", "\\+", "\\?", "\\{2\\}", "\\{1,2\\}", "*", "\\{2,\\}"};
    int parts = 1 + below(3);
    for (int i = 0; i < parts; i++) {
        if (depth > 0 && below(3) == 0) {
            to = stpcpy(to, extended ? "(" : "\\(");
            to = expression(to, depth - 1, extended);
            if (below(3) == 0) {
                to = stpcpy(to, extended ? "|" : "\\|");
                to = expression(to, depth - 1, extended);
            }
            to = stpcpy(to, extended ? ")" : "\\)");
        } else {
            to = stpcpy(to, atoms[below(11)]);
        }
        if (below(3) == 0) to = stpcpy(to, (extended ? repeats : basic_repeats)[below(8)]);
    }
    *to = 0;
    return to;
}

static void compare(const char *pattern, int flags) {
    regex_t a, b;
    int x = m_regcomp(&a, pattern, flags), y = regcomp(&b, pattern, flags);
    CHECK((x == 0) == (y == 0), "regcomp \"%s\" %d: %d, not %d", pattern, flags, x, y);
    if (x == 0 && y == 0) {
        CHECK(a.re_nsub == b.re_nsub, "groups of \"%s\"", pattern);
        for (int i = 0; i < 6; i++) {
            char text[12];
            int n = below(10), how = below(4) ? 0 : REG_NOTBOL;
            for (int k = 0; k < n; k++) text[k] = "aaabbc.\nAB"[below(10)];
            text[n] = 0;
            regmatch_t p[GROUPS], q[GROUPS];
            int u = m_regexec(&a, text, GROUPS, p, how), v = regexec(&b, text, GROUPS, q, how);
            CHECK(u == v, "\"%s\" (%d) on \"%s\": %d, not %d", pattern, flags, text, u, v);
            if (u || v) continue;
            CHECK(p[0].rm_so == q[0].rm_so && p[0].rm_eo == q[0].rm_eo, "\"%s\" (%d) on \"%s\": %d-%d, not %d-%d",
                  pattern, flags, text, p[0].rm_so, p[0].rm_eo, q[0].rm_so, q[0].rm_eo);
            static const char *const parts[] = {"(a|ab)(c|bcd)(d*)", "()", "\\(ab*\\)x*\\1"};
            for (int k = 0; k < 3; k++)
                if (strcmp(pattern, parts[k]) == 0) CHECK(memcmp(p, q, sizeof p) == 0, "groups of \"%s\"", pattern);
        }
    }
    if (x == 0) m_regfree(&a);
    if (y == 0) regfree(&b);
}

int main(void) {
    static const char *const special[] = {"", "^a", "a$", "^$", "^", "a|b", "(a", "a)", "[a", "a{1", "a{2,1}", "*a", "\\(a\\)\\1",
        "\\(ab*\\)x*\\1", "(a*)*", "(a*)+", "(a|ab)(c|bcd)(d*)", "a\\", "[[:nope:]]", "[b-a]", "[]a]", "[^]a]", "\\<a", "a\\>",
        "\\bb", "\\Ba", "^*a", "a**", "(^a|b)c", "a\\{2\\}", "\\(^a\\)", "[[.a.]]", "[a-]", "(|a)b", "x{0}a", "()", "a|", "|a"};
    for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
        for (int flags = 0; flags < 8; flags++) {
            int chosen = (flags & 1 ? REG_EXTENDED : 0) | (flags & 2 ? REG_ICASE : 0) | (flags & 4 ? REG_NEWLINE : 0);
            for (int k = 0; k < 20; k++) compare(special[i], chosen);
        }
    for (int i = 0; i < 6000; i++) {
        char pattern[400];
        int flags = below(2) ? REG_EXTENDED : 0;
        expression(pattern, 2, flags);
        compare(pattern, flags | (below(4) ? 0 : REG_ICASE) | (below(4) ? 0 : REG_NEWLINE));
    }
    char ours[80], theirs[80];
    for (int code = 0; code < 17; code++) {
        CHECK(m_regerror(code, 0, ours, 80) == regerror(code, 0, theirs, 80), "regerror %d", code);
        CHECK(strcmp(ours, theirs) == 0, "regerror: \"%s\", not \"%s\"", ours, theirs);
    }
    return failures != 0;
}

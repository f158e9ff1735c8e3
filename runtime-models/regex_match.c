/* regexec: backtracking over all ways to match at a place, of which the longest wins, and among equally long ones the
 * one whose parts from the left are longest. That is POSIX's rule for the whole match; for groups inside of repetitions
 * it can differ from what glibc says. Exponential at worst. In the symbolic domain, on text that is not constant,
 * whether and where it matches are inputs. */
#include "ics.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "ics_regex.h"
#include "ics_string.h"

struct matcher {
    const struct ics_regex *regex;
    const char *text, *end;
    int flags;
    regmatch_t groups[ICS_MAX_GROUPS];
    regmatch_t best[ICS_MAX_GROUPS]; /* best[0].rm_eo < 0: none yet */
};

/* What is left to match behind a node. */
struct rest {
    enum { DONE, NODE, CLOSE, AGAIN } what;
    int node;              /* NODE: to match; CLOSE: the group; AGAIN: the repetition */
    int count;             /* AGAIN: times matched */
    const char *start;     /* CLOSE: where the group began; AGAIN: where the last time began */
    const struct rest *rest;
};

static void match(struct matcher *m, int node, const char *p, const struct rest *rest);

static void again(struct matcher *m, int node, const char *p, int count, const struct rest *rest) {
    const struct ics_regex_node *n = &m->regex->nodes[node];
    struct rest next = {AGAIN, node, count + 1, p, rest};
    if (n->most == ICS_UNBOUNDED || count < n->most) match(m, n->left, p, &next);
}

static void proceed(struct matcher *m, const char *p, const struct rest *rest);

/* Behind one more time of a repetition. */
static void repeated(struct matcher *m, const char *p, const struct rest *r) {
    const struct ics_regex_node *n = &m->regex->nodes[r->node];
    int empty = p == r->start;
    if (empty && r->count > 1 && r->count > n->least) return;
    if (!empty) again(m, r->node, p, r->count, r->rest);
    if (r->count >= n->least || empty) proceed(m, p, r->rest);
}

static void proceed(struct matcher *m, const char *p, const struct rest *r) {
    switch (r->what) {
    case DONE:
        if (p - m->text <= m->best[0].rm_eo) return;
        __ics_memcpy(m->best, m->groups, sizeof m->best);
        m->best[0].rm_eo = (regoff_t)(p - m->text);
        return;
    case NODE: match(m, r->node, p, r->rest); return;
    case CLOSE: {
        regmatch_t before = m->groups[r->node];
        m->groups[r->node] = (regmatch_t){(regoff_t)(r->start - m->text), (regoff_t)(p - m->text)};
        proceed(m, p, r->rest);
        m->groups[r->node] = before;
        return;
    }
    case AGAIN: repeated(m, p, r); return;
    }
}

static int word_at(const struct matcher *m, const char *p) {
    return p >= m->text && p < m->end && (*p == '_' || isalnum((unsigned char)*p));
}

/* Whether a node that matches no character holds here. */
static int holds(const struct matcher *m, enum ics_regex_kind kind, const char *p) {
    int newline = m->regex->flags & REG_NEWLINE, before = word_at(m, p - 1), after = word_at(m, p);
    switch (kind) {
    case ICS_LINE_START: return p == m->text ? !(m->flags & REG_NOTBOL) : newline && p[-1] == '\n';
    case ICS_LINE_END: return p == m->end ? !(m->flags & REG_NOTEOL) : newline && *p == '\n';
    case ICS_WORD_START: return !before && after;
    case ICS_WORD_END: return before && !after;
    case ICS_WORD_EDGE: return before != after;
    case ICS_WORD_INNER: return before == after;
    default: return 1;
    }
}

static int same(const struct matcher *m, const struct ics_regex_node *n, const char *p, long *length) {
    const regmatch_t *g = &m->groups[n->number];
    if (g->rm_so < 0) return 0;
    *length = g->rm_eo - g->rm_so;
    if (*length > m->end - p) return 0;
    int fold = m->regex->flags & REG_ICASE;
    return fold ? strncasecmp(m->text + g->rm_so, p, (size_t)*length) == 0
                : memcmp(m->text + g->rm_so, p, (size_t)*length) == 0;
}

/* A repetition of a set needs no list of what is left for each time. */
static void repeat_set(struct matcher *m, const struct ics_regex_node *n, const char *p, const struct rest *rest) {
    const unsigned long *set = m->regex->nodes[n->left].set;
    long most = 0;
    while (p + most < m->end && (n->most == ICS_UNBOUNDED || most < n->most)) {
        unsigned char c = (unsigned char)p[most];
        if (!(set[c / 64] >> c % 64 & 1)) break;
        most++;
    }
    for (long count = most; count >= n->least; count--) proceed(m, p + count, rest);
}

static void match(struct matcher *m, int node, const char *p, const struct rest *rest) {
    if (m->best[0].rm_eo == m->end - m->text) return; /* there is no longer one */
    const struct ics_regex_node *n = &m->regex->nodes[node];
    long length = 0;
    switch (n->kind) {
    case ICS_SET: {
        unsigned char c = (unsigned char)*p;
        if (p < m->end && n->set[c / 64] >> c % 64 & 1) proceed(m, p + 1, rest);
        return;
    }
    case ICS_SAME:
        if (same(m, n, p, &length)) proceed(m, p + length, rest);
        return;
    case ICS_GROUP: {
        struct rest next = {CLOSE, n->number, 0, p, rest};
        match(m, n->left, p, &next);
        return;
    }
    case ICS_SEQUENCE: {
        struct rest next = {NODE, n->right, 0, p, rest};
        match(m, n->left, p, &next);
        return;
    }
    case ICS_EITHER:
        match(m, n->left, p, rest);
        match(m, n->right, p, rest);
        return;
    case ICS_REPEAT:
        if (m->regex->nodes[n->left].kind == ICS_SET) {
            repeat_set(m, n, p, rest);
            return;
        }
        again(m, node, p, 0, rest);
        if (n->least == 0) proceed(m, p, rest);
        return;
    default:
        if (holds(m, n->kind, p)) proceed(m, p, rest);
    }
}

static int input_match(const char *s, size_t n, regmatch_t *to) {
    unsigned long longest = ics_strlen_bound(s);
    unsigned long no_match = __ics_input("regexec", 1) & 1;
    for (size_t i = 0; i < n; i++) {
        long start = (int)__ics_input("regexec.start", 32), end = (int)__ics_input("regexec.end", 32);
        __ics_assume(((start == -1) & (end == -1) & (i > 0)) | ((start >= 0) & (start <= end) & (end <= (long)longest)));
        to[i] = (regmatch_t){(regoff_t)start, (regoff_t)end};
    }
    return (int)no_match;
}

int regexec(const regex_t *r, const char *s, size_t n, regmatch_t *to, int flags) {
    const struct ics_regex *regex = (const void *)r->buffer;
    int wanted = !(regex->flags & REG_NOSUB) || flags & REG_STARTEND;
    if (ics_symbolic_string(s)) return input_match(s, wanted ? n : 0, to);
    struct matcher m = {.regex = regex, .text = s, .flags = flags};
    const char *start = s;
    if (flags & REG_STARTEND) start = s + to[0].rm_so;
    m.end = flags & REG_STARTEND ? s + to[0].rm_eo : s + strlen(s);
    static const struct rest done = {.what = DONE};
    for (const char *p = start; p <= m.end; p++) {
        for (int i = 0; i < ICS_MAX_GROUPS; i++) m.groups[i] = m.best[i] = (regmatch_t){-1, -1};
        match(&m, regex->root, p, &done);
        if (m.best[0].rm_eo < 0) continue;
        m.best[0].rm_so = (regoff_t)(p - s);
        for (size_t i = 0; wanted && i < n; i++)
            to[i] = i <= (size_t)regex->groups ? m.best[i] : (regmatch_t){-1, -1};
        return 0;
    }
    return REG_NOMATCH;
}

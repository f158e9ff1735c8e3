/* regcomp: basic and extended regular expressions of POSIX, with GNU's escapes, by recursive descent. */
#include "ics.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ics_regex.h"

struct parser {
    const char *p;
    struct ics_regex *regex;
    int extended, fold, newline;
    int depth; /* of open groups */
    int error;
};

static int alternatives(struct parser *s);

static int new_node(struct parser *s, enum ics_regex_kind kind) {
    struct ics_regex *r = s->regex;
    if (r->count == r->room) {
        r->room = 2 * r->room + 16;
        r->nodes = realloc(r->nodes, (size_t)r->room * sizeof *r->nodes);
    }
    struct ics_regex_node *n = &r->nodes[r->count];
    __ics_memset(n, 0, sizeof *n);
    n->kind = kind;
    return r->count++;
}

static struct ics_regex_node *node(struct parser *s, int index) {
    return &s->regex->nodes[index];
}

static int joined(struct parser *s, enum ics_regex_kind kind, int left, int right) {
    int index = new_node(s, kind);
    node(s, index)->left = left;
    node(s, index)->right = right;
    return index;
}

static int failed(struct parser *s, int error) {
    if (!s->error) s->error = error;
    return 0;
}

static void include(struct parser *s, struct ics_regex_node *n, int c) {
    n->set[c / 64] |= 1ul << c % 64;
    if (!s->fold) return;
    n->set[tolower(c) / 64] |= 1ul << tolower(c) % 64;
    n->set[toupper(c) / 64] |= 1ul << toupper(c) % 64;
}

static int literal(struct parser *s, int c) {
    int index = new_node(s, ICS_SET);
    include(s, node(s, index), c);
    return index;
}

/* Any byte but NUL, or with REG_NEWLINE a newline. */
static int any(struct parser *s) {
    int index = new_node(s, ICS_SET);
    for (int c = 1; c < 256; c++)
        if (c != '\n' || !s->newline) include(s, node(s, index), c);
    return index;
}

static int is_word(int c) {
    return c == '_' || isalnum(c);
}

static int is_space(int c) {
    return isspace(c);
}

static int class_of(struct parser *s, int (*test)(int), int wanted) {
    int index = new_node(s, ICS_SET);
    for (int c = 1; c < 256; c++)
        if ((test(c) != 0) == wanted) include(s, node(s, index), c);
    return index;
}

/* --- bracket expressions --- */

static int named_class(struct parser *s, struct ics_regex_node *n, const char *name, size_t length) {
    static const struct {
        const char *name;
        int (*test)(int);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl}, {"digit", isdigit},
                   {"graph", isgraph}, {"lower", islower}, {"print", isprint}, {"punct", ispunct}, {"space", isspace},
                   {"upper", isupper}, {"xdigit", isxdigit}};
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length)) continue;
        for (int c = 0; c < 256; c++)
            if (classes[i].test(c)) include(s, n, c);
        return 1;
    }
    return failed(s, REG_ECTYPE);
}

/* One end of a range: a byte, or [.x.] or [=x=]. */
static int element(struct parser *s) {
    if (s->p[0] == '[' && (s->p[1] == '.' || s->p[1] == '=')) {
        if (!s->p[2] || s->p[3] != s->p[1] || s->p[4] != ']') return failed(s, REG_ECOLLATE);
        int c = (unsigned char)s->p[2];
        s->p += 5;
        return c;
    }
    return (unsigned char)*s->p++;
}

static void invert(struct parser *s, struct ics_regex_node *n) {
    for (int i = 0; i < 4; i++) n->set[i] = ~n->set[i];
    n->set[0] &= ~1ul;
    if (s->newline) n->set[0] &= ~(1ul << '\n');
}

/* Behind the '['. */
static int bracket(struct parser *s) {
    int index = new_node(s, ICS_SET), inverted = *s->p == '^';
    if (inverted) s->p++;
    for (int first = 1; first || *s->p != ']'; first = 0) {
        struct ics_regex_node *n = node(s, index);
        if (!*s->p) return failed(s, REG_EBRACK);
        if (s->p[0] == '[' && s->p[1] == ':') {
            const char *end = strstr(s->p + 2, ":]");
            if (!end) return failed(s, REG_EBRACK);
            if (!named_class(s, n, s->p + 2, (size_t)(end - s->p - 2))) return 0;
            s->p = end + 2;
            continue;
        }
        int low = element(s), high = low;
        if (s->p[0] == '-' && s->p[1] && s->p[1] != ']') {
            s->p++;
            high = element(s);
            if (high < low) return failed(s, REG_ERANGE);
        }
        for (int c = low; c <= high; c++) include(s, n, c);
    }
    s->p++;
    if (inverted) invert(s, node(s, index));
    return index;
}

/* --- groups, atoms, repetition --- */

/* Whether a basic or extended special is here: "\(" or "(". */
static int at(const struct parser *s, char c) {
    return s->extended ? s->p[0] == c : s->p[0] == '\\' && s->p[1] == c;
}

static void skip(struct parser *s) {
    s->p += s->extended ? 1 : 2;
}

static int group(struct parser *s) {
    int index = new_node(s, ICS_GROUP);
    int number = ++s->regex->groups;
    if (number >= ICS_MAX_GROUPS) return failed(s, REG_ESIZE);
    s->depth++;
    int body = alternatives(s);
    s->depth--;
    if (s->error) return 0;
    if (!at(s, ')')) return failed(s, REG_EPAREN);
    skip(s);
    node(s, index)->left = body;
    node(s, index)->number = number;
    return index;
}

/* Behind the backslash. */
static int escape(struct parser *s) {
    int c = (unsigned char)*s->p;
    if (!c) return failed(s, REG_EESCAPE);
    s->p++;
    switch (c) {
    case 'w': return class_of(s, is_word, 1);
    case 'W': return class_of(s, is_word, 0);
    case 's': return class_of(s, is_space, 1);
    case 'S': return class_of(s, is_space, 0);
    case '<': return new_node(s, ICS_WORD_START);
    case '>': return new_node(s, ICS_WORD_END);
    case 'b': return new_node(s, ICS_WORD_EDGE);
    case 'B': return new_node(s, ICS_WORD_INNER);
    case '`': return new_node(s, ICS_LINE_START);
    case '\'': return new_node(s, ICS_LINE_END);
    default: break;
    }
    if (c < '1' || c > '9') return literal(s, c);
    if (c - '0' > s->regex->groups) return failed(s, REG_ESUBREG);
    int index = new_node(s, ICS_SAME);
    node(s, index)->number = c - '0';
    return index;
}

/* Whether a '$' here is an anchor: in a basic expression only at the end of it or of a group. */
static int ends_here(const struct parser *s) {
    return s->extended || !s->p[1] || (s->p[1] == '\\' && (s->p[2] == ')' || s->p[2] == '|'));
}

static int atom(struct parser *s, int first) {
    char c = *s->p;
    if (at(s, '(')) {
        skip(s);
        return group(s);
    }
    s->p++;
    switch (c) {
    case '.': return any(s);
    case '[': return bracket(s);
    case '\\': return escape(s);
    case '^':
        if (s->extended || first) return new_node(s, ICS_LINE_START);
        break;
    case '$':
        s->p--;
        int anchor = ends_here(s);
        s->p++;
        if (anchor) return new_node(s, ICS_LINE_END);
        break;
    case '*':
        if (s->extended && first) return failed(s, REG_BADRPT);
        break;
    case '+':
    case '?':
    case '{':
        if (s->extended && first) return failed(s, REG_BADRPT);
        break;
    default: break;
    }
    return literal(s, (unsigned char)c);
}

static int number(struct parser *s) {
    int value = -1;
    for (; isdigit((unsigned char)*s->p); s->p++) {
        value = (value < 0 ? 0 : value) * 10 + (*s->p - '0');
        if (value > RE_DUP_MAX) return failed(s, REG_BADBR), 0;
    }
    return value;
}

/* "{2,5}", behind the brace. */
static void bounds(struct parser *s, int *least, int *most) {
    *least = number(s);
    *most = *least;
    if (*s->p == ',') {
        s->p++;
        *most = number(s);
        if (*most < 0) *most = ICS_UNBOUNDED;
        if (*least < 0) *least = 0;
    }
    if (*least < 0 || (*most >= 0 && *most < *least)) failed(s, *s->p ? REG_BADBR : REG_EBRACE);
    else if (!at(s, '}')) failed(s, *s->p ? REG_BADBR : REG_EBRACE);
    else skip(s);
}

/* Reads what says how often; 0 if nothing does. */
static int repetition(struct parser *s, int *least, int *most) {
    *least = 0;
    *most = ICS_UNBOUNDED;
    if (*s->p == '*') {
        s->p++;
    } else if (at(s, '+')) {
        skip(s);
        *least = 1;
    } else if (at(s, '?')) {
        skip(s);
        *most = 1;
    } else if (at(s, '{')) {
        skip(s);
        bounds(s, least, most);
    } else {
        return 0;
    }
    return 1;
}

static int piece(struct parser *s, int first) {
    int index = atom(s, first), least, most;
    enum ics_regex_kind kind = s->error ? ICS_EMPTY : node(s, index)->kind;
    int anchor = kind == ICS_LINE_START || kind == ICS_LINE_END;
    if (anchor && !s->extended) return index;
    for (int times = 0; !s->error && repetition(s, &least, &most); times++) {
        if (anchor || (times && !s->extended)) return failed(s, REG_BADRPT);
        index = joined(s, ICS_REPEAT, index, 0);
        node(s, index)->least = least;
        node(s, index)->most = most;
    }
    return index;
}

/* Where a branch ends. An unmatched ')' is a character of a basic expression's, and of an extended one's at the top. */
static int branch_ends(const struct parser *s) {
    return !*s->p || at(s, '|') || (at(s, ')') && (s->depth || !s->extended));
}

static int branch(struct parser *s) {
    int sequence = new_node(s, ICS_EMPTY);
    for (int first = 1; !s->error && !branch_ends(s);) {
        int next = piece(s, first);
        if (s->error) return 0;
        first = !s->extended && node(s, next)->kind == ICS_LINE_START;
        sequence = node(s, sequence)->kind == ICS_EMPTY ? next : joined(s, ICS_SEQUENCE, sequence, next);
    }
    return sequence;
}

static int alternatives(struct parser *s) {
    int left = branch(s);
    while (!s->error && at(s, '|')) {
        skip(s);
        left = joined(s, ICS_EITHER, left, branch(s));
    }
    return left;
}

int regcomp(regex_t *to, const char *pattern, int flags) {
    struct ics_regex *r = calloc(1, sizeof *r);
    struct parser s = {.p = pattern, .regex = r, .extended = flags & REG_EXTENDED, .fold = flags & REG_ICASE};
    s.newline = flags & REG_NEWLINE;
    r->flags = flags;
    r->root = alternatives(&s);
    if (!s.error && *s.p) s.error = REG_ERPAREN;
    __ics_memset(to, 0, sizeof *to);
    to->re_nsub = (size_t)r->groups;
    to->buffer = (void *)r;
    if (s.error) regfree(to);
    return s.error;
}

void regfree(regex_t *r) {
    struct ics_regex *compiled = (void *)r->buffer;
    if (compiled) free(compiled->nodes);
    free(compiled);
    r->buffer = 0;
}

size_t regerror(int code, const regex_t *r, char *to, size_t size) {
    static const char *const texts[] = {
        "Success", "No match", "Invalid regular expression", "Invalid collation character",
        "Invalid character class name", "Trailing backslash", "Invalid back reference",
        "Unmatched [, [^, [:, [., or [=", "Unmatched ( or \\(", "Unmatched \\{", "Invalid content of \\{\\}",
        "Invalid range end", "Memory exhausted", "Invalid preceding regular expression",
        "Premature end of regular expression", "Regular expression too big", "Unmatched ) or \\)",
    };
    const char *text = code >= 0 && code < 17 ? texts[code] : "Unknown error";
    if (size) snprintf(to, size, "%s", text);
    return strlen(text) + 1;
}

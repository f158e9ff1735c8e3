/* getopt and getopt_long with GNU's permutation of the arguments. */
#include "ics.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_string.h"

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

/* Inside a group of short options: what is left of it. */
static char *rest;
/* Non-options that were passed over: argv[first..last]. */
static int first = 1, last = 1;

/* Moves the non-options argv[first..last] behind the options argv[last..optind]. */
static void exchange(char **argv) {
    for (int to = first, from = last; from < optind; to++, from++) {
        char *option = argv[from];
        __ics_memmove(argv + to + 1, argv + to, (size_t)(from - to) * sizeof *argv);
        argv[to] = option;
    }
    first += optind - last;
    last = optind;
}

static int is_option(const char *arg) {
    return arg[0] == '-' && arg[1] != 0;
}

struct call {
    int argc;
    char **argv;
    const char *options;
    const struct option *longs;
    int *index;
    int only;
    int quiet;  /* no messages: the option string begins with ':' */
};

static int complain(const struct call *c, const char *what, const char *prefix, const char *name, int n) {
    if (opterr && !c->quiet) fprintf(stderr, "%s: %s '%s%.*s'\n", c->argv[0], what, prefix, n, name);
    return '?';
}

static int found_long(struct call *c, const struct option *o, const char *prefix, char *value) {
    if (c->index) *c->index = (int)(o - c->longs);
    if (value) {
        if (o->has_arg == no_argument) {
            optopt = o->val;
            if (opterr && !c->quiet)
                fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", c->argv[0], prefix, o->name);
            return '?';
        }
        optarg = value;
    } else if (o->has_arg == required_argument) {
        if (optind >= c->argc) {
            optopt = o->val;
            if (opterr && !c->quiet)
                fprintf(stderr, "%s: option '%s%s' requires an argument\n", c->argv[0], prefix, o->name);
            return c->quiet ? ':' : '?';
        }
        optarg = c->argv[optind++];
    }
    if (!o->flag) return o->val;
    *o->flag = o->val;
    return 0;
}

static int long_option(struct call *c, char *name, const char *prefix) {
    size_t n = strcspn(name, "=");
    char *value = name[n] ? name + n + 1 : 0;
    const struct option *match = 0;
    int ambiguous = 0;
    for (const struct option *o = c->longs; o->name; o++) {
        if (strncmp(o->name, name, n) != 0) continue;
        if (strlen(o->name) == n) {
            match = o;
            ambiguous = 0;
            break;
        }
        if (!match) match = o;
        else if (match->has_arg != o->has_arg || match->flag != o->flag || match->val != o->val) ambiguous = 1;
    }
    optind++;
    rest = 0;
    optopt = 0;
    if (ambiguous) {
        if (opterr && !c->quiet) {
            fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", c->argv[0], prefix, name);
            for (const struct option *o = c->longs; o->name; o++)
                if (strncmp(o->name, name, n) == 0) fprintf(stderr, " '%s%s'", prefix, o->name);
            fprintf(stderr, "\n");
        }
        return '?';
    }
    if (!match) return complain(c, "unrecognized option", prefix, name, (int)strlen(name));
    return found_long(c, match, prefix, value);
}

static int short_option(struct call *c) {
    char letter = *rest++;
    const char *known = letter == ':' || letter == ';' ? 0 : strchr(c->options, letter);
    if (!*rest) {
        rest = 0;
        optind++;
    }
    if (!known) {
        optopt = letter;
        if (opterr && !c->quiet) fprintf(stderr, "%s: invalid option -- '%c'\n", c->argv[0], letter);
        return '?';
    }
    if (known[1] != ':') return letter;
    if (rest) {
        optarg = rest;
        optind++;
    } else if (known[2] != ':') {
        if (optind >= c->argc) {
            optopt = letter;
            if (opterr && !c->quiet)
                fprintf(stderr, "%s: option requires an argument -- '%c'\n", c->argv[0], letter);
            return c->quiet ? ':' : '?';
        }
        optarg = c->argv[optind++];
    }
    rest = 0;
    return letter;
}

/* --- arguments that are inputs --- */

/* Options of arguments whose bytes are inputs are inputs by themselves: which one comes next (`option("vn:")`, 0 behind
 * the last one), and what it is given (`option -n`). So are the operands behind them. How the options are spread over
 * the arguments is left open, so more is possible than there is. */

enum {
    LONGEST_NAME = 48,
    LONGEST_TEXT = 64, /* of an argument */
    FIRST_LONG = -128, /* the long option number i is FIRST_LONG + i */
    MOST_LONGS = 100,
};

/* Whether such an option was read, and whether all were. */
static int read_as_inputs, all_read;

/* Whether each option has a number of its own in one byte. */
static int has_numbers(const struct call *c) {
    for (const char *p = c->options; *p; p++)
        if (*p < 0) return 0;
    int longs = 0;
    while (c->longs && c->longs[longs].name && longs <= MOST_LONGS) longs++;
    return longs <= MOST_LONGS;
}

static int is_input(const struct call *c) {
    if (!__ics_is_symbolic_domain() || __ics_is_exact() || c->argc < 2 || !has_numbers(c)) return 0;
    if (__ics_is_symbolic((unsigned long)read_as_inputs) || read_as_inputs) return 1;
    if (__ics_is_symbolic((unsigned long)optind) || __ics_is_symbolic((unsigned long)c->argc)) return 0;
    if (rest && *rest) return 0;
    if (optind >= c->argc || !__ics_string_symbolic(c->argv[optind])) return 0;
    for (int i = optind; i < c->argc; i++)
        if (ics_strlen_bound(c->argv[i]) > LONGEST_TEXT) return 0;
    return 1;
}

/* A string of its own. */
static char *text_as_input(const char *name) {
    char *text = __ics_malloc(LONGEST_TEXT + 1, 0);
    __ics_input_bytes(text, LONGEST_TEXT, name);
    text[LONGEST_TEXT] = 0;
    return text;
}

static char *value_as_input(const char *dashes, const char *option, size_t n) {
    char name[LONGEST_NAME + 16], *p = name;
    if (n > LONGEST_NAME) n = LONGEST_NAME;
    __ics_memcpy(p, "option ", 7);
    p += 7;
    while (*dashes) *p++ = *dashes++;
    __ics_memcpy(p, option, n);
    p[n] = 0;
    return text_as_input(name);
}

/* Behind the options come operands, as many as there is room for. */
static int operands_as_inputs(struct call *c) {
    char name[24] = "operand ";
    unsigned long count = __ics_input("operands", 31);
    int room = c->argc - (__ics_is_symbolic((unsigned long)optind) ? 1 : optind), n = 0;
    __ics_assume(count <= (unsigned long)room);
    while (n < room && count != (unsigned long)n) n++;
    for (int i = 0; i < n; i++) {
        char *p = name + 8;
        if (i >= 9) *p++ = (char)('0' + (i + 1) / 10 % 10);
        *p++ = (char)('0' + (i + 1) % 10);
        *p = 0;
        c->argv[c->argc - n + i] = text_as_input(name);
    }
    optind = c->argc - n;
    all_read = 1;
    return -1;
}

static int long_as_input(struct call *c, const struct option *o) {
    char *value = 0;
    if (o->has_arg == required_argument ||
        (o->has_arg == optional_argument && (__ics_input("option has a value", 1) & 1)))
        value = value_as_input("--", o->name, strlen(o->name));
    if (c->index) *c->index = (int)(o - c->longs);
    optarg = value;
    if (!o->flag) return o->val;
    *o->flag = o->val;
    return 0;
}

/* Whether a long option is another name of a short one, so that nobody can tell them apart. */
static int is_short(const struct call *c, const struct option *o) {
    if (o->flag || c->index || o->val <= 0 || o->val > 127) return 0;
    const char *known = strchr(c->options, o->val);
    return known && (known[1] == ':') + (known[1] == ':' && known[2] == ':') == o->has_arg;
}

/* `option("vn:")`, or `option` if that is too long. */
static void name_options(char *to, const char *options) {
    size_t n = strlen(options);
    __ics_memcpy(to, "option", 7);
    if (n > LONGEST_NAME) return;
    __ics_memcpy(to + 6, "(\"", 2);
    __ics_memcpy(to + 8, options, n);
    __ics_memcpy(to + 8 + n, "\")", 3);
}

static int option_as_input(struct call *c, int in_order) {
    if (!__ics_is_symbolic((unsigned long)all_read) && all_read) return -1;
    read_as_inputs = 1;
    /* Whoever looks at where the next one is finds it anywhere. */
    unsigned long passed = __ics_input("arguments passed", 31);
    __ics_assume(passed < (unsigned long)c->argc);
    optind = 1 + (int)passed;
    char name[LONGEST_NAME + 16];
    name_options(name, c->options);
    int option = (signed char)__ics_input(name, 8);
    int known = (option == 0) | (option == '?') | (c->quiet & (option == ':')) | (in_order & (option == 1));
    for (const char *p = c->options; *p; p++) known |= *p != ':' && *p != ';' && option == *p;
    for (int i = 0; c->longs && c->longs[i].name; i++)
        if (!is_short(c, c->longs + i)) known |= option == FIRST_LONG + i;
    __ics_assume(known);
    if (option == 0) return operands_as_inputs(c);
    for (int i = 0; c->longs && c->longs[i].name; i++)
        if (!is_short(c, c->longs + i) && option == FIRST_LONG + i) return long_as_input(c, c->longs + i);
    if (in_order && option == 1) {
        optarg = text_as_input("operand");
        return 1;
    }
    for (const char *p = c->options; *p; p++) {
        if (*p == ':' || p[1] != ':' || option != *p) continue;
        if (p[2] != ':' || (__ics_input("option has a value", 1) & 1)) optarg = value_as_input("-", p, 1);
        return *p;
    }
    if (option == '?' || option == ':') optopt = (unsigned char)__ics_input("optopt", 8);
    return option;
}

static int step(struct call *c) {
    optarg = 0;
    int in_order = *c->options == '-', stop = *c->options == '+' || getenv("POSIXLY_CORRECT") != 0;
    if (in_order || *c->options == '+') c->options++;
    c->quiet = *c->options == ':';
    if (c->argc < 1) return -1;
    /* Nobody asks what is known of `optind` behind options that are inputs. */
    int as_input = is_input(c);
    if (!(as_input && __ics_is_symbolic((unsigned long)optind)) && optind == 0) {
        optind = first = last = 1;
        rest = 0;
        read_as_inputs = all_read = 0;
        as_input = is_input(c);
    }
    if (as_input) return option_as_input(c, in_order);
    if (rest && *rest) return short_option(c);
    if (first > optind || last > optind) first = last = optind;
    if (!in_order && !stop) {
        if (first != last && last != optind) exchange(c->argv);
        else if (last != optind) first = optind;
        while (optind < c->argc && !is_option(c->argv[optind])) optind++;
        last = optind;
    }
    if (optind < c->argc && strcmp(c->argv[optind], "--") == 0) {
        optind++;
        if (first != last && last != optind) exchange(c->argv);
        else if (first == last) first = optind;
        last = c->argc;
        optind = c->argc;
    }
    if (optind >= c->argc) {
        if (first != last) optind = first;
        return -1;
    }
    char *arg = c->argv[optind];
    if (!is_option(arg)) {
        if (!in_order) return -1;
        optarg = arg;
        optind++;
        return 1;
    }
    if (c->longs && arg[1] == '-') return long_option(c, arg + 2, "--");
    if (c->longs && c->only && (arg[2] || !strchr(c->options, arg[1]))) return long_option(c, arg + 1, "-");
    rest = arg + 1;
    return short_option(c);
}

int getopt(int argc, char *const argv[], const char *options) {
    struct call c = {argc, (char **)argv, options, 0, 0, 0, 0};
    return step(&c);
}

/* What POSIX headers turn getopt into: no permutation. */
int ics_posix_getopt(int argc, char *const argv[], const char *options) __asm__("__posix_getopt");
int ics_posix_getopt(int argc, char *const argv[], const char *options) {
    struct call c = {argc, (char **)argv, options, 0, 0, 0, 0};
    char posix[256];
    if (*options != '+' && strlen(options) < sizeof posix - 1) {
        posix[0] = '+';
        strcpy(posix + 1, options);
        c.options = posix;
    }
    return step(&c);
}

int getopt_long(int argc, char *const argv[], const char *options, const struct option *longs, int *index) {
    struct call c = {argc, (char **)argv, options, longs, index, 0, 0};
    return step(&c);
}

int getopt_long_only(int argc, char *const argv[], const char *options, const struct option *longs, int *index) {
    struct call c = {argc, (char **)argv, options, longs, index, 1, 0};
    return step(&c);
}

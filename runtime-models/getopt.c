/* getopt and getopt_long with GNU's permutation of the arguments. */
#include "ics.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int step(struct call *c) {
    optarg = 0;
    int in_order = *c->options == '-', stop = *c->options == '+' || getenv("POSIXLY_CORRECT") != 0;
    if (in_order || *c->options == '+') c->options++;
    c->quiet = *c->options == ':';
    if (c->argc < 1) return -1;
    if (optind == 0) {
        optind = first = last = 1;
        rest = 0;
    }
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

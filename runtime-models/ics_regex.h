/* A compiled regular expression: a tree in an array. Shared by regex_compile.c and regex_match.c. */
#ifndef ICS_REGEX_H
#define ICS_REGEX_H

#include "ics.h"

enum { ICS_MAX_GROUPS = 32, ICS_UNBOUNDED = -1 };

enum ics_regex_kind {
    ICS_EMPTY,
    ICS_SET,        /* one byte of `set` */
    ICS_LINE_START,
    ICS_LINE_END,
    ICS_WORD_START, /* \< */
    ICS_WORD_END,   /* \> */
    ICS_WORD_EDGE,  /* \b */
    ICS_WORD_INNER, /* \B */
    ICS_SAME,       /* \1: what group `number` matched */
    ICS_GROUP,      /* `left`, as group `number` */
    ICS_SEQUENCE,   /* `left`, then `right` */
    ICS_EITHER,     /* `left` or `right` */
    ICS_REPEAT,     /* `left`, from `least` to `most` times */
};

struct ics_regex_node {
    enum ics_regex_kind kind;
    int left, right;      /* indices of nodes */
    int number;
    int least, most;      /* most: or ICS_UNBOUNDED */
    unsigned long set[4]; /* a bit for each byte */
};

struct ics_regex {
    struct ics_regex_node *nodes;
    int count, room;
    int root;
    int groups;
    int flags; /* of regcomp */
};

#endif

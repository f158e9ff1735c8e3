/* Character classes of the C locale: glibc's tables, which its macros index from -128 to 255. */
#include "ics.h"

#include <ctype.h>

#define AT(c) [128 + (c)]
#define RANGE(a, b) [128 + (a) ... 128 + (b)]
#define GRAPHIC (_ISprint | _ISgraph)
#define PUNCTUATION (GRAPHIC | _ISpunct)
#define DIGIT (GRAPHIC | _ISalnum | _ISdigit | _ISxdigit)
#define UPPER (GRAPHIC | _ISalnum | _ISalpha | _ISupper)
#define LOWER (GRAPHIC | _ISalnum | _ISalpha | _ISlower)

static const unsigned short classes[384] = {
    RANGE(0, 8) = _IScntrl,
    RANGE(14, 31) = _IScntrl,
    AT(127) = _IScntrl,
    AT('\t') = _IScntrl | _ISspace | _ISblank,
    RANGE('\n', '\r') = _IScntrl | _ISspace,
    AT(' ') = _ISprint | _ISspace | _ISblank,
    RANGE('!', '/') = PUNCTUATION,
    RANGE('0', '9') = DIGIT,
    RANGE(':', '@') = PUNCTUATION,
    RANGE('A', 'F') = UPPER | _ISxdigit,
    RANGE('G', 'Z') = UPPER,
    RANGE('[', '`') = PUNCTUATION,
    RANGE('a', 'f') = LOWER | _ISxdigit,
    RANGE('g', 'z') = LOWER,
    RANGE('{', '~') = PUNCTUATION,
};

/* Row n of 8: the character itself, moved by `d`. -128..-2 stand for the same bytes as 128..254, -1 is EOF. */
#define ROW(n, d) (n) + d, (n) + 1 + d, (n) + 2 + d, (n) + 3 + d, (n) + 4 + d, (n) + 5 + d, (n) + 6 + d, (n) + 7 + d
#define ROWS32(n, d) ROW(n, d), ROW((n) + 8, d), ROW((n) + 16, d), ROW((n) + 24, d)
#define HIGH ROWS32(128, 0), ROWS32(160, 0), ROWS32(192, 0), ROW(224, 0), ROW(232, 0), ROW(240, 0)
#define LETTERS(n, d) ROW(n, d), ROW((n) + 8, d), ROW((n) + 16, d), (n) + 24 + d, (n) + 25 + d
#define TABLE(upper, lower)                                                                                         \
    {                                                                                                               \
        HIGH, 248, 249, 250, 251, 252, 253, 254, -1, ROWS32(0, 0), ROWS32(32, 0), 64, LETTERS(65, upper), 91, 92,   \
            93, 94, 95, 96, LETTERS(97, lower), 123, 124, 125, 126, 127, HIGH, ROW(248, 0)                          \
    }

static const int lower_case[384] = TABLE(32, 0);
static const int upper_case[384] = TABLE(0, -32);

const unsigned short **__ctype_b_loc(void) {
    static const unsigned short *table = classes + 128;
    return &table;
}

const int **__ctype_tolower_loc(void) {
    static const int *table = lower_case + 128;
    return &table;
}

const int **__ctype_toupper_loc(void) {
    static const int *table = upper_case + 128;
    return &table;
}

/* glibc does not check the argument and reads outside the table; so do these, and that is an error. */
#define CLASS(name, mask)                                                                                           \
    int name(int c) {                                                                                               \
        return (classes + 128)[c] & (unsigned short)(mask);                                                         \
    }

#undef isalnum
#undef isalpha
#undef isblank
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef isascii
#undef toascii
#undef tolower
#undef toupper

CLASS(isalnum, _ISalnum)
CLASS(isalpha, _ISalpha)
CLASS(isblank, _ISblank)
CLASS(iscntrl, _IScntrl)
CLASS(isdigit, _ISdigit)
CLASS(isgraph, _ISgraph)
CLASS(islower, _ISlower)
CLASS(isprint, _ISprint)
CLASS(ispunct, _ISpunct)
CLASS(isspace, _ISspace)
CLASS(isupper, _ISupper)
CLASS(isxdigit, _ISxdigit)

int isascii(int c) {
    return (c & ~0x7f) == 0;
}

int toascii(int c) {
    return c & 0x7f;
}

static int mapped(const int *table, int c) {
    unsigned long inside = (unsigned)c + 128u < 384u;
    return (int)__ics_select(inside, (unsigned long)(table + 128)[(int)__ics_select(inside, c, 0)], c);
}

int tolower(int c) {
    return mapped(lower_case, c);
}

int toupper(int c) {
    return mapped(upper_case, c);
}

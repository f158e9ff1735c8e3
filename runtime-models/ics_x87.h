/* x86 `long double` on integers: what the frontend calls for each operation on x86_fp80, and what the models of
 * `long double` functions use where they look at the representation. */
#ifndef ICS_X87_H
#define ICS_X87_H

#include "ics.h"

/* An extended number: 64 bits of significand, the integer bit included, and below the sign 15 bits of exponent. */
struct ics_x87 {
    uint64_t m;
    uint16_t se;
};

/* Any operation on a value that is no number of the format, or without a result, gives this NaN. */
#define ICS_X87_INDEFINITE_M 0xc000000000000000ul
#define ICS_X87_INDEFINITE_SE 0xffffu

/* Results of a comparison; a predicate of LLVM is the set of those for which it holds. */
enum { ICS_X87_EQUAL = 1, ICS_X87_GREATER = 2, ICS_X87_LESS = 4, ICS_X87_UNORDERED = 8 };

/* Ways to round to an integer. */
enum ics_x87_rounding { ICS_X87_EVEN, ICS_X87_DOWN, ICS_X87_UP, ICS_X87_ZERO, ICS_X87_AWAY };

struct ics_x87 __ics_x87_add(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse);
struct ics_x87 __ics_x87_sub(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse);
struct ics_x87 __ics_x87_mul(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse);
struct ics_x87 __ics_x87_div(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse);
struct ics_x87 __ics_x87_rem(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse);
struct ics_x87 __ics_x87_remainder(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse, int nearest, unsigned *q);
/* a * b + c for finite operands that are not zero. If `odd`, what is cut off makes the last bit one, so that rounding
 * the result to a format with fewer bits gives what rounding the exact value would. */
struct ics_x87 __ics_x87_fma(struct ics_x87 a, struct ics_x87 b, struct ics_x87 c, int odd);
struct ics_x87 __ics_x87_sqrt(uint64_t m, uint16_t se);
struct ics_x87 __ics_x87_round(uint64_t m, uint16_t se, int rounding);
int __ics_x87_compare(uint64_t am, uint16_t ase, uint64_t bm, uint16_t bse);

struct ics_x87 __ics_x87_from_signed(int64_t value);
struct ics_x87 __ics_x87_from_unsigned(uint64_t value);
struct ics_x87 __ics_x87_from_double(uint64_t bits);
struct ics_x87 __ics_x87_from_float(uint32_t bits);
/* Of 16, 32 or 64 bits; what does not fit is the smallest integer of that width, extended. */
int64_t __ics_x87_to_signed(uint64_t m, uint16_t se, int bits);
uint64_t __ics_x87_to_unsigned(uint64_t m, uint16_t se);
uint64_t __ics_x87_to_double(uint64_t m, uint16_t se);
uint32_t __ics_x87_to_float(uint64_t m, uint16_t se);
int __ics_x87_class(uint64_t m, uint16_t se, int mask);

#endif

/* Pseudo-random numbers: the sequences of glibc (additive feedback r[i] = r[i-3] + r[i-31]; the 48-bit linear
 * congruence of the drand48 family).
 *
 * The generator is shared by all threads, so what a call returns depends on the calls of the others. In the symbolic
 * domain the result is therefore an input as soon as there is a second thread, and also when the seed is not a
 * constant. */
#include "ics.h"

#include <stdlib.h>

#include "ics_thread.h"

#define DEGREE 31
#define SEPARATION 3

static int state[DEGREE];
static int front = SEPARATION, rear;
static enum { UNSEEDED, SEEDED, UNKNOWN } seeded;

static void seed(unsigned value) {
    if (__ics_is_symbolic_domain() && __ics_is_symbolic(value)) {
        seeded = UNKNOWN;
        return;
    }
    seeded = SEEDED;
    int word = value == 0 ? 1 : (int)value;
    for (int i = 0; i < DEGREE; i++) {
        if (i > 0) {
            /* 16807 * word mod 2^31 - 1, in 32 bits */
            word = 16807 * (word % 127773) - 2836 * (word / 127773);
            if (word < 0) word += 2147483647;
        }
        state[i] = word;
    }
    front = SEPARATION;
    rear = 0;
    for (int i = 0; i < 10 * DEGREE; i++) random();
}

static int is_input(void) {
    return __ics_is_symbolic_domain() && (ics_concurrent || seeded == UNKNOWN);
}

long random(void) {
    if (is_input()) return (long)(__ics_input("rand", 32) & 0x7fffffff);
    if (seeded == UNSEEDED) seed(1);
    unsigned sum = (unsigned)state[front] + (unsigned)state[rear];
    state[front] = (int)sum;
    front = front + 1 == DEGREE ? 0 : front + 1;
    rear = rear + 1 == DEGREE ? 0 : rear + 1;
    return sum >> 1;
}

int rand(void) {
    return (int)random();
}

void srandom(unsigned value) {
    seed(value);
}

void srand(unsigned value) {
    seed(value);
}

static unsigned step_r(unsigned *next) {
    *next = *next * 1103515245u + 12345u;
    return *next / 65536u;
}

int rand_r(unsigned *value) {
    unsigned next = *value;
    unsigned result = step_r(&next) % 2048;
    result = result << 10 ^ step_r(&next) % 1024;
    result = result << 10 ^ step_r(&next) % 1024;
    *value = next;
    return (int)result;
}

/* --- drand48 and its family --- */

#define MASK48 0xffffffffffffull
static unsigned long state48;

static unsigned long next48(unsigned long x) {
    return (x * 0x5deece66dull + 0xb) & MASK48;
}

static double fraction48(unsigned long x) {
    return (double)x * (1.0 / 281474976710656.0);
}

static unsigned long step48(void) {
    if (__ics_is_symbolic_domain() && ics_concurrent) return __ics_input("drand48", 64) & MASK48;
    return state48 = next48(state48);
}

static unsigned long step_of(unsigned short parts[3]) {
    unsigned long x = next48((unsigned long)parts[2] << 32 | (unsigned long)parts[1] << 16 | parts[0]);
    parts[0] = (unsigned short)x;
    parts[1] = (unsigned short)(x >> 16);
    parts[2] = (unsigned short)(x >> 32);
    return x;
}

void srand48(long value) {
    state48 = ((unsigned long)(unsigned)value << 16) + 0x330e;
}

double drand48(void) {
    return fraction48(step48());
}

long lrand48(void) {
    return (long)(step48() >> 17);
}

long mrand48(void) {
    return (int)(step48() >> 16);
}

double erand48(unsigned short parts[3]) {
    return fraction48(step_of(parts));
}

long nrand48(unsigned short parts[3]) {
    return (long)(step_of(parts) >> 17);
}

long jrand48(unsigned short parts[3]) {
    return (int)(step_of(parts) >> 16);
}

/* Shared by the native checks of the models. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdio.h>
#include <stdlib.h>

/* Called instead of failing when no thread can go on; must not return. */
extern void (*engine_deadlock)(void);
/* Forgets the ended threads. */
void engine_reset(void);
/* Events made so far. */
extern unsigned long engine_events;

/* Declares the model of a library function under its name here. */
#define MODEL(name) extern __typeof__(name) m_##name

extern int failures;
/* Counts a failure and shows the first few. */
#define CHECK(condition, ...)                                                                                       \
    do {                                                                                                            \
        if (!(condition) && failures++ < 20) {                                                                      \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                         \
            fprintf(stderr, __VA_ARGS__);                                                                           \
            fputc('\n', stderr);                                                                                    \
        }                                                                                                           \
    } while (0)

/* A deterministic source of test data. */
static unsigned long engine_seed = 88172645463325252ul;
static inline unsigned long next_random(void) {
    engine_seed ^= engine_seed << 13;
    engine_seed ^= engine_seed >> 7;
    engine_seed ^= engine_seed << 17;
    return engine_seed;
}

static inline int below(int n) {
    return (int)(next_random() % (unsigned)n);
}

#endif

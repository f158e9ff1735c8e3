/* Thread-specific data. Key numbers are handed out lowest first; a value belongs to the use of the number that was
 * current when it was set. */
#include "ics.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "ics_thread.h"

#define KEYS 1024
#define NEAR 32

struct key {
    unsigned use;  /* odd while the key exists */
    void (*destructor)(void *);
};
struct value {
    unsigned use;
    void *data;
};

static struct key keys[KEYS];
/* No key at or above this number was ever created. */
static unsigned limit;
/* The first few values are in the thread; the rest in a block that the thread allocates when it needs it. */
static _Thread_local struct value near[NEAR];
static _Thread_local struct value *far;

static int exists(pthread_key_t key) {
    return key < KEYS && (keys[key].use & 1);
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    for (unsigned i = 0; i < KEYS; i++) {
        if (keys[i].use & 1) continue;
        keys[i].use++;
        if (limit <= i) limit = i + 1;
        keys[i].destructor = destructor;
        *key = i;
        return 0;
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key) {
    if (!exists(key)) return EINVAL;
    keys[key].use++;
    return 0;
}

int pthread_setspecific(pthread_key_t key, const void *data) {
    if (!exists(key)) return EINVAL;
    if (key >= NEAR && !far) {
        if (!data) return 0;
        far = __ics_malloc((KEYS - NEAR) * sizeof *far, 1);
        if (!far) return ENOMEM;
    }
    struct value *v = key < NEAR ? &near[key] : &far[key - NEAR];
    v->use = keys[key].use;
    v->data = (void *)data;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    if (key >= KEYS || (key >= NEAR && !far)) return 0;
    struct value *v = key < NEAR ? &near[key] : &far[key - NEAR];
    return v->use == keys[key].use ? v->data : 0;
}

static int destroy(unsigned key, struct value *v) {
    void *data = v->data;
    if (!data || v->use != keys[key].use) return 0;
    v->data = 0;
    if (!keys[key].destructor) return 0;
    keys[key].destructor(data);
    return 1;
}

void ics_run_key_destructors(void) {
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        int ran = 0;
        for (unsigned i = 0; i < limit && i < NEAR; i++) ran |= destroy(i, &near[i]);
        if (far)
            for (unsigned i = NEAR; i < limit; i++) ran |= destroy(i, &far[i - NEAR]);
        if (!ran) break;
    }
    __ics_free(far);
    far = 0;
}

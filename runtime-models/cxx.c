/* What C++ code needs of its runtime library without using the library: `new` and `delete`, guards of local statics,
 * and calls that must not happen. The names are those of the Itanium C++ ABI. Exceptions are not modelled: where the
 * real functions throw, these end the path with a reason. */
#include "ics.h"

#include "ics_thread.h"

#include <stdint.h>
#include <stdlib.h>

/* Every address of the engine's heap is aligned enough for any type. */
static void *may_fail(size_t size, int family) {
    void *p = __ics_malloc(size, 0);
    if (p) __ics_set_family(p, family);
    return p;
}

static void *allocate(size_t size, int family) {
    void *p = may_fail(size, family);
    if (!p) __ics_unsupported("operator new, out of memory: it throws std::bad_alloc");
    return p;
}

/* `delete` of null is nothing, and what `new[]` made is for `delete[]`. */
static void release(void *p, int family) {
    __ics_check_family(p, family);
    __ics_free(p);
}

void *_Znwm(size_t size) {
    return allocate(size, ICS_BY_DELETE);
}

void *_Znam(size_t size) {
    return allocate(size, ICS_BY_DELETE_ARRAY);
}

void *_ZnwmSt11align_val_t(size_t size, size_t alignment) {
    return allocate(size, ICS_BY_DELETE);
}

void *_ZnamSt11align_val_t(size_t size, size_t alignment) {
    return allocate(size, ICS_BY_DELETE_ARRAY);
}

void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow) {
    return may_fail(size, ICS_BY_DELETE);
}

void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow) {
    return may_fail(size, ICS_BY_DELETE_ARRAY);
}

void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *nothrow) {
    return may_fail(size, ICS_BY_DELETE);
}

void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *nothrow) {
    return may_fail(size, ICS_BY_DELETE_ARRAY);
}

void _ZdlPv(void *p) {
    release(p, ICS_BY_DELETE);
}

void _ZdaPv(void *p) {
    release(p, ICS_BY_DELETE_ARRAY);
}

void _ZdlPvm(void *p, size_t size) {
    release(p, ICS_BY_DELETE);
}

void _ZdaPvm(void *p, size_t size) {
    release(p, ICS_BY_DELETE_ARRAY);
}

void _ZdlPvSt11align_val_t(void *p, size_t alignment) {
    release(p, ICS_BY_DELETE);
}

void _ZdaPvSt11align_val_t(void *p, size_t alignment) {
    release(p, ICS_BY_DELETE_ARRAY);
}

void _ZdlPvmSt11align_val_t(void *p, size_t size, size_t alignment) {
    release(p, ICS_BY_DELETE);
}

void _ZdaPvmSt11align_val_t(void *p, size_t size, size_t alignment) {
    release(p, ICS_BY_DELETE_ARRAY);
}

void _ZdlPvRKSt9nothrow_t(void *p, const void *nothrow) {
    release(p, ICS_BY_DELETE);
}

void _ZdaPvRKSt9nothrow_t(void *p, const void *nothrow) {
    release(p, ICS_BY_DELETE_ARRAY);
}

/* A local static is initialised by the first thread that gets there; the others wait for it. The guard's first byte is
 * the compiler's own: not 0 when it is done. */
enum { DONE, RUNNING };

int __cxa_guard_acquire(unsigned char *guard) {
    while (!guard[DONE] && guard[RUNNING]) ics_wait(guard, ICS_FOREVER);
    if (guard[DONE]) {
        __ics_event(guard, ICS_SHARED);
        return 0;
    }
    guard[RUNNING] = 1;
    __ics_event(guard, ICS_EXCLUSIVE);
    return 1;
}

static void finish(unsigned char *guard, int done) {
    guard[RUNNING] = 0;
    guard[DONE] = (unsigned char)done;
    __ics_event(guard, ICS_EXCLUSIVE);
    __ics_notify_all(guard);
    ics_yield();
}

void __cxa_guard_release(unsigned char *guard) {
    finish(guard, 1);
}

/* The initialisation threw: the next thread tries again. */
void __cxa_guard_abort(unsigned char *guard) {
    finish(guard, 0);
}

_Noreturn void __cxa_pure_virtual(void) {
    __ics_error("pure virtual method called");
}

_Noreturn void __cxa_deleted_virtual(void) {
    __ics_error("deleted virtual method called");
}

_Noreturn void _ZSt9terminatev(void) {
    abort();
}

/* Every file that includes <iostream> has one of these, whether it uses streams or not. Streams are not modelled, so
 * there is nothing to set up. */
void _ZNSt8ios_base4InitC1Ev(void *self) {
}

void _ZNSt8ios_base4InitD1Ev(void *self) {
}

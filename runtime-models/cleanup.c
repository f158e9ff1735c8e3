/* Non-local jumps, and the cleanup handlers of a thread that ends: pthread_cleanup_push expands to a setjmp and a
 * registration of its buffer. */
#include "ics.h"

#include <pthread.h>
#include <setjmp.h>

#include "ics_thread.h"

_Static_assert(sizeof(__jmp_buf) >= 3 * sizeof(long), "the place fits");

/* What is remembered beside the place, which each function has to save itself: it is that of its own caller. */
static int saved(struct __jmp_buf_tag *buffer, int with_mask) {
    buffer->__mask_was_saved = with_mask;
    if (with_mask) buffer->__saved_mask.__val[0] = ics_self()->blocked;
    return 0;
}

int __sigsetjmp(struct __jmp_buf_tag buffer[1], int with_mask) {
    __ics_save_context(buffer);
    return saved(buffer, with_mask);
}

int _setjmp(struct __jmp_buf_tag buffer[1]) {
    __ics_save_context(buffer);
    return saved(buffer, 0);
}

#undef setjmp
int setjmp(jmp_buf buffer) {
    __ics_save_context(buffer);
    return saved(buffer, 1);
}

static _Noreturn void jump(struct __jmp_buf_tag *buffer, int value) {
    if (buffer->__mask_was_saved) ics_self()->blocked = buffer->__saved_mask.__val[0];
    if (ics_signalled) ics_handle_signals();
    __ics_restore_context(buffer, value ? value : 1);
}

_Noreturn void longjmp(struct __jmp_buf_tag buffer[1], int value) {
    jump(buffer, value);
}

_Noreturn void _longjmp(struct __jmp_buf_tag buffer[1], int value) {
    jump(buffer, value);
}

_Noreturn void siglongjmp(sigjmp_buf buffer, int value) {
    jump(buffer, value);
}

_Noreturn void ics_longjmp_chk(struct __jmp_buf_tag buffer[1], int value) __asm__("__longjmp_chk");
_Noreturn void ics_longjmp_chk(struct __jmp_buf_tag buffer[1], int value) {
    jump(buffer, value);
}

/* --- cleanup handlers --- */

/* What a buffer holds whose handler is a function of its own, in place of what __sigsetjmp would have saved: the
 * frontend makes one of the code that pthread_cleanup_push has for it. */
struct handler {
    unsigned long mark;
    void (*run)(void *context);
    void *context;
};

enum { HANDLER = 0x636c6561 };

void ics_save_cleanup(struct __jmp_buf_tag *buffer, void (*run)(void *), void *context) {
    *(struct handler *)buffer = (struct handler){HANDLER, run, context};
}

/* The innermost buffer: a __pthread_unwind_buf_t, or, one higher, a struct _pthread_cleanup_buffer, which says what to
 * call and needs no jump. */
static _Thread_local uintptr_t innermost;

void __pthread_register_cancel(__pthread_unwind_buf_t *buffer) {
    buffer->__pad[0] = (void *)innermost;
    innermost = (uintptr_t)buffer;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) {
    innermost = (uintptr_t)buffer->__pad[0];
}

void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer) {
    struct ics_thread *t = ics_self();
    buffer->__pad[1] = (void *)(uintptr_t)t->cancel_async;
    t->cancel_async = 0;
    __pthread_register_cancel(buffer);
}

void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer) {
    __pthread_unregister_cancel(buffer);
    ics_self()->cancel_async = buffer->__pad[1] != 0;
    if (ics_self()->cancel_async) ics_cancellation_point();
}

void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *arg) {
    buffer->__routine = routine;
    buffer->__arg = arg;
    buffer->__prev = (void *)innermost;
    innermost = (uintptr_t)buffer + 1;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute) {
    innermost = (uintptr_t)buffer->__prev;
    if (execute) buffer->__routine(buffer->__arg);
}

void _pthread_cleanup_push_defer(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *arg) {
    struct ics_thread *t = ics_self();
    buffer->__canceltype = t->cancel_async;
    t->cancel_async = 0;
    _pthread_cleanup_push(buffer, routine, arg);
}

void _pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *buffer, int execute) {
    innermost = (uintptr_t)buffer->__prev;
    ics_self()->cancel_async = buffer->__canceltype != 0;
    if (ics_self()->cancel_async) ics_cancellation_point();
    if (execute) buffer->__routine(buffer->__arg);
}

void ics_run_cleanups(void) {
    while (innermost) {
        if (innermost & 1) {
            struct _pthread_cleanup_buffer *old = (struct _pthread_cleanup_buffer *)(innermost - 1);
            innermost = (uintptr_t)old->__prev;
            old->__routine(old->__arg);
            continue;
        }
        __pthread_unwind_buf_t *buffer = (__pthread_unwind_buf_t *)innermost;
        innermost = (uintptr_t)buffer->__pad[0];
        struct handler *h = (struct handler *)buffer;
        if (h->mark == HANDLER) {
            h->run(h->context);
            continue;
        }
        if (__ics_is_symbolic_domain()) __ics_unsupported("the thread ends inside a section of its own kind of pthread_cleanup_push");
        __ics_restore_context(buffer->__cancel_jmp_buf, 1);
    }
}

_Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buffer) {
    ics_end_thread();
}

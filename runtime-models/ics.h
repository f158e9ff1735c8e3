/* The engine's operations, as the models see them.
 *
 * The list, and what each does exactly, is crates/ir/src/intrinsic.rs; the comments here only say what a model has to
 * keep in mind. Everything a model keeps between calls lives in ordinary C objects, so that it is part of the state
 * that the engine explores. */
#ifndef ICS_H
#define ICS_H

/* This file comes before every header of the C library. They define some functions inline when optimising, while the
 * models define the real ones; and they declare arguments to be nonnull, on which a compiler drops the very checks for
 * null that a model makes. */
#define __NO_INLINE__ 1
#include <sys/cdefs.h>
#undef __nonnull
#define __nonnull(parameters)
#undef __attribute_nonnull__
#define __attribute_nonnull__(parameters)

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

/* Threads and wait queues. A queue is named by the address of the user's object, so that a deadlock report can name
 * it. Switches happen only in yield, pause, wait and thread exit: a model needs no protection of its own. */
void __ics_yield(void);
void __ics_pause(void);
void __ics_wait(const void *queue);
int __ics_wait_timed(const void *queue, unsigned long deadline);
unsigned long __ics_clock(int busy);
int __ics_interrupt(int slot, void (*handler)(void));
_Noreturn void __ics_resume(void);
void __ics_notify_one(const void *queue);
void __ics_notify_all(const void *queue);
int __ics_notify_thread(int slot);
int __ics_thread_create(void *(*start)(void *), void *arg, int slot);
int __ics_thread_self(void);
_Noreturn void __ics_thread_exit(void);

/* Annotations and nodes of the happens-before graph. */
#define ICS_EXCLUSIVE 0
#define ICS_SHARED 1
void __ics_acquire(const void *lock);
void __ics_release(const void *lock);
void __ics_not_held(const void *lock);
void __ics_barrier_init(const void *barrier, unsigned count);
void __ics_barrier_arrive(const void *barrier);
void __ics_event(const void *object, int mode);
void __ics_order(const void *object, int mode);

/* Memory. */
void *__ics_malloc(size_t bytes, int zeroed);
void __ics_free(void *p);
#define ICS_BY_FREE 0
#define ICS_BY_DELETE 1
#define ICS_BY_DELETE_ARRAY 2
void __ics_set_family(void *p, int family);
void __ics_check_family(const void *p, int family);
size_t __ics_object_size(const void *p);
size_t __ics_room(const void *p);
void __ics_memcpy(void *to, const void *from, size_t n);
void __ics_memmove(void *to, const void *from, size_t n);
void __ics_memset(void *to, int byte, size_t n);

/* What is known of a word of `object` that a model is about to look at, in runs that begin in the middle of a
   program. */
enum ics_known {
    ICS_ZERO_UNLESS_HELD,
    ICS_EXPECTED,
    ICS_COUNTS_WAITERS,
    ICS_COUNTS_PERMITS,
    ICS_SET_WHILE_WAITED_FOR,
    ICS_COUNTS_THREADS,
    ICS_ZERO_IF_VALID,
    ICS_COUNTS_OTHERS,
    ICS_ENDS,
    ICS_COUNTS_HOLDS,
    ICS_HOLDER,
};
void __ics_known(int what, const void *field, const void *object);
unsigned long __ics_handle(unsigned long handle);

/* Process. */
void (*__ics_destructor(int index))(void);
_Noreturn void __ics_exit(int status);
void __ics_save_context(void *buffer);
_Noreturn void __ics_restore_context(void *buffer, int value);
_Noreturn void __ics_abort(void);
_Noreturn void __ics_assert_fail(const char *expression, const char *file, unsigned line, const char *function);
_Noreturn void __ics_error(const char *message);
_Noreturn void __ics_unsupported(const char *what);

/* Domain and inputs. */
int __ics_is_symbolic_domain(void);
/* Whether text is looked at byte by byte, whatever is known of it. */
int __ics_is_exact(void);
/* How many calls may fail on a path, if one of this library function may here; else 0. */
unsigned __ics_may_fail(const char *name);
int __ics_is_symbolic(unsigned long value);
int __ics_is_unknown(unsigned long value);
int __ics_any_symbolic(const void *p, size_t n);
int __ics_string_symbolic(const char *s);
unsigned long __ics_string_end(const char *s, size_t room);
int __ics_has_nul(const char *s, size_t n);
unsigned long __ics_select(unsigned long c, unsigned long a, unsigned long b);
unsigned long __ics_input(const char *name, unsigned bits);
unsigned long __ics_input_of_string(const char *name, const char *s, unsigned bits);
void __ics_input_bytes(void *p, size_t n, const char *name);
void __ics_assume(int condition);

/* The host's libm on constants, given and returned as bits; the order is the engine's. With ICS_SINGLE the function on
 * `float`. */
enum ics_math_function {
    ICS_SIN, ICS_COS, ICS_TAN, ICS_ASIN, ICS_ACOS, ICS_ATAN, ICS_SINH, ICS_COSH, ICS_TANH, ICS_ASINH, ICS_ACOSH,
    ICS_ATANH, ICS_EXP, ICS_EXP2, ICS_EXP10, ICS_EXPM1, ICS_LOG, ICS_LOG2, ICS_LOG10, ICS_LOG1P, ICS_CBRT, ICS_ERF,
    ICS_ERFC, ICS_TGAMMA, ICS_J0, ICS_J1, ICS_Y0, ICS_Y1, ICS_POW, ICS_ATAN2, ICS_HYPOT, ICS_LGAMMA, ICS_JN, ICS_YN,
    ICS_SINGLE = 256,
};
unsigned long __ics_math(int function, unsigned long a, unsigned long b);

/* Host. */
long __ics_host_write(int fd, const void *p, size_t n);
long __ics_host_read(int fd, void *p, size_t n);
int __ics_host_open(const char *path, int flags, int mode);
int __ics_host_close(int fd);
long __ics_host_seek(int fd, long offset, int whence);
long __ics_host_file_size(int fd);
long __ics_host_clock(int clock, long *seconds_and_nanoseconds);
/* In the order of the engine's FileOperation; `fd` is a host's descriptor or AT_FDCWD, a path that is not needed "". */
enum ics_file_operation {
    ICS_OPEN, ICS_ACCESS, ICS_UNLINK, ICS_RENAME, ICS_MKDIR, ICS_LINK, ICS_SYMLINK, ICS_MKFIFO, ICS_CHMOD, ICS_CHOWN,
    ICS_UTIME, ICS_CHDIR, ICS_UMASK, ICS_TRUNCATE, ICS_FSYNC, ICS_FCHMOD, ICS_FCHOWN, ICS_FUTIME, ICS_GETFL, ICS_SETFL,
    ICS_FLOCK,
};
long __ics_host_file(int operation, int fd, const char *path, const char *other, long a, long b);
enum ics_file_query { ICS_STAT, ICS_LSTAT, ICS_FSTAT, ICS_READLINK, ICS_CWD, ICS_REALPATH, ICS_ENTRIES };
long __ics_host_query(int query, int fd, const char *path, void *to, size_t n);
int __ics_symbolic_file(const char *path);
long __ics_symbolic_file_size(int file);
void __ics_symbolic_file_read(int file, long offset, void *p, size_t n);

#ifdef __cplusplus
}
#undef _Noreturn
#endif

/* The compiler must not turn a model's loop or call back into the function it is the model of. */
#define ICS_MIN(a, b) ((a) < (b) ? (a) : (b))

/* A branch-free `c ? a : b` of pointers. */
#define ICS_SELECT_PTR(c, a, b) ((void *)__ics_select((c), (unsigned long)(a), (unsigned long)(b)))

#endif

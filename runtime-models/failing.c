/* Functions that may fail because the user says so (`--may-fail`): the frontend then has a program call `ics_failing_X`
 * where it calls X. Whether a call fails is an input, `X_fails`. */
#include "ics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Calls that have failed so far. */
static unsigned failed;

static int fails(const char *name, const char *input) {
    unsigned most = __ics_may_fail(name);
    if (!most) return 0;
    unsigned one = (unsigned)__ics_input(input, 1) & 1;
    failed += one;
    __ics_assume(failed <= most);
    return (int)one;
}

#define FAILS(name) fails(#name, #name "_fails")

/* RESULT and its errno, if the call fails; else what X gives. */
#define FAILING(type, name, parameters, arguments, error, result)                                                     \
    type ics_failing_##name parameters;                                                                               \
    type ics_failing_##name parameters {                                                                              \
        if (FAILS(name)) {                                                                                  \
            errno = (error);                                                                                          \
            return (result);                                                                                          \
        }                                                                                                             \
        return name arguments;                                                                                        \
    }

/* The same for functions that give the error itself. */
#define CODE(name, parameters, arguments, error)                                                                      \
    int ics_failing_##name parameters;                                                                                \
    int ics_failing_##name parameters {                                                                               \
        return FAILS(name) ? (error) : name arguments;                                                      \
    }

/* memory */
FAILING(void *, malloc, (size_t n), (n), ENOMEM, 0)
FAILING(void *, calloc, (size_t count, size_t n), (count, n), ENOMEM, 0)
FAILING(void *, realloc, (void *p, size_t n), (p, n), ENOMEM, 0)
FAILING(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n), ENOMEM, 0)
FAILING(char *, strdup, (const char *s), (s), ENOMEM, 0)
FAILING(char *, strndup, (const char *s, size_t n), (s, n), ENOMEM, 0)
FAILING(void *, mmap, (void *p, size_t n, int access, int flags, int fd, off_t from), (p, n, access, flags, fd, from), ENOMEM,
        MAP_FAILED)
CODE(posix_memalign, (void **to, size_t alignment, size_t n), (to, alignment, n), ENOMEM)

/* threads */
CODE(pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x), (t, a, f, x), EAGAIN)
CODE(pthread_attr_init, (pthread_attr_t *a), (a), ENOMEM)
CODE(pthread_mutex_init, (pthread_mutex_t *m, const pthread_mutexattr_t *a), (m, a), EAGAIN)
CODE(pthread_cond_init, (pthread_cond_t *c, const pthread_condattr_t *a), (c, a), EAGAIN)
CODE(pthread_rwlock_init, (pthread_rwlock_t *l, const pthread_rwlockattr_t *a), (l, a), EAGAIN)
CODE(pthread_barrier_init, (pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n), (b, a, n), EAGAIN)
CODE(pthread_key_create, (pthread_key_t *k, void (*f)(void *)), (k, f), EAGAIN)
FAILING(int, sem_init, (sem_t *s, int shared, unsigned n), (s, shared, n), ENOSPC, -1)

/* Timed waits that end before anything has happened: the time is over. Who waits for a condition has let go of the
 * mutex meanwhile. */
FAILING(int, sem_timedwait, (sem_t *s, const struct timespec *until), (s, until), ETIMEDOUT, -1)
CODE(pthread_mutex_timedlock, (pthread_mutex_t *m, const struct timespec *until), (m, until), ETIMEDOUT)

int ics_failing_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int ics_failing_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    if (!FAILS(pthread_cond_timedwait)) return pthread_cond_timedwait(c, m, until);
    int error = pthread_mutex_unlock(m);
    if (!error) error = pthread_mutex_lock(m);
    return error ? error : ETIMEDOUT;
}

/* files */
FAILING(FILE *, fopen, (const char *path, const char *mode), (path, mode), ENOENT, 0)
FAILING(FILE *, fdopen, (int fd, const char *mode), (fd, mode), ENOMEM, 0)
FAILING(DIR *, opendir, (const char *path), (path), ENOENT, 0)
FAILING(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), EIO, -1)
FAILING(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), EIO, -1)
FAILING(int, close, (int fd), (fd), EIO, -1)
FAILING(int, fclose, (FILE *f), (f), EIO, EOF)
FAILING(int, fflush, (FILE *f), (f), EIO, EOF)
FAILING(int, pipe, (int *fds), (fds), EMFILE, -1)
FAILING(int, stat, (const char *path, struct stat *s), (path, s), ENOENT, -1)
FAILING(off_t, lseek, (int fd, off_t to, int whence), (fd, to, whence), EINVAL, -1)

int ics_failing_open(const char *path, int flags, ...);
int ics_failing_open(const char *path, int flags, ...) {
    __builtin_va_list ap;
    __builtin_va_start(ap, flags);
    int mode = flags & O_CREAT ? __builtin_va_arg(ap, int) : 0;
    __builtin_va_end(ap);
    if (FAILS(open)) {
        errno = ENOENT;
        return -1;
    }
    return open(path, flags, mode);
}

/* sockets */
FAILING(int, socket, (int domain, int type, int protocol), (domain, type, protocol), EMFILE, -1)
FAILING(int, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), EADDRINUSE, -1)
FAILING(int, listen, (int fd, int n), (fd, n), EADDRINUSE, -1)
FAILING(int, accept, (int fd, struct sockaddr *a, socklen_t *n), (fd, a, n), ECONNABORTED, -1)
FAILING(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), ECONNREFUSED, -1)
FAILING(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), ECONNRESET, -1)
FAILING(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), ECONNRESET, -1)

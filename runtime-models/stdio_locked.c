/* Streams with their locks. glibc holds a lock of the stream in each of these functions; what a lock orders counts only
 * where the synchronisation of libraries is not ignored: the frontend then has a program call `ics_locked_X` where it
 * calls X. */
#include "ics.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "ics_stdio.h"
#include "ics_thread.h"

/* A recursive lock. */
struct stream_lock {
    pthread_mutex_t mutex;
    pthread_t owner;
    unsigned depth;
};

static struct stream_lock stdin_lock = {PTHREAD_MUTEX_INITIALIZER}, stdout_lock = {PTHREAD_MUTEX_INITIALIZER},
                          stderr_lock = {PTHREAD_MUTEX_INITIALIZER};

static struct stream_lock *lock_of(FILE *f) {
    if (f == stdout) return &stdout_lock;
    if (f == stderr) return &stderr_lock;
    if (f == stdin) return &stdin_lock;
    if (!f->_lock) {
        struct stream_lock *l = calloc(1, sizeof *l);
        pthread_mutex_init(&l->mutex, 0);
        f->_lock = (void *)l;
    }
    return (struct stream_lock *)f->_lock;
}

static int is_mine(const struct stream_lock *l) {
    return l->depth && l->owner == pthread_self();
}

static void taken(struct stream_lock *l) {
    l->owner = pthread_self();
    ics_owns();
}

static void hold(FILE *f) {
    struct stream_lock *l = lock_of(f);
    if (!is_mine(l)) {
        pthread_mutex_lock(&l->mutex);
        taken(l);
    }
    l->depth++;
}

static void let_go(FILE *f) {
    struct stream_lock *l = lock_of(f);
    if (--l->depth) return;
    ics_owns_no_more();
    pthread_mutex_unlock(&l->mutex);
}

void ics_locked_flockfile(FILE *f) {
    hold(f);
}

void ics_locked_funlockfile(FILE *f) {
    let_go(f);
}

int ics_locked_ftrylockfile(FILE *f) {
    struct stream_lock *l = lock_of(f);
    if (!is_mine(l)) {
        if (pthread_mutex_trylock(&l->mutex)) return -1;
        taken(l);
    }
    l->depth++;
    return 0;
}

#define LOCKED(type, name, parameters, stream, call) \
    type ics_locked_##name parameters {             \
        FILE *held = (stream);                      \
        hold(held);                                 \
        type result = call;                         \
        let_go(held);                               \
        return result;                              \
    }

#define LOCKED_FORMAT(name, parameters, stream, call) \
    int ics_locked_##name parameters {               \
        FILE *held = (stream);                       \
        va_list ap;                                  \
        hold(held);                                  \
        va_start(ap, format);                        \
        int result = call;                           \
        va_end(ap);                                  \
        let_go(held);                                \
        return result;                               \
    }

LOCKED_FORMAT(printf, (const char *format, ...), stdout, vfprintf(held, format, ap))
LOCKED_FORMAT(__printf_chk, (int flag, const char *format, ...), stdout, vfprintf(held, format, ap))
LOCKED_FORMAT(fprintf, (FILE *f, const char *format, ...), f, vfprintf(held, format, ap))
LOCKED_FORMAT(__fprintf_chk, (FILE *f, int flag, const char *format, ...), f, vfprintf(held, format, ap))
LOCKED(int, vprintf, (const char *format, va_list ap), stdout, vfprintf(held, format, ap))
LOCKED(int, __vprintf_chk, (int flag, const char *format, va_list ap), stdout, vfprintf(held, format, ap))
LOCKED(int, vfprintf, (FILE *f, const char *format, va_list ap), f, vfprintf(held, format, ap))
LOCKED(int, __vfprintf_chk, (FILE *f, int flag, const char *format, va_list ap), f, vfprintf(held, format, ap))
LOCKED_FORMAT(scanf, (const char *format, ...), stdin, vfscanf(held, format, ap))
LOCKED_FORMAT(__isoc99_scanf, (const char *format, ...), stdin, vfscanf(held, format, ap))
LOCKED_FORMAT(__isoc23_scanf, (const char *format, ...), stdin, vfscanf(held, format, ap))
LOCKED_FORMAT(fscanf, (FILE *f, const char *format, ...), f, vfscanf(held, format, ap))
LOCKED_FORMAT(__isoc99_fscanf, (FILE *f, const char *format, ...), f, vfscanf(held, format, ap))
LOCKED_FORMAT(__isoc23_fscanf, (FILE *f, const char *format, ...), f, vfscanf(held, format, ap))

LOCKED(int, puts, (const char *s), stdout, puts(s))
LOCKED(int, putchar, (int c), stdout, fputc(c, held))
LOCKED(int, fputs, (const char *s, FILE *f), f, fputs(s, held))
LOCKED(int, fputc, (int c, FILE *f), f, fputc(c, held))
LOCKED(int, putc, (int c, FILE *f), f, fputc(c, held))
LOCKED(int, _IO_putc, (int c, FILE *f), f, fputc(c, held))
LOCKED(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), f, fwrite(p, size, n, held))
LOCKED(int, fgetc, (FILE *f), f, fgetc(held))
LOCKED(int, getc, (FILE *f), f, fgetc(held))
LOCKED(int, _IO_getc, (FILE *f), f, fgetc(held))
LOCKED(int, getchar, (void), stdin, fgetc(held))
LOCKED(int, ungetc, (int c, FILE *f), f, ungetc(c, held))
LOCKED(char *, fgets, (char *to, int n, FILE *f), f, fgets(to, n, held))
LOCKED(size_t, fread, (void *p, size_t size, size_t n, FILE *f), f, fread(p, size, n, held))
LOCKED(ssize_t, getline, (char **line, size_t *n, FILE *f), f, getline(line, n, held))
LOCKED(ssize_t, getdelim, (char **line, size_t *n, int end, FILE *f), f, getdelim(line, n, end, held))
LOCKED(int, feof, (FILE *f), f, feof(held))
LOCKED(int, ferror, (FILE *f), f, ferror(held))
LOCKED(int, fseek, (FILE *f, long offset, int whence), f, fseek(held, offset, whence))
LOCKED(long, ftell, (FILE *f), f, ftell(held))

/* All streams are one after the other, of which the standard ones are locked here. */
int ics_locked_fflush(FILE *f) {
    if (f) {
        hold(f);
        int result = fflush(f);
        let_go(f);
        return result;
    }
    hold(stdout);
    hold(stderr);
    int result = fflush(0);
    let_go(stderr);
    let_go(stdout);
    return result;
}

void ics_locked_clearerr(FILE *f) {
    hold(f);
    clearerr(f);
    let_go(f);
}

void ics_locked_rewind(FILE *f) {
    hold(f);
    rewind(f);
    let_go(f);
}

void ics_locked_perror(const char *text) {
    hold(stderr);
    perror(text);
    let_go(stderr);
}

/* The lock goes with the stream. */
int ics_locked_fclose(FILE *f) {
    struct stream_lock *l = (struct stream_lock *)f->_lock;
    hold(f);
    let_go(f);
    int result = fclose(f);
    free(l);
    return result;
}

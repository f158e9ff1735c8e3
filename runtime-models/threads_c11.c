/* C11 threads in terms of the same objects as the POSIX ones, as in glibc. */
#include "ics.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "ics_thread.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "glibc's layout");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "glibc's layout");

static int status(int error) {
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *arg) {
    int error = ics_start_thread(thread, 0, (void *(*)(void *))start, arg, 1);
    return error == EAGAIN ? thrd_nomem : status(error);
}

int thrd_join(thrd_t thread, int *result) {
    void *value;
    int error = pthread_join(thread, &value);
    if (error == 0 && result) *result = (int)(intptr_t)value;
    return status(error);
}

int thrd_detach(thrd_t thread) {
    return status(pthread_detach(thread));
}

_Noreturn void thrd_exit(int result) {
    pthread_exit((void *)(intptr_t)result);
}

thrd_t thrd_current(void) {
    return pthread_self();
}

int thrd_equal(thrd_t a, thrd_t b) {
    return a == b;
}

void thrd_yield(void) {
    ics_pause();
}

int thrd_sleep(const struct timespec *duration, struct timespec *left) {
    int error = clock_nanosleep(CLOCK_REALTIME, 0, duration, left);
    return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

int mtx_init(mtx_t *mutex, int type) {
    if (type & ~(mtx_timed | mtx_recursive)) return thrd_error;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    if (type & mtx_recursive) pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    return status(pthread_mutex_init((pthread_mutex_t *)mutex, &attr));
}

void mtx_destroy(mtx_t *mutex) {
    pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int mtx_lock(mtx_t *mutex) {
    return status(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int mtx_trylock(mtx_t *mutex) {
    return status(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

int mtx_timedlock(mtx_t *mutex, const struct timespec *time) {
    return status(pthread_mutex_timedlock((pthread_mutex_t *)mutex, time));
}

int mtx_unlock(mtx_t *mutex) {
    return status(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

int cnd_init(cnd_t *cond) {
    return status(pthread_cond_init((pthread_cond_t *)cond, 0));
}

void cnd_destroy(cnd_t *cond) {
    pthread_cond_destroy((pthread_cond_t *)cond);
}

int cnd_wait(cnd_t *cond, mtx_t *mutex) {
    return status(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *time) {
    return status(pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, time));
}

int cnd_signal(cnd_t *cond) {
    return status(pthread_cond_signal((pthread_cond_t *)cond));
}

int cnd_broadcast(cnd_t *cond) {
    return status(pthread_cond_broadcast((pthread_cond_t *)cond));
}

void call_once(once_flag *flag, void (*routine)(void)) {
    pthread_once((pthread_once_t *)flag, routine);
}

int tss_create(tss_t *key, tss_dtor_t destructor) {
    return status(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key) {
    pthread_key_delete(key);
}

int tss_set(tss_t key, void *value) {
    return status(pthread_setspecific(key, value));
}

void *tss_get(tss_t key) {
    return pthread_getspecific(key);
}

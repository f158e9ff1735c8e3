/* The pthread and C11 models on cooperative threads: results that POSIX fixes, who wakes whom, and how many events an
 * operation makes. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <string.h>
#include <threads.h>

#include "engine.h"

#define MODELS(X)                                                                                                   \
    X(pthread_create) X(pthread_join) X(pthread_tryjoin_np) X(pthread_detach) X(pthread_exit) X(pthread_self)       \
    X(pthread_mutex_init) X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock)                 \
    X(pthread_mutex_unlock) X(pthread_mutex_destroy) X(pthread_mutexattr_init) X(pthread_mutexattr_settype)         \
    X(pthread_cond_wait) X(pthread_cond_timedwait) X(pthread_cond_signal) X(pthread_cond_broadcast)                 \
    X(pthread_barrier_init) X(pthread_barrier_wait) X(pthread_rwlock_rdlock) X(pthread_rwlock_tryrdlock)            \
    X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_unlock) X(pthread_once)                   \
    X(pthread_spin_init) X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) X(pthread_key_create)  \
    X(pthread_key_delete) X(pthread_setspecific) X(pthread_getspecific) X(pthread_cancel) X(pthread_testcancel)     \
    X(pthread_setcancelstate) X(pthread_attr_init) X(pthread_attr_setdetachstate) X(sem_init) X(sem_wait)           \
    X(sem_trywait) X(sem_timedwait) X(sem_post) X(sem_getvalue) X(sched_yield) X(thrd_create) X(thrd_join)          \
    X(thrd_exit) X(mtx_init) X(mtx_lock) X(mtx_trylock) X(mtx_unlock) X(cnd_init) X(cnd_wait) X(cnd_signal)         \
    X(call_once) X(usleep)
#include <unistd.h>
#define DECLARE(name) MODEL(name);
MODELS(DECLARE)
extern int *m___errno_location(void);
int failures;

#define IS(expression, expected)                                                                                    \
    do {                                                                                                            \
        long got = (long)(expression);                                                                              \
        CHECK(got == (long)(expected), "%s is %ld, not %ld", #expression, got, (long)(expected));                   \
    } while (0)

static const struct timespec soon = {1, 0};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int shared, order[16], arrived;

static pthread_t start(void *(*f)(void *), long arg) {
    pthread_t t;
    IS(m_pthread_create(&t, 0, f, (void *)arg), 0);
    return t;
}

static long join(pthread_t t) {
    void *result;
    IS(m_pthread_join(t, &result), 0);
    return (long)result;
}

static void *count_up(void *n) {
    for (int i = 0; i < 1000; i++) {
        m_pthread_mutex_lock(&mutex);
        int before = shared;
        if (i % 7 == 0) m_sched_yield();
        shared = before + 1;
        m_pthread_mutex_unlock(&mutex);
    }
    return n;
}

static void *others_view(void *unused) {
    IS(m_pthread_mutex_trylock(&mutex), EBUSY);
    IS(m_pthread_mutex_trylock(&recursive), EBUSY);
    IS(m_pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
    IS(m_pthread_mutex_unlock(&recursive), EPERM);
    IS(m_pthread_mutex_unlock(&checking), EPERM);
    return 0;
}

static void mutexes(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++) t[i] = start(count_up, i);
    for (long i = 3; i >= 0; i--) IS(join(t[i]), i);
    IS(shared, 4000);
    unsigned long before = engine_events;
    IS(m_pthread_mutex_lock(&mutex), 0);
    IS(m_pthread_mutex_lock(&recursive), 0);
    IS(m_pthread_mutex_lock(&checking), 0);
    IS(engine_events - before, 3);
    IS(m_pthread_mutex_lock(&recursive), 0);
    IS(m_pthread_mutex_trylock(&recursive), 0);
    IS(m_pthread_mutex_lock(&checking), EDEADLK);
    IS(m_pthread_mutex_trylock(&checking), EBUSY);
    IS(m_pthread_mutex_destroy(&mutex), EBUSY);
    IS(engine_events - before, 3);
    join(start(others_view, 0));
    for (int i = 0; i < 3; i++) IS(m_pthread_mutex_unlock(&recursive), 0);
    IS(m_pthread_mutex_unlock(&recursive), EPERM);
    IS(m_pthread_mutex_unlock(&checking), 0);
    IS(m_pthread_mutex_unlock(&mutex), 0);
    pthread_mutexattr_t attr;
    m_pthread_mutexattr_init(&attr);
    IS(m_pthread_mutexattr_settype(&attr, 17), EINVAL);
    IS(m_pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE), 0);
    pthread_mutex_t made;
    IS(m_pthread_mutex_init(&made, &attr), 0);
    IS(m_pthread_mutex_lock(&made), 0);
    IS(m_pthread_mutex_lock(&made), 0);
    IS(m_pthread_mutex_destroy(&made), EBUSY);
}

static void *waiter(void *n) {
    m_pthread_mutex_lock(&mutex);
    IS(m_pthread_cond_wait(&cond, &mutex), 0);
    order[arrived++] = (int)(long)n;
    m_pthread_mutex_unlock(&mutex);
    return n;
}

static void conditions(void) {
    pthread_t t[3];
    m_pthread_cond_signal(&cond); /* lost */
    for (long i = 0; i < 3; i++) t[i] = start(waiter, i);
    for (int i = 0; i < 8; i++) m_sched_yield();
    IS(arrived, 0);
    m_pthread_cond_signal(&cond);
    for (int i = 0; i < 8; i++) m_sched_yield();
    IS(arrived, 1);
    m_pthread_cond_broadcast(&cond);
    for (int i = 0; i < 3; i++) join(t[i]);
    IS(arrived, 3);
    for (int i = 0; i < 3; i++) IS(order[i], i);
    m_pthread_mutex_lock(&mutex);
    IS(m_pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
    const struct timespec wrong = {1, 1000000000};
    IS(m_pthread_cond_timedwait(&cond, &mutex, &wrong), EINVAL);
    IS(m_pthread_mutex_trylock(&mutex), EBUSY);
    m_pthread_mutex_unlock(&mutex);
    IS(m_pthread_cond_wait(&cond, &checking), EPERM);
}

static void *meet(void *unused) {
    long serial = 0;
    for (int i = 0; i < 5; i++) {
        shared++;
        serial += m_pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        IS(shared, 3 * (i + 1));
        m_pthread_barrier_wait(&barrier);
    }
    return (void *)serial;
}

static void barriers(void) {
    IS(m_pthread_barrier_init(&barrier, 0, 0), EINVAL);
    IS(m_pthread_barrier_init(&barrier, 0, 3), 0);
    shared = 0;
    pthread_t t[3];
    for (int i = 0; i < 3; i++) t[i] = start(meet, 0);
    IS(join(t[0]) + join(t[1]) + join(t[2]), 5);
}

static void *post_later(void *unused) {
    IS(m_sem_post(&semaphore), 0);
    return 0;
}

static void semaphores(void) {
    int value;
    IS(m_sem_init(&semaphore, 0, 1), 0);
    IS(m_sem_wait(&semaphore), 0);
    IS(m_sem_trywait(&semaphore), -1);
    IS(*m___errno_location(), EAGAIN);
    IS(m_sem_timedwait(&semaphore, &soon), -1);
    IS(*m___errno_location(), ETIMEDOUT);
    pthread_t t = start(post_later, 0);
    IS(m_sem_wait(&semaphore), 0);
    join(t);
    IS(m_sem_getvalue(&semaphore, &value), 0);
    IS(value, 0);
    IS(m_sem_init(&semaphore, 0, 0x7fffffff), 0);
    IS(m_sem_post(&semaphore), -1);
    IS(*m___errno_location(), EOVERFLOW);
}

static void *reader(void *unused) {
    IS(m_pthread_rwlock_tryrdlock(&rwlock), 0);
    IS(m_pthread_rwlock_trywrlock(&rwlock), EBUSY);
    IS(m_pthread_rwlock_unlock(&rwlock), 0);
    return 0;
}

static void *second_writer(void *unused) {
    IS(m_pthread_rwlock_tryrdlock(&rwlock), EBUSY);
    IS(m_pthread_rwlock_wrlock(&rwlock), 0);
    shared = 7;
    IS(m_pthread_rwlock_unlock(&rwlock), 0);
    return 0;
}

static void rwlocks(void) {
    IS(m_pthread_rwlock_rdlock(&rwlock), 0);
    join(start(reader, 0));
    IS(m_pthread_rwlock_unlock(&rwlock), 0);
    IS(m_pthread_rwlock_wrlock(&rwlock), 0);
    IS(m_pthread_rwlock_wrlock(&rwlock), EDEADLK);
    IS(m_pthread_rwlock_rdlock(&rwlock), EDEADLK);
    pthread_t t = start(second_writer, 0);
    shared = 1;
    for (int i = 0; i < 5; i++) m_sched_yield();
    IS(shared, 1);
    IS(m_pthread_rwlock_unlock(&rwlock), 0);
    join(t);
    IS(shared, 7);
    pthread_spinlock_t spin;
    m_pthread_spin_init(&spin, 0);
    IS(m_pthread_spin_lock(&spin), 0);
    IS(m_pthread_spin_trylock(&spin), EBUSY);
    IS(m_pthread_spin_unlock(&spin), 0);
    IS(m_pthread_spin_trylock(&spin), 0);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void run_once(void) {
    m_sched_yield();
    shared++;
}

static void *once_more(void *unused) {
    IS(m_pthread_once(&once, run_once), 0);
    return (void *)(long)shared;
}

static pthread_key_t key, other;
static void destroyed(void *value) {
    shared += (int)(long)value;
    if ((long)value == 5) m_pthread_setspecific(key, (void *)1); /* one more round */
}

static void *specific(void *n) {
    IS(m_pthread_getspecific(key), 0);
    IS(m_pthread_setspecific(key, n), 0);
    m_sched_yield();
    IS(m_pthread_getspecific(key), n);
    m_pthread_exit(n);
    return 0;
}

static void once_and_keys(void) {
    shared = 0;
    pthread_t a = start(once_more, 0), b = start(once_more, 0);
    IS(join(a), 1);
    IS(join(b), 1);
    IS(m_pthread_key_create(&key, destroyed), 0);
    shared = 0;
    a = start(specific, 5), b = start(specific, 20);
    IS(join(a), 5);
    IS(join(b), 20);
    IS(shared, 26);
    IS(m_pthread_key_delete(key), 0);
    IS(m_pthread_setspecific(key, &key), EINVAL);
    IS(m_pthread_key_create(&other, 0), 0);
    IS(m_pthread_getspecific(other), 0);
    for (int i = 0; i < 100; i++) IS(m_pthread_key_create(&other, 0), 0);
    IS(m_pthread_setspecific(other, &other), 0);
    IS(m_pthread_getspecific(other), &other);
}

static void *forever(void *how) {
    if ((long)how == 1) m_pthread_mutex_lock(&mutex), m_pthread_cond_wait(&cond, &mutex);
    else if ((long)how == 2) m_sem_wait(&semaphore);
    else
        for (;;) m_usleep(1);
    return 0;
}

static void *stubborn(void *unused) {
    int old;
    IS(m_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
    IS(old, PTHREAD_CANCEL_ENABLE);
    for (int i = 0; i < 5; i++) m_usleep(1);
    shared = 99;
    m_pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    m_pthread_testcancel();
    shared = -1;
    return 0;
}

static void *joins_main(void *main_thread) {
    return (void *)(long)m_pthread_join((pthread_t)main_thread, 0);
}

static void lives(void) {
    m_sem_init(&semaphore, 0, 0);
    for (long how = 0; how < 3; how++) {
        pthread_t t = start(forever, how);
        for (int i = 0; i < 3; i++) m_sched_yield();
        IS(m_pthread_tryjoin_np(t, 0), EBUSY);
        IS(m_pthread_cancel(t), 0);
        IS(join(t), PTHREAD_CANCELED);
    }
    IS(m_pthread_mutex_unlock(&mutex), 0); /* taken again by the cancelled wait */
    pthread_t t = start(stubborn, 0);
    m_sched_yield();
    m_pthread_cancel(t);
    IS(join(t), PTHREAD_CANCELED);
    IS(shared, 99);
    IS(m_pthread_join(t, 0), ESRCH);
    IS(m_pthread_cancel(12345), ESRCH);
    IS(m_pthread_join(m_pthread_self(), 0), EDEADLK);
    t = start(joins_main, (long)m_pthread_self());
    for (int i = 0; i < 3; i++) m_sched_yield();
    IS(m_pthread_cancel(t), 0); /* it waits for us: to wait for it, too, would never end */
    for (int i = 0; i < 3; i++) m_sched_yield();
    IS(join(t), PTHREAD_CANCELED);
    m_pthread_mutex_lock(&mutex), m_pthread_mutex_lock(&recursive), m_pthread_mutex_lock(&checking);
    t = start(others_view, 0);
    IS(m_pthread_detach(t), 0);
    IS(m_pthread_detach(t), EINVAL);
    IS(m_pthread_join(t, 0), EINVAL);
}

static mtx_t mtx;
static cnd_t cnd;
static int c11_thread(void *arg) {
    m_mtx_lock(&mtx);
    shared = 5;
    m_cnd_signal(&cnd);
    m_mtx_unlock(&mtx);
    if (arg) m_thrd_exit(-3);
    return -4;
}

static void c11(void) {
    thrd_t t;
    int result;
    shared = 0;
    IS(m_mtx_init(&mtx, mtx_plain), thrd_success);
    IS(m_cnd_init(&cnd), thrd_success);
    m_mtx_lock(&mtx);
    IS(m_mtx_trylock(&mtx), thrd_busy);
    IS(m_thrd_create(&t, c11_thread, 0), thrd_success);
    while (shared == 0) m_cnd_wait(&cnd, &mtx);
    m_mtx_unlock(&mtx);
    IS(m_thrd_join(t, &result), thrd_success);
    IS(result, -4);
    IS(m_thrd_create(&t, c11_thread, &t), thrd_success);
    IS(m_thrd_join(t, &result), thrd_success);
    IS(result, -3);
}

/* Last: it leaves threads behind. */
static jmp_buf back;
static void found_deadlock(void) {
    longjmp(back, 1);
}

static void relocks(void) {
    engine_deadlock = found_deadlock;
    volatile int deadlocked = 0;
    if (setjmp(back)) deadlocked = 1;
    else m_pthread_mutex_lock(&mutex), m_pthread_mutex_lock(&mutex);
    IS(deadlocked, 1);
}

int main(void) {
    mutexes();
    conditions();
    barriers();
    semaphores();
    rwlocks();
    once_and_keys();
    c11();
    lives();
    relocks();
    return failures != 0;
}

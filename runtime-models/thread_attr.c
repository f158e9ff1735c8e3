/* Thread attributes, names, scheduling parameters and processor sets: kept and checked, without effect on what runs. */
#include "ics.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ics_thread.h"

struct ics_attr {
    size_t stack_size;
    size_t guard_size;
    void *stack_address;
    int priority;
    unsigned char policy;
    unsigned char detached;
    unsigned char explicit_schedule;
    unsigned char process_scope;
};
_Static_assert(sizeof(struct ics_attr) <= sizeof(pthread_attr_t), "fits");

#define DEFAULT_STACK (8ul << 20)
#define PAGE 4096

static struct ics_attr *a(const pthread_attr_t *attr) {
    return (struct ics_attr *)attr;
}

int pthread_attr_init(pthread_attr_t *attr) {
    __ics_memset(attr, 0, sizeof *attr);
    a(attr)->stack_size = DEFAULT_STACK;
    a(attr)->guard_size = PAGE;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) {
    return 0;
}

void ics_apply_attributes(struct ics_thread *t, const pthread_attr_t *attr, const struct ics_thread *creator) {
    t->policy = creator->policy;
    t->priority = creator->priority;
    __ics_memcpy(t->name, creator->name, sizeof t->name);
    t->stack_size = DEFAULT_STACK;
    t->guard_size = PAGE;
    if (!attr) return;
    t->detached = a(attr)->detached;
    t->stack_address = a(attr)->stack_address;
    t->stack_size = a(attr)->stack_size;
    t->guard_size = a(attr)->guard_size;
    if (!a(attr)->explicit_schedule) return;
    t->policy = a(attr)->policy;
    t->priority = a(attr)->priority;
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    pthread_attr_init(attr);
    a(attr)->detached = t->detached;
    a(attr)->policy = t->policy;
    a(attr)->priority = t->priority;
    a(attr)->stack_address = t->stack_address;
    if (t->stack_size) a(attr)->stack_size = t->stack_size;
    a(attr)->guard_size = t->guard_size;
    return 0;
}

/* What pthread_create does without an attribute. */
int pthread_getattr_default_np(pthread_attr_t *attr) {
    return pthread_attr_init(attr);
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) return EINVAL;
    a(attr)->detached = state == PTHREAD_CREATE_DETACHED;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) {
    *state = a(attr)->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attr, int scope) {
    if (scope == PTHREAD_SCOPE_PROCESS) return ENOTSUP;
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attr, int *scope) {
    *scope = PTHREAD_SCOPE_SYSTEM;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) {
    if (size < 16384) return EINVAL;
    a(attr)->stack_size = size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size) {
    *size = a(attr)->stack_size;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *address, size_t size) {
    if (size < 16384) return EINVAL;
    a(attr)->stack_address = address;
    a(attr)->stack_size = size;
    return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **address, size_t *size) {
    *address = a(attr)->stack_address;
    *size = a(attr)->stack_size;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size) {
    a(attr)->guard_size = size;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size) {
    *size = a(attr)->guard_size;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit) {
    if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED) return EINVAL;
    a(attr)->explicit_schedule = inherit == PTHREAD_EXPLICIT_SCHED;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit) {
    *inherit = a(attr)->explicit_schedule ? PTHREAD_EXPLICIT_SCHED : PTHREAD_INHERIT_SCHED;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy) {
    if (policy != SCHED_OTHER && policy != SCHED_FIFO && policy != SCHED_RR) return EINVAL;
    a(attr)->policy = (unsigned char)policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy) {
    *policy = a(attr)->policy;
    return 0;
}

int sched_get_priority_max(int policy) {
    if (policy == SCHED_FIFO || policy == SCHED_RR) return 99;
    if (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE) return 0;
    errno = EINVAL;
    return -1;
}

int sched_get_priority_min(int policy) {
    int max = sched_get_priority_max(policy);
    return max > 0 ? 1 : max;
}

int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param) {
    int policy = a(attr)->policy;
    int priority = param->sched_priority;
    if (priority < sched_get_priority_min(policy) || priority > sched_get_priority_max(policy)) return EINVAL;
    a(attr)->priority = priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param) {
    param->sched_priority = a(attr)->priority;
    return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set) {
    return 0;
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set) {
    __ics_memset(set, 0xff, size);
    return 0;
}

/* Nothing is scheduled by it, but it is remembered, as if the process had the right to real-time priorities. */
static int set_schedule(struct ics_thread *t, int policy, int priority) {
    if (policy < 0 || policy > SCHED_IDLE || policy == 4) return EINVAL;
    if (priority < sched_get_priority_min(policy) || priority > sched_get_priority_max(policy)) return EINVAL;
    t->policy = (unsigned char)policy;
    t->priority = priority;
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param) {
    struct ics_thread *t = ics_find_thread(thread);
    return t ? set_schedule(t, policy, param->sched_priority) : ESRCH;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    *policy = t->policy;
    param->sched_priority = t->priority;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
    struct ics_thread *t = ics_find_thread(thread);
    return t ? set_schedule(t, t->policy, priority) : ESRCH;
}

/* The thread that a process number means to the sched_ functions: 0 and the process are the calling thread. */
static struct ics_thread *thread_of(pid_t pid) {
    if (pid == 0) return ics_self();
    int slot = pid - getpid();
    if (pid < 0 || slot < 0 || slot >= ICS_MAX_THREADS || ics_is_gone(&__ics_threads[slot])) {
        errno = pid < 0 ? EINVAL : ESRCH;
        return 0;
    }
    return &__ics_threads[slot];
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param) {
    struct ics_thread *t = thread_of(pid);
    if (!t) return -1;
    int error = set_schedule(t, policy & ~0x40000000, param->sched_priority);
    if (error) errno = error;
    return error ? -1 : 0;
}

int sched_getscheduler(pid_t pid) {
    struct ics_thread *t = thread_of(pid);
    return t ? t->policy : -1;
}

int sched_setparam(pid_t pid, const struct sched_param *param) {
    struct ics_thread *t = thread_of(pid);
    return t ? sched_setscheduler(pid, t->policy, param) : -1;
}

int sched_getparam(pid_t pid, struct sched_param *param) {
    struct ics_thread *t = thread_of(pid);
    if (!t) return -1;
    param->sched_priority = t->priority;
    return 0;
}

int sched_rr_get_interval(pid_t pid, struct timespec *to) {
    if (!thread_of(pid)) return -1;
    *to = (struct timespec){0, 100000000};
    return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
    return ics_find_thread(thread) ? 0 : ESRCH;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    if (!ics_find_thread(thread)) return ESRCH;
    return sched_getaffinity(0, size, set) ? errno : 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set) {
    return 0;
}

/* As many processors as sysconf says. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
    if (size < 8 || size % 8) {
        errno = EINVAL;
        return -1;
    }
    __ics_memset(set, 0, size);
    *(unsigned char *)set = (1 << ICS_PROCESSORS) - 1;
    return 0;
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
    const unsigned char *bytes = (const unsigned char *)set;
    int count = 0;
    for (size_t i = 0; i < size; i++) count += __builtin_popcount(bytes[i]);
    return count;
}

cpu_set_t *__sched_cpualloc(size_t count) {
    return malloc((count + 63) / 64 * 8);
}

void __sched_cpufree(cpu_set_t *set) {
    free(set);
}

int sched_getcpu(void) {
    return 0;
}

static int concurrency;

int pthread_setconcurrency(int level) {
    if (level < 0) return EINVAL;
    concurrency = level;
    return 0;
}

int pthread_getconcurrency(void) {
    return concurrency;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    if (strlen(name) >= sizeof t->name) return ERANGE;
    strcpy(t->name, name);
    return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t size) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    const char *own = t->name[0] ? t->name : program_invocation_short_name;
    size_t n = strnlen(own, sizeof t->name - 1);
    if (size <= n) return ERANGE;
    __ics_memcpy(name, own, n);
    name[n] = 0;
    return 0;
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
    if (!ics_find_thread(thread)) return ESRCH;
    *clock = CLOCK_THREAD_CPUTIME_ID;
    return 0;
}

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    return 0;
}

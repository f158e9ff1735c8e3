/* Thread attributes, names, scheduling parameters and processor sets: kept and checked, without effect on what runs. */
#include "ics.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

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

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
    struct ics_thread *t = ics_find_thread(thread);
    if (!t) return ESRCH;
    pthread_attr_init(attr);
    a(attr)->detached = t->detached;
    return 0;
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

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param) {
    return ics_find_thread(thread) ? 0 : ESRCH;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param) {
    if (!ics_find_thread(thread)) return ESRCH;
    *policy = SCHED_OTHER;
    param->sched_priority = 0;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority) {
    return ics_find_thread(thread) ? 0 : ESRCH;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
    return ics_find_thread(thread) ? 0 : ESRCH;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    return sched_getaffinity(0, size, set);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set) {
    return 0;
}

/* As many processors as sysconf says. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
    if (size == 0) {
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

int sched_getcpu(void) {
    return 0;
}

int pthread_setconcurrency(int level) {
    return level < 0 ? EINVAL : 0;
}

int pthread_getconcurrency(void) {
    return 0;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    if (!ics_find_thread(thread)) return ESRCH;
    return strlen(name) > 15 ? ERANGE : 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t size) {
    if (!ics_find_thread(thread)) return ESRCH;
    if (size < 16) return ERANGE;
    strcpy(name, "icsched");
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

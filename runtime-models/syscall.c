/* System calls that a program makes by number: those that its threads need and that headers have no function for, or
   had none. */
#include "ics.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "ics_thread.h"

static const struct {
    int number;
    const char *name;
} unsupported_calls[] = {
    {SYS_futex, "futex"},           {SYS_clone, "clone"},
    {SYS_clone3, "clone3"},         {SYS_fork, "fork"},
    {SYS_vfork, "vfork"},           {SYS_execve, "execve"},
    {SYS_exit, "exit"},             {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},         {SYS_brk, "brk"},
    {SYS_rt_sigaction, "rt_sigaction"},
    {SYS_rt_sigprocmask, "rt_sigprocmask"},
    {SYS_eventfd2, "eventfd2"},     {SYS_epoll_create1, "epoll_create1"},
    {SYS_pipe2, "pipe2"},           {SYS_ioctl, "ioctl"},
    {SYS_memfd_create, "memfd_create"},
    {SYS_perf_event_open, "perf_event_open"},
    {SYS_io_uring_setup, "io_uring_setup"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_bpf, "bpf"},               {SYS_ptrace, "ptrace"},
    {SYS_seccomp, "seccomp"},       {SYS_mbind, "mbind"},
    {SYS_set_mempolicy, "set_mempolicy"},
    {SYS_get_mempolicy, "get_mempolicy"},
    {SYS_move_pages, "move_pages"}, {SYS_sched_setattr, "sched_setattr"},
    {SYS_ioprio_set, "ioprio_set"}, {SYS_set_robust_list, "set_robust_list"},
    {SYS_set_tid_address, "set_tid_address"},
};

static _Noreturn void refuse(long number) {
    static char text[48];
    for (unsigned i = 0; i < sizeof unsupported_calls / sizeof *unsupported_calls; i++) {
        if (unsupported_calls[i].number != number) continue;
        sprintf(text, "the system call %s", unsupported_calls[i].name);
        __ics_unsupported(text);
    }
    sprintf(text, "the system call with number %ld", number);
    __ics_unsupported(text);
}

static long get_cpu(unsigned *cpu, unsigned *node) {
    if (cpu) *cpu = (unsigned)sched_getcpu();
    if (node) *node = 0;
    return 0;
}

/* All threads see each other's writes in one order here. */
static long memory_barrier(int command) {
    enum { QUERY = 0, ALL = 0x1ff };
    return command == QUERY ? ALL : 0;
}

/* A signal to the thread with this number. */
static long to_thread(pid_t thread, int number) {
    int slot = thread - getpid();
    if (slot < 0 || slot >= ICS_MAX_THREADS || ics_is_gone(&__ics_threads[slot])) errno = ESRCH;
    else errno = pthread_kill((pthread_t)&__ics_threads[slot], number);
    return errno ? -1 : 0;
}

#define ARGUMENT(type) va_arg(*arguments, type)

/* Calls without an effect but what they return, with at most two arguments that matter. */
static long about_process(long number, va_list *arguments) {
    switch (number) {
    case SYS_gettid: return gettid();
    case SYS_getpid: return getpid();
    case SYS_getppid: return getppid();
    case SYS_getuid: return (long)getuid();
    case SYS_geteuid: return (long)geteuid();
    case SYS_getgid: return (long)getgid();
    case SYS_getegid: return (long)getegid();
    case SYS_sched_yield: return sched_yield();
    case SYS_membarrier: return memory_barrier(ARGUMENT(int));
    case SYS_uname: return uname(ARGUMENT(struct utsname *));
    case SYS_exit_group: _exit(ARGUMENT(int));
    case SYS_getcpu: {
        unsigned *cpu = ARGUMENT(unsigned *);
        return get_cpu(cpu, ARGUMENT(unsigned *));
    }
    case SYS_kill: {
        pid_t process = ARGUMENT(pid_t);
        return kill(process, ARGUMENT(int));
    }
    case SYS_tkill: {
        pid_t thread = ARGUMENT(pid_t);
        return to_thread(thread, ARGUMENT(int));
    }
    case SYS_tgkill: {
        (void)ARGUMENT(pid_t);
        pid_t thread = ARGUMENT(pid_t);
        return to_thread(thread, ARGUMENT(int));
    }
    default: refuse(number);
    }
}

static long about_time(long number, va_list *arguments) {
    switch (number) {
    case SYS_time: return time(ARGUMENT(time_t *));
    case SYS_clock_gettime: {
        clockid_t clock = ARGUMENT(clockid_t);
        return clock_gettime(clock, ARGUMENT(struct timespec *));
    }
    case SYS_clock_getres: {
        clockid_t clock = ARGUMENT(clockid_t);
        return clock_getres(clock, ARGUMENT(struct timespec *));
    }
    case SYS_gettimeofday: {
        struct timeval *to = ARGUMENT(struct timeval *);
        return gettimeofday(to, ARGUMENT(void *));
    }
    case SYS_nanosleep: {
        const struct timespec *wanted = ARGUMENT(const struct timespec *);
        return nanosleep(wanted, ARGUMENT(struct timespec *));
    }
    case SYS_clock_nanosleep: {
        clockid_t clock = ARGUMENT(clockid_t);
        int flags = ARGUMENT(int);
        const struct timespec *wanted = ARGUMENT(const struct timespec *);
        errno = clock_nanosleep(clock, flags, wanted, ARGUMENT(struct timespec *));
        return errno ? -1 : 0;
    }
    default: return about_process(number, arguments);
    }
}

static long about_files(long number, va_list *arguments) {
    switch (number) {
    case SYS_read: {
        int fd = ARGUMENT(int);
        void *to = ARGUMENT(void *);
        return read(fd, to, ARGUMENT(size_t));
    }
    case SYS_write: {
        int fd = ARGUMENT(int);
        const void *from = ARGUMENT(const void *);
        return write(fd, from, ARGUMENT(size_t));
    }
    case SYS_close: return close(ARGUMENT(int));
    case SYS_fsync: return fsync(ARGUMENT(int));
    case SYS_lseek: {
        int fd = ARGUMENT(int);
        off_t offset = ARGUMENT(off_t);
        return lseek(fd, offset, ARGUMENT(int));
    }
    case SYS_getrandom: {
        void *to = ARGUMENT(void *);
        size_t n = ARGUMENT(size_t);
        return getrandom(to, n, ARGUMENT(unsigned));
    }
    default: return about_time(number, arguments);
    }
}

long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long result = about_files(number, &arguments);
    va_end(arguments);
    return result;
}

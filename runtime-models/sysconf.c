/* sysconf and its like: what glibc says on x86-64, for a machine of a fixed size. The number of processors is not read
 * from the real one: a thread per processor would else be a number of threads that is an input. */
#include "ics.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ics_thread.h"

static int fail(int error) {
    errno = error;
    return -1;
}

static const long values[] = {
    [_SC_ARG_MAX] = 2097152, [_SC_CHILD_MAX] = 4096, [_SC_CLK_TCK] = 100, [_SC_NGROUPS_MAX] = 65536,
    [_SC_OPEN_MAX] = 1024, [_SC_STREAM_MAX] = 16, [_SC_TZNAME_MAX] = -1, [_SC_JOB_CONTROL] = 1, [_SC_SAVED_IDS] = 1,
    [_SC_REALTIME_SIGNALS] = 200809, [_SC_PRIORITY_SCHEDULING] = 200809, [_SC_TIMERS] = 200809,
    [_SC_ASYNCHRONOUS_IO] = 200809, [_SC_PRIORITIZED_IO] = 200809, [_SC_SYNCHRONIZED_IO] = 200809,
    [_SC_FSYNC] = 200809, [_SC_MAPPED_FILES] = 200809, [_SC_MEMLOCK] = 200809, [_SC_MEMLOCK_RANGE] = 200809,
    [_SC_MEMORY_PROTECTION] = 200809, [_SC_MESSAGE_PASSING] = 200809, [_SC_SEMAPHORES] = 200809,
    [_SC_SHARED_MEMORY_OBJECTS] = 200809, [_SC_AIO_LISTIO_MAX] = -1, [_SC_AIO_MAX] = -1,
    [_SC_AIO_PRIO_DELTA_MAX] = 20, [_SC_DELAYTIMER_MAX] = 2147483647, [_SC_MQ_OPEN_MAX] = -1,
    [_SC_MQ_PRIO_MAX] = 32768, [_SC_VERSION] = 200809, [_SC_PAGESIZE] = 4096, [_SC_RTSIG_MAX] = 32,
    [_SC_SEM_NSEMS_MAX] = -1, [_SC_SEM_VALUE_MAX] = 2147483647, [_SC_SIGQUEUE_MAX] = 4096, [_SC_TIMER_MAX] = -1,
    [_SC_BC_BASE_MAX] = 99, [_SC_BC_DIM_MAX] = 2048, [_SC_BC_SCALE_MAX] = 99, [_SC_BC_STRING_MAX] = 1000,
    [_SC_COLL_WEIGHTS_MAX] = 255, [_SC_EXPR_NEST_MAX] = 32, [_SC_LINE_MAX] = 2048, [_SC_RE_DUP_MAX] = 32767,
    [_SC_CHARCLASS_NAME_MAX] = 2048, [_SC_2_VERSION] = 200809, [_SC_2_C_BIND] = 200809, [_SC_2_C_DEV] = 200809,
    [_SC_2_FORT_DEV] = -1, [_SC_2_FORT_RUN] = -1, [_SC_2_SW_DEV] = 200809, [_SC_2_LOCALEDEF] = 200809, [_SC_PII] = -1,
    [_SC_PII_XTI] = -1, [_SC_PII_SOCKET] = -1, [_SC_PII_INTERNET] = -1, [_SC_PII_OSI] = -1, [_SC_POLL] = -1,
    [_SC_SELECT] = -1, [_SC_UIO_MAXIOV] = 1024, [_SC_PII_INTERNET_STREAM] = -1, [_SC_PII_INTERNET_DGRAM] = -1,
    [_SC_PII_OSI_COTS] = -1, [_SC_PII_OSI_CLTS] = -1, [_SC_PII_OSI_M] = -1, [_SC_T_IOV_MAX] = -1,
    [_SC_THREADS] = 200809, [_SC_THREAD_SAFE_FUNCTIONS] = 200809, [_SC_GETGR_R_SIZE_MAX] = 1024,
    [_SC_GETPW_R_SIZE_MAX] = 1024, [_SC_LOGIN_NAME_MAX] = 256, [_SC_TTY_NAME_MAX] = 32,
    [_SC_THREAD_DESTRUCTOR_ITERATIONS] = 4, [_SC_THREAD_KEYS_MAX] = 1024, [_SC_THREAD_STACK_MIN] = 16384,
    [_SC_THREAD_THREADS_MAX] = -1, [_SC_THREAD_ATTR_STACKADDR] = 200809, [_SC_THREAD_ATTR_STACKSIZE] = 200809,
    [_SC_THREAD_PRIORITY_SCHEDULING] = 200809, [_SC_THREAD_PRIO_INHERIT] = 200809, [_SC_THREAD_PRIO_PROTECT] = 200809,
    [_SC_THREAD_PROCESS_SHARED] = 200809, [_SC_NPROCESSORS_CONF] = ICS_PROCESSORS,
    [_SC_NPROCESSORS_ONLN] = ICS_PROCESSORS, [_SC_PHYS_PAGES] = 1l << 20, [_SC_AVPHYS_PAGES] = 1l << 19,
    [_SC_ATEXIT_MAX] = 2147483647, [_SC_PASS_MAX] = 8192, [_SC_XOPEN_VERSION] = 700, [_SC_XOPEN_XCU_VERSION] = 4,
    [_SC_XOPEN_UNIX] = 1, [_SC_XOPEN_CRYPT] = -1, [_SC_XOPEN_ENH_I18N] = 1, [_SC_XOPEN_SHM] = 1,
    [_SC_2_CHAR_TERM] = 200809, [_SC_2_C_VERSION] = 200809, [_SC_2_UPE] = -1, [_SC_XOPEN_XPG2] = 1,
    [_SC_XOPEN_XPG3] = 1, [_SC_XOPEN_XPG4] = 1, [_SC_CHAR_BIT] = 8, [_SC_CHAR_MAX] = 127, [_SC_CHAR_MIN] = -128,
    [_SC_INT_MAX] = 2147483647, [_SC_INT_MIN] = -2147483648, [_SC_LONG_BIT] = 64, [_SC_WORD_BIT] = 32,
    [_SC_MB_LEN_MAX] = 16, [_SC_NZERO] = 20, [_SC_SSIZE_MAX] = 32767, [_SC_SCHAR_MAX] = 127, [_SC_SCHAR_MIN] = -128,
    [_SC_SHRT_MAX] = 32767, [_SC_SHRT_MIN] = -32768, [_SC_UCHAR_MAX] = 255, [_SC_UINT_MAX] = 4294967295l,
    [_SC_ULONG_MAX] = -1, [_SC_USHRT_MAX] = 65535, [_SC_NL_ARGMAX] = 4096, [_SC_NL_LANGMAX] = 2048,
    [_SC_NL_MSGMAX] = 2147483647, [_SC_NL_NMAX] = 2147483647, [_SC_NL_SETMAX] = 2147483647,
    [_SC_NL_TEXTMAX] = 2147483647, [_SC_XBS5_ILP32_OFF32] = -1, [_SC_XBS5_ILP32_OFFBIG] = -1,
    [_SC_XBS5_LP64_OFF64] = 1, [_SC_XBS5_LPBIG_OFFBIG] = -1, [_SC_XOPEN_LEGACY] = 1, [_SC_XOPEN_REALTIME] = 1,
    [_SC_XOPEN_REALTIME_THREADS] = 1, [_SC_ADVISORY_INFO] = 200809, [_SC_BARRIERS] = 200809, [_SC_BASE] = -1,
    [_SC_C_LANG_SUPPORT] = -1, [_SC_C_LANG_SUPPORT_R] = -1, [_SC_CLOCK_SELECTION] = 200809, [_SC_CPUTIME] = 200809,
    [_SC_THREAD_CPUTIME] = 200809, [_SC_DEVICE_IO] = -1, [_SC_DEVICE_SPECIFIC] = -1, [_SC_DEVICE_SPECIFIC_R] = -1,
    [_SC_FD_MGMT] = -1, [_SC_FIFO] = -1, [_SC_PIPE] = -1, [_SC_FILE_ATTRIBUTES] = -1, [_SC_FILE_LOCKING] = -1,
    [_SC_FILE_SYSTEM] = -1, [_SC_MONOTONIC_CLOCK] = 200809, [_SC_MULTI_PROCESS] = -1, [_SC_SINGLE_PROCESS] = -1,
    [_SC_NETWORKING] = -1, [_SC_READER_WRITER_LOCKS] = 200809, [_SC_SPIN_LOCKS] = 200809, [_SC_REGEXP] = 1,
    [_SC_REGEX_VERSION] = -1, [_SC_SHELL] = 1, [_SC_SIGNALS] = -1, [_SC_SPAWN] = 200809, [_SC_SPORADIC_SERVER] = -1,
    [_SC_THREAD_SPORADIC_SERVER] = -1, [_SC_SYSTEM_DATABASE] = -1, [_SC_SYSTEM_DATABASE_R] = -1,
    [_SC_TIMEOUTS] = 200809, [_SC_TYPED_MEMORY_OBJECTS] = -1, [_SC_USER_GROUPS] = -1, [_SC_USER_GROUPS_R] = -1,
    [_SC_2_PBS] = -1, [_SC_2_PBS_ACCOUNTING] = -1, [_SC_2_PBS_LOCATE] = -1, [_SC_2_PBS_MESSAGE] = -1,
    [_SC_2_PBS_TRACK] = -1, [_SC_SYMLOOP_MAX] = -1, [_SC_STREAMS] = -1, [_SC_2_PBS_CHECKPOINT] = -1,
    [_SC_V6_ILP32_OFF32] = -1, [_SC_V6_ILP32_OFFBIG] = -1, [_SC_V6_LP64_OFF64] = 1, [_SC_V6_LPBIG_OFFBIG] = -1,
    [_SC_HOST_NAME_MAX] = 64, [_SC_TRACE] = -1, [_SC_TRACE_EVENT_FILTER] = -1, [_SC_TRACE_INHERIT] = -1,
    [_SC_TRACE_LOG] = -1, [_SC_LEVEL1_ICACHE_SIZE] = 32768, [_SC_LEVEL1_ICACHE_ASSOC] = 8,
    [_SC_LEVEL1_ICACHE_LINESIZE] = 64, [_SC_LEVEL1_DCACHE_SIZE] = 32768, [_SC_LEVEL1_DCACHE_ASSOC] = 8,
    [_SC_LEVEL1_DCACHE_LINESIZE] = 64, [_SC_LEVEL2_CACHE_SIZE] = 1048576, [_SC_LEVEL2_CACHE_ASSOC] = 8,
    [_SC_LEVEL2_CACHE_LINESIZE] = 64, [_SC_LEVEL3_CACHE_SIZE] = 8388608, [_SC_LEVEL3_CACHE_ASSOC] = 16,
    [_SC_LEVEL3_CACHE_LINESIZE] = 64, [_SC_LEVEL4_CACHE_SIZE] = -1, [_SC_LEVEL4_CACHE_ASSOC] = -1,
    [_SC_LEVEL4_CACHE_LINESIZE] = -1, [_SC_IPV6] = 200809, [_SC_RAW_SOCKETS] = 200809, [_SC_V7_ILP32_OFF32] = -1,
    [_SC_V7_ILP32_OFFBIG] = -1, [_SC_V7_LP64_OFF64] = 1, [_SC_V7_LPBIG_OFFBIG] = -1, [_SC_TRACE_EVENT_NAME_MAX] = -1,
    [_SC_TRACE_NAME_MAX] = -1, [_SC_TRACE_SYS_MAX] = -1, [_SC_TRACE_USER_EVENT_MAX] = -1, [_SC_XOPEN_STREAMS] = -1,
    [_SC_MINSIGSTKSZ] = 2048, [_SC_SIGSTKSZ] = 8192,
};

/* Zero is the value of the sizes of caches that there are not, else it stands for a name that there is not. */
static int is_name(int name) {
    if (name < 0 || name >= (int)(sizeof values / sizeof values[0])) return 0;
    return values[name] != 0 || (name >= _SC_LEVEL1_ICACHE_SIZE && name <= _SC_LEVEL4_CACHE_LINESIZE);
}

long sysconf(int name) {
    return is_name(name) ? values[name] : fail(EINVAL);
}

long __sysconf(int name) {
    return sysconf(name);
}

int getpagesize(void) {
    return 4096;
}

int getdtablesize(void) {
    return 1024;
}

int get_nprocs(void) {
    return ICS_PROCESSORS;
}

int get_nprocs_conf(void) {
    return ICS_PROCESSORS;
}

long get_phys_pages(void) {
    return values[_SC_PHYS_PAGES];
}

long get_avphys_pages(void) {
    return values[_SC_AVPHYS_PAGES];
}

/* The same for every file. */
static long limit_of_paths(int name) {
    switch (name) {
    case _PC_LINK_MAX: return 65000;
    case _PC_MAX_CANON:
    case _PC_MAX_INPUT:
    case _PC_NAME_MAX: return 255;
    case _PC_PATH_MAX:
    case _PC_PIPE_BUF: return 4096;
    case _PC_CHOWN_RESTRICTED:
    case _PC_NO_TRUNC:
    case _PC_2_SYMLINKS: return 1;
    case _PC_VDISABLE: return 0;
    case _PC_FILESIZEBITS: return 64;
    case _PC_REC_MIN_XFER_SIZE:
    case _PC_REC_XFER_ALIGN:
    case _PC_ALLOC_SIZE_MIN: return 4096;
    case _PC_SYNC_IO:
    case _PC_ASYNC_IO:
    case _PC_PRIO_IO:
    case _PC_SOCK_MAXBUF:
    case _PC_REC_INCR_XFER_SIZE:
    case _PC_REC_MAX_XFER_SIZE:
    case _PC_SYMLINK_MAX: return -1;
    default: return fail(EINVAL);
    }
}

long pathconf(const char *path, int name) {
    return limit_of_paths(name);
}

long fpathconf(int fd, int name) {
    return limit_of_paths(name);
}

/* The names of machine and system are fixed ones: what a program does should not depend on where it is examined. */
int uname(struct utsname *to) {
    __ics_memset(to, 0, sizeof *to);
    strcpy(to->sysname, "Linux");
    strcpy(to->nodename, "localhost");
    strcpy(to->release, "6.1.0");
    strcpy(to->version, "#1 SMP");
    strcpy(to->machine, "x86_64");
    strcpy(to->domainname, "(none)");
    return 0;
}

int gethostname(char *to, size_t size) {
    if (size <= strlen("localhost")) return fail(ENAMETOOLONG);
    strcpy(to, "localhost");
    return 0;
}

int getdomainname(char *to, size_t size) {
    strncpy(to, "(none)", size);
    return 0;
}

int sethostname(const char *name, size_t size) {
    return fail(EPERM);
}

long gethostid(void) {
    return 0x7f0100;
}

int sysinfo(struct sysinfo *to) {
    __ics_memset(to, 0, sizeof *to);
    to->uptime = 100000;
    to->totalram = 4ul << 30;
    to->freeram = 2ul << 30;
    to->mem_unit = 1;
    to->procs = 100;
    return 0;
}

int getloadavg(double *to, int n) {
    for (int i = 0; i < n && i < 3; i++) to[i] = 0;
    return n < 3 ? n : 3;
}

/* Limits are remembered, and limit nothing. */
static struct rlimit limits[RLIMIT_NLIMITS];
static int limits_known;

static struct rlimit *limit(__rlimit_resource_t resource) {
    if ((int)resource < 0 || resource >= RLIMIT_NLIMITS) return 0;
    if (!limits_known) {
        limits_known = 1;
        for (int i = 0; i < RLIMIT_NLIMITS; i++) limits[i] = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
        limits[RLIMIT_STACK].rlim_cur = 8 << 20;
        limits[RLIMIT_CORE].rlim_cur = 0;
        limits[RLIMIT_NOFILE] = (struct rlimit){1024, 1048576};
        limits[RLIMIT_NPROC] = (struct rlimit){4096, 4096};
        limits[RLIMIT_NICE] = limits[RLIMIT_RTPRIO] = (struct rlimit){0, 0};
    }
    return &limits[resource];
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *to) {
    struct rlimit *l = limit(resource);
    if (!l) return fail(EINVAL);
    *to = *l;
    return 0;
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *from) {
    struct rlimit *l = limit(resource);
    if (!l || from->rlim_cur > from->rlim_max) return fail(EINVAL);
    if (from->rlim_max > l->rlim_max) return fail(EPERM);
    *l = *from;
    return 0;
}

#undef getrlimit64
#undef setrlimit64

int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *to) {
    return getrlimit(resource, (struct rlimit *)to);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *from) {
    return setrlimit(resource, (const struct rlimit *)from);
}

int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *from, struct rlimit *to) {
    if (pid != 0 && pid != getpid()) __ics_unsupported("prlimit of another process");
    if (to && getrlimit(resource, to)) return -1;
    return from ? setrlimit(resource, from) : 0;
}

static int niceness;

#undef prlimit64

int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *from, struct rlimit64 *to) {
    return prlimit(pid, resource, (const struct rlimit *)from, (struct rlimit *)to);
}

int getpriority(__priority_which_t which, id_t who) {
    if (which != PRIO_PROCESS && which != PRIO_PGRP && which != PRIO_USER) return fail(EINVAL);
    errno = 0;
    return niceness;
}

int setpriority(__priority_which_t which, id_t who, int priority) {
    if (which != PRIO_PROCESS && which != PRIO_PGRP && which != PRIO_USER) return fail(EINVAL);
    if (priority < niceness) return fail(EACCES);
    niceness = priority > 19 ? 19 : priority;
    return 0;
}

int nice(int more) {
    if (more < 0) return fail(EPERM);
    niceness = niceness + more > 19 ? 19 : niceness + more;
    return niceness;
}

/* The run's side of the conversation with `cargo xtask explore-native`: one process per run, forked before `main`.
 *
 * All is words of eight bytes, over the socket that the environment variable EXPLORE_NATIVE names.
 *   first     here:  number of bytes, and the names of operations: "name\tKIND\n" each, in order
 *   request   there: mode, seed, most steps, most blocks, most time-outs, cancels, seconds of processor time, then three
 *                    lists, each with its length: choices (thread | variant << 32), sleeping choices, arguments (bytes of
 *                    strings with their NULs, their number in front, filled up to words)
 *   question  here:  1, number of words, words of the trace since the last question; answered with thread, variant; ~0 stops
 *   answer    here:  2, wait status, 1 if the run took too long, number of words, the whole trace */
#include "explorer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TRACE_WORDS (8u << 20)
/* Seconds that a run may take although it uses no processor: it waits for something that the scheduler does not know. */
#define LONGEST_RUN 60

struct request request;
uint64_t *trace; /* its first word is its length */
static int connection;
static uint64_t asked_at;
static int exit_status;

static noreturn void give_up(const char *what) {
    dprintf(2, "explore-native: %s: %s\n", what, strerror(errno));
    syscall(231 /* exit_group */, 2);
    __builtin_unreachable();
}

/* --- trace --- */

size_t trace_length(void) {
    return trace[0];
}

void put(uint64_t word) {
    if (trace[0] + 2 < TRACE_WORDS) trace[++trace[0]] = word;
    else give_up("a run's trace is too long");
}

static void write_all(const void *data, size_t bytes) {
    for (const char *p = data; bytes;) {
        ssize_t n = send(connection, p, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) give_up("the connection is lost");
        p += n;
        bytes -= (size_t)n;
    }
}

static bool read_all(void *data, size_t bytes) {
    for (char *p = data; bytes;) {
        ssize_t n = recv(connection, p, bytes, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool ask(uint64_t *thread, uint64_t *variant) {
    uint64_t head[2] = {1, trace[0] - asked_at}, answer[2];
    write_all(head, sizeof head);
    write_all(trace + 1 + asked_at, head[1] * sizeof *trace);
    asked_at = trace[0];
    if (!read_all(answer, sizeof answer)) give_up("no answer");
    *thread = answer[0];
    *variant = answer[1];
    return answer[0] != ~0ull;
}

/* --- ends --- */

static noreturn void end_process(int status) {
    for (;;) syscall(231 /* exit_group */, status);
}

noreturn void end_run(enum end end, uint64_t detail, const void *caller) {
    put(TAG_END);
    put(end);
    put(detail);
    put(self ? self->number : 0);
    put((uint64_t)caller);
    end_process(0);
}

static noreturn void exits(int status, const void *caller) {
    announce(OP_process_exit, 0, 0, 0, caller);
    end_step();
    end_run(END_EXIT, (uint64_t)(status & 0xff), caller);
}

static void remember_status(int status, void *unused) {
    (void)unused;
    exit_status = status;
}

/* Runs after all functions that the program wants to run at its end. */
__attribute__((destructor(101))) static void at_the_end(void) {
    if (self) exits(exit_status, 0);
}

noreturn void __wrap__exit(int status) {
    exits(status, __builtin_return_address(0));
}

noreturn void __wrap__Exit(int status) {
    exits(status, __builtin_return_address(0));
}

noreturn void __wrap_quick_exit(int status) {
    exits(status, __builtin_return_address(0));
}

static noreturn void aborts(enum operation id, const void *caller) {
    announce(id, 0, 0, 0, caller);
    end_step();
    end_run(END_ABORT, 0, caller);
}

noreturn void __wrap_abort(void) {
    aborts(OP_process_abort, __builtin_return_address(0));
}

noreturn void __wrap___assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    aborts(OP_assertion, __builtin_return_address(0));
}

static void crashed(int number, siginfo_t *info, void *context) {
    (void)info;
    const void *place = 0;
#ifdef __x86_64__
    place = (const void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#endif
    if (accessing) place = accessing;
    end_step();
    end_run(END_CRASH, (uint64_t)number, place);
}

static void out_of_time(int number) {
    (void)number;
    end_step();
    end_run(END_CUT, ~0ull, 0);
}

/* --- one run --- */

static void handle(int number, void (*action)(int, siginfo_t *, void *)) {
    struct sigaction how = {.sa_sigaction = action, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(number, &how, 0);
}

void own_signal_stack(void) {
    stack_t stack = {.ss_sp = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                     .ss_size = 1 << 16};
    sigaltstack(&stack, 0);
}

static void set_up_run(uint64_t seconds) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    own_signal_stack();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) handle(numbers[i], crashed);
    signal(SIGXCPU, out_of_time);
    struct rlimit time = {seconds, seconds + 2}, none = {0, 0}, memory = {8ull << 30, 8ull << 30};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_AS, &memory);
    sigset_t nothing;
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, 0);
    const char *input = getenv("EXPLORE_NATIVE_STDIN");
    int in = open(input ? input : "/dev/null", O_RDONLY);
    if (in < 0) give_up("standard input");
    dup2(in, 0);
    close(in);
    on_exit(remember_status, 0);
}

/* Waits for the child; whether it took too long. */
static bool wait_for(pid_t child, int *status) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    struct timespec most = {LONGEST_RUN, 0};
    while (waitpid(child, status, WNOHANG) == 0) {
        if (sigtimedwait(&ends, 0, &most) >= 0 || errno == EINTR) continue;
        kill(child, SIGKILL);
        waitpid(child, status, 0);
        return true;
    }
    return false;
}

static void *take(uint64_t *count) {
    if (!read_all(count, sizeof *count)) end_process(0);
    uint64_t *words = malloc((size_t)(*count + 1) * sizeof *words);
    if (!words || !read_all(words, *count * sizeof *words)) end_process(0);
    return words;
}

static char **arguments_of(char *name, uint64_t *words) {
    char *text = (char *)(words + 1);
    char **argv = calloc(words[0] + 2, sizeof *argv);
    argv[0] = name;
    for (uint64_t i = 0; i < words[0]; i++, text += strlen(text) + 1) argv[i + 1] = text;
    return argv;
}

static noreturn void serve(char *name, char **environment) {
    for (;;) {
        uint64_t head[7], count;
        if (!read_all(head, sizeof head)) end_process(0);
        request = (struct request){head[0], head[1], head[2], head[3], head[4], head[5], 0, 0, 0, 0};
        request.prefix = take(&request.prefix_length);
        request.sleeping = take(&request.sleeping_length);
        uint64_t *arguments = take(&count);
        trace[0] = 0;
        pid_t child = fork();
        if (child < 0) give_up("fork");
        if (child == 0) {
            set_up_run(head[6]);
            start_main((int)arguments[0] + 1, arguments_of(name, arguments), environment);
            end_process(0);
        }
        int status;
        uint64_t late = wait_for(child, &status);
        uint64_t answer[4] = {2, (uint64_t)(unsigned)status, late, trace[0]};
        write_all(answer, sizeof answer);
        write_all(trace + 1, trace[0] * sizeof *trace);
        free((void *)request.prefix);
        free((void *)request.sleeping);
        free(arguments);
    }
}

/* --- before the runs --- */

static void say_names(void) {
    static char text[16384];
    size_t length = 0;
    for (int i = 0; i < OPERATIONS; i++)
        length += (size_t)sprintf(text + length, "%s\t%s\n", operation_names[i], kind_names[kind_of(i)]);
    uint64_t bytes = length;
    write_all(&bytes, sizeof bytes);
    write_all(text, length);
}

static void connect_to(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strncpy(name.sun_path, path, sizeof name.sun_path - 1);
    if (connection < 0 || connect(connection, (struct sockaddr *)&name, sizeof name)) give_up(path);
    /* Out of the way of the numbers that the program gets for its files. */
    int high = fcntl(connection, F_DUPFD_CLOEXEC, 900);
    if (high >= 0) {
        close(connection);
        connection = high;
    }
}

int __wrap_main(int argc, char **argv, char **environment) {
    (void)argc;
    const char *path = getenv("EXPLORE_NATIVE");
    if (!path) {
        errno = EINVAL;
        give_up("this program can only be started by `cargo xtask explore-native`");
    }
    connect_to(path);
    trace = mmap(0, TRACE_WORDS * sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (trace == MAP_FAILED) give_up("no memory");
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, 0);
    say_names();
    serve(argv[0], environment);
}

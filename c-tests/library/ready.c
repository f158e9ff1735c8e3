// Waiting for descriptors: poll, select, epoll, event counters and timers.
// exec:
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int pipes[2], pair[2], counter, closed;
static sem_t go;

static void *writer(void *arg)
{
    struct timespec pause = {0, 1000000};
    sem_wait(&go);
    nanosleep(&pause, NULL);
    (void)!write(pipes[1], "p", 1);
    sem_wait(&go);
    nanosleep(&pause, NULL);
    (void)!write(pair[1], "ss", 2);
    sem_wait(&go);
    nanosleep(&pause, NULL);
    eventfd_write(counter, 7);
    return arg;
}

static void with_poll(void)
{
    pthread_t t;
    char c[4];
    uint64_t value = 0;
    struct pollfd p[] = {{pipes[0], POLLIN, 0}, {pair[0], POLLIN, 0}, {counter, POLLIN, 0}, {-1, POLLIN, 0}, {closed, POLLIN, 0}};
    printf("%d\n", poll(p, 4, 0));
    printf("%d %d\n", poll(p, 5, -1), p[4].revents == POLLNVAL);
    pthread_create(&t, NULL, writer, NULL);
    for (int i = 0; i < 3; i++) {
        sem_post(&go);
        int n = poll(p, 4, -1);
        printf("%d: %x %x %x\n", n, p[0].revents, p[1].revents, p[2].revents);
        if (p[0].revents)
            printf("%ld\n", (long)read(pipes[0], c, sizeof c));
        if (p[1].revents)
            printf("%ld\n", (long)read(pair[0], c, sizeof c));
        if (p[2].revents)
            printf("%ld %d\n", (long)read(counter, &value, sizeof value), (int)value);
    }
    pthread_join(t, NULL);
    printf("%d\n", poll(p, 4, 10));
}

static void with_select(void)
{
    fd_set in, out;
    struct timeval soon = {0, 1000};
    int last = (pipes[1] > pair[0] ? pipes[1] : pair[0]) + 1;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(pipes[0], &in);
    FD_SET(pair[0], &in);
    FD_SET(pipes[1], &out);
    printf("%d", select(last, &in, &out, NULL, &soon));
    printf(" %d %d %d\n", FD_ISSET(pipes[0], &in), FD_ISSET(pair[0], &in), FD_ISSET(pipes[1], &out));
    FD_SET(pipes[0], &in);
    soon = (struct timeval){0, 1000};
    printf("%d %d %d\n", select(last, &in, NULL, NULL, &soon), (int)soon.tv_sec, (int)soon.tv_usec);
    (void)!write(pipes[1], "x", 1);
    FD_SET(pipes[0], &in);
    printf("%d\n", select(last, &in, NULL, NULL, NULL));
    // A closed descriptor that is below an open one: Linux looks at no descriptor above the table it has made.
    FD_ZERO(&in);
    FD_SET(closed, &in);
    printf("%d %d\n", select(closed + 1, &in, NULL, NULL, NULL), errno == EBADF);
}

static void with_epoll(void)
{
    struct epoll_event e = {EPOLLIN, {.u32 = 1}}, got[4];
    char c[4];
    int set = epoll_create1(0);
    printf("%d %d\n", epoll_ctl(set, EPOLL_CTL_ADD, pipes[0], &e), epoll_ctl(set, EPOLL_CTL_ADD, pipes[0], &e));
    e = (struct epoll_event){EPOLLIN | EPOLLET, {.u32 = 2}};
    epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &e);
    printf("%d %u\n", epoll_wait(set, got, 4, -1), got[0].data.u32);
    printf("%ld\n", (long)read(pipes[0], c, 1));
    printf("%d\n", epoll_wait(set, got, 4, 0));
    for (int i = 0; i < 2; i++) {
        (void)!write(pair[1], "y", 1);
        printf("%d %u %x\n", epoll_wait(set, got, 4, -1), got[0].data.u32, got[0].events);
        printf("%d\n", epoll_wait(set, got, 4, 0));
    }
    e = (struct epoll_event){EPOLLIN | EPOLLONESHOT, {.u32 = 3}};
    printf("%d\n", epoll_ctl(set, EPOLL_CTL_MOD, pair[0], &e));
    printf("%d %u\n", epoll_wait(set, got, 4, -1), got[0].data.u32);
    printf("%d\n", epoll_wait(set, got, 4, 0));
    close(pair[1]);
    epoll_ctl(set, EPOLL_CTL_MOD, pair[0], &e);
    printf("%d %x\n", epoll_wait(set, got, 4, 5), got[0].events);
    printf("%d %d\n", epoll_ctl(set, EPOLL_CTL_DEL, counter, NULL), errno == ENOENT);
    close(set);
}

static void counters(void)
{
    uint64_t value = 2;
    int fd = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
    printf("%ld\n", (long)write(fd, &value, sizeof value));
    for (int i = 0; i < 6; i++)
        printf("%ld ", (long)read(fd, &value, sizeof value));
    printf("%d\n", errno == EAGAIN);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec when = {{0, 0}, {0, 5000000}};
    printf("%d\n", timerfd_settime(timer, 0, &when, NULL));
    struct pollfd p = {timer, POLLIN, 0};
    printf("%d\n", poll(&p, 1, 2000));
    printf("%ld %d\n", (long)read(timer, &value, sizeof value), (int)value);
    printf("%d\n", poll(&p, 1, 10));
}

int main(void)
{
    if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    closed = dup(pair[1]);
    counter = eventfd(0, 0);
    close(closed);
    with_poll();
    with_select();
    with_epoll();
    counters();
    return 0;
}

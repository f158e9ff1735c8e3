// A server and its clients in one program: over the internet's loopback, over local names, and in a pair.
// exec:
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_in where = {.sin_family = AF_INET};

static void *client(void *arg)
{
    static char block[400000];
    long sent = 0, n;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&where, sizeof where))
        return NULL;
    memset(block, *(char *)arg, sizeof block);
    while (sent < (long)sizeof block && (n = send(fd, block + sent, sizeof block - (size_t)sent, 0)) > 0)
        sent += n;
    shutdown(fd, SHUT_WR);
    n = recv(fd, block, sizeof block, MSG_WAITALL);
    printf("client %c sent %ld and got %.*s\n", *(char *)arg, sent, (int)n, block);
    close(fd);
    return arg;
}

static void serve(int listener, char *name)
{
    char block[3000];
    long n, got = 0;
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    pthread_t t;
    pthread_create(&t, NULL, client, name);
    int fd = accept(listener, (struct sockaddr *)&peer, &size);
    while ((n = read(fd, block, sizeof block)) > 0)
        got += n;
    printf("server got %ld from %s, %d\n", got, inet_ntoa(peer.sin_addr), (int)size);
    send(fd, "thanks", 6, 0);
    close(fd);
    pthread_join(t, NULL);
}

static void internet(void)
{
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t size = sizeof where;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    printf("%d\n", setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one));
    printf("%d %d\n", bind(listener, (struct sockaddr *)&where, sizeof where), listen(listener, 5));
    getsockname(listener, (struct sockaddr *)&where, &size);
    printf("%d %d\n", bind(other, (struct sockaddr *)&where, sizeof where), errno == EADDRINUSE);
    serve(listener, "a");
    serve(listener, "b");
    close(listener);
    printf("%d %d\n", connect(other, (struct sockaddr *)&where, sizeof where), errno == ECONNREFUSED);
    size = sizeof one;
    printf("%d %d %d\n", getsockopt(other, SOL_SOCKET, SO_TYPE, &one, &size), one == SOCK_STREAM, (int)size);
    close(other);
    printf("%d %d\n", setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one), errno == EBADF);
    printf("%d %d\n", listen(1, 1), errno == ENOTSOCK);
}

static void datagrams(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET}, from;
    socklen_t size = sizeof a;
    char text[8] = "";
    int s = socket(AF_INET, SOCK_DGRAM, 0), t = socket(AF_INET, SOCK_DGRAM, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(s, (struct sockaddr *)&a, sizeof a);
    getsockname(s, (struct sockaddr *)&a, &size);
    sendto(t, "one two", 7, 0, (struct sockaddr *)&a, sizeof a);
    sendto(t, "three", 5, 0, (struct sockaddr *)&a, sizeof a);
    printf("%ld ", (long)recvfrom(s, text, 3, 0, (struct sockaddr *)&from, &size));
    printf("%s %s %d\n", text, inet_ntoa(from.sin_addr), from.sin_port != a.sin_port);
    printf("%ld ", (long)recv(s, text, sizeof text, MSG_PEEK));
    printf("%ld %.5s\n", (long)recv(s, text, sizeof text, 0), text);
    printf("%ld %d\n", (long)recv(s, text, sizeof text, MSG_DONTWAIT), errno == EAGAIN);
    printf("%ld %d\n", (long)send(t, text, 1, 0), errno == EDESTADDRREQ);
    close(s);
    close(t);
}

static void *answer(void *arg)
{
    char c;
    int fd = *(int *)arg;
    while (read(fd, &c, 1) == 1 && c != '.')
        c++, (void)!write(fd, &c, 1);
    close(fd);
    return NULL;
}

static void local(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "local.socket"};
    int pair[2];
    char text[6] = "";
    pthread_t t;
    struct iovec parts[2] = {{text, 2}, {text + 2, 3}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pthread_create(&t, NULL, answer, &pair[1]);
    (void)!write(pair[0], "GDKKN", 5);
    recv(pair[0], text, 5, MSG_WAITALL | MSG_PEEK);
    memset(text, 0, sizeof text);
    printf("%ld ", (long)recvmsg(pair[0], &message, MSG_WAITALL));
    printf("%s\n", text);
    (void)!write(pair[0], ".", 1);
    printf("%ld\n", (long)read(pair[0], text, 1));
    pthread_join(t, NULL);
    signal(SIGPIPE, SIG_IGN);
    printf("%ld %d\n", (long)write(pair[0], "x", 1), errno == EPIPE);
    close(pair[0]);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(name.sun_path);
    printf("%d %d\n", connect(fd, (struct sockaddr *)&name, sizeof name), errno == ENOENT);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    printf("%d\n", bind(listener, (struct sockaddr *)&name, sizeof name));
    printf("%d %d\n", connect(fd, (struct sockaddr *)&name, sizeof name), errno == ECONNREFUSED);
    printf("%d\n", listen(listener, 1));
    printf("%d\n", connect(fd, (struct sockaddr *)&name, sizeof name));
    int taken = accept(listener, NULL, NULL);
    (void)!write(taken, "hello", 5);
    close(taken);
    printf("%ld\n", (long)read(fd, text, 3));
    printf("%ld\n", (long)read(fd, text, 3));
    printf("%ld\n", (long)read(fd, text, 3));
    unlink(name.sun_path);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    internet();
    datagrams();
    local();
    return 0;
}

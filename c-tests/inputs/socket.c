// What arrives over the network is an input: one client, one byte of a request that decides whether the lock is taken. Each
// call may fail, or nothing may arrive.
// run: enumerate
// expect: complete=true deadlocked=0
// constraint: recv
// ignore-native: nobody connects to it
// exec: x
// exit: 2
// stdout: no such address
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests;

static void *worker(void *arg)
{
    int fd = *(int *)arg;
    char request[4];
    struct pollfd p = {fd, POLLIN, 0};
    if (poll(&p, 1, 1000) == 1 && recv(fd, request, sizeof request, 0) > 0 && request[0] == 'x') {
        pthread_mutex_lock(&lock);
        requests++;
        pthread_mutex_unlock(&lock);
        send(fd, "ok", 2, MSG_NOSIGNAL);
    }
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(7000)}, peer;
    socklen_t size = sizeof peer;
    pthread_t t;
    (void)argv;
    if (argc > 1 && inet_pton(AF_INET, "300.1.1.1", &name.sin_addr) != 1) {
        puts("no such address");
        return 2;
    }
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof name) || listen(fd, 5))
        return 1;
    int client = accept(fd, (struct sockaddr *)&peer, &size);
    if (client < 0)
        return errno == EINTR ? 3 : 1;
    pthread_create(&t, NULL, worker, &client);
    pthread_join(t, NULL);
    return 0;
}

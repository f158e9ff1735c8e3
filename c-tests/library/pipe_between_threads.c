// Threads that wait for each other through pipes: blocking reads, a full pipe, the end of input.
// exec:
// stdout: 300000 bytes, sum 37635000
// stdout: echo: HELLO
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int down[2], up[2];

static void *producer(void *arg)
{
    unsigned char block[5000];
    for (int i = 0; i < 5000; i++)
        block[i] = (unsigned char)(i % 255);
    for (int i = 0; i < 60; i++)
        if (write(down[1], block, sizeof block) != sizeof block)
            return NULL;
    close(down[1]);
    return arg;
}

static void *echo(void *arg)
{
    char c;
    while (read(down[0], &c, 1) == 1) {
        c = (char)toupper((unsigned char)c);
        if (write(up[1], &c, 1) != 1)
            return NULL;
    }
    close(up[1]);
    return arg;
}

int main(void)
{
    pthread_t t;
    unsigned char block[4096];
    long bytes = 0, sum = 0, n;
    char answer[16] = "";
    if (pipe(down))
        return 1;
    pthread_create(&t, NULL, producer, NULL);
    while ((n = read(down[0], block, sizeof block)) > 0) {
        bytes += n;
        for (long i = 0; i < n; i++)
            sum += block[i];
    }
    pthread_join(t, NULL);
    close(down[0]);
    printf("%ld bytes, sum %ld\n", bytes, sum);
    if (pipe(down) || pipe(up))
        return 1;
    pthread_create(&t, NULL, echo, NULL);
    if (write(down[1], "hello", 5) != 5)
        return 1;
    close(down[1]);
    for (size_t at = 0; (n = read(up[0], answer + at, sizeof answer - 1 - at)) > 0; at += (size_t)n)
        ;
    pthread_join(t, NULL);
    printf("echo: %s\n", answer);
    return 0;
}

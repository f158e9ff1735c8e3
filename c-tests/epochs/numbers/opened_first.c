// What was opened before threads were created is known behind it: if that fails, the program says so and exits, and nobody comes
// to the threads. Two workers read a file under a lock, as often as the input says.
//
// By hand, with a marker in front of the loop's condition: 2 epochs with 3 schedules, no deadlock. The entry has 1, for whoever comes to the
// loops has opened the file. From the markers both go on, or both end, for they go in step.
// run: enumerate -- @ @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// levels: O0
// exec: /dev/null 3
// stdout: 0 bytes
// exec: nosuchfile 2
// exit: 1
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file, rounds;
static long total;

static void *worker(void *arg)
{
    char block[16];
    for (int i = 0; i < rounds; i++) { //~ loop
        ssize_t n = read(file, block, sizeof block);
        pthread_mutex_lock(&lock);
        total += n > 0 ? n : 0;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    file = open(argv[1], O_RDONLY);
    if (file < 0) {
        perror(argv[1]);
        return 1;
    }
    rounds = atoi(argv[2]);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    close(file);
    printf("%ld bytes\n", total);
    return 0;
}

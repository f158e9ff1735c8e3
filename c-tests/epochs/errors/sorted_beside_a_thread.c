// As many numbers are sorted as an input says, while another thread counts. The loops of the sort are replaced, and so what they leave to
// be copied may be anything: nothing that is said of it may be called an error of the program.
//
// Usage: sorted_beside_a_thread SIXTEENS
//
// run: enumerate -- @
// expect: epochs=1 schedules>=1 deadlocked=0 complete=true
// exec: 4
// stdout: 64 numbers, 0 to 100, 3 counted
// exec: 5
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int number[64];
static int counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void *count(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        counted++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 4) return 2;
    n *= 16;
    for (int i = 0; i < n; i++) number[i] = i * 7919 % 101;
    number[0] = 100, number[n - 1] = 0;
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    qsort(number, n, sizeof *number, compare);
    pthread_mutex_lock(&lock);
    int before = counted;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    if (before > counted) abort();
    printf("%d numbers, %d to %d, %d counted\n", n, number[0], number[n - 1], counted);
    return 0;
}

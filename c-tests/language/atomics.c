// C11 atomics and the older builtins.
// exec: 6
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int counter;
static _Atomic unsigned long bits;
static int old_style;
static atomic_flag flag = ATOMIC_FLAG_INIT;

static void *worker(void *arg)
{
    int n = *(int *)arg;
    for (int i = 0; i < n; i++) {
        atomic_fetch_add(&counter, 2);
        __sync_fetch_and_add(&old_style, 1);
    }
    atomic_fetch_or_explicit(&bits, 1ul << n, memory_order_relaxed);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    int n = argc > 1 ? atoi(argv[1]) : 1, arg[3];
    for (int i = 0; i < 3; i++) {
        arg[i] = n + i;
        pthread_create(&t[i], NULL, worker, &arg[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    int expected = atomic_load(&counter);
    int swapped = atomic_compare_exchange_strong(&counter, &expected, -1);
    int again = atomic_compare_exchange_strong(&counter, &expected, 5);
    printf("%d %d %d %d\n", expected, swapped, again, atomic_load(&counter));
    printf("%lx %d %d\n", atomic_exchange(&bits, 0), old_style, atomic_flag_test_and_set(&flag));
    return 0;
}

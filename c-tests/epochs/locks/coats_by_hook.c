// Six guests hang their coats up, each on a hook that is computed from a number of the input: it is made positive, or cut to the
// hooks that there are, by branches in functions of their own.
//
// By hand: 1 schedule. Such branches only choose a lock, so they are none; and where inputs choose among locks so often, it is left open
// which one it is. Otherwise each way through them names other locks: 3^6 schedules and more, at -O0 only.
// run: enumerate -- @ @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: -7 2
// stdout: 3 0 1 0 1 1 0 0
// exec: 100 -100
// stdout: 4 0 0 0 1 0 1 0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define GUESTS 6
#define HOOKS 8

struct guest {
    int number;
    double wish;
};

static pthread_mutex_t hook[HOOKS];
static int coats[HOOKS];

static unsigned by_number(int number) {
    if (number < 0) number = -number;
    return (unsigned)number % HOOKS;
}

static int by_wish(double wish) {
    int at = (int)(wish * HOOKS);
    return at < 0 ? 0 : at >= HOOKS ? HOOKS - 1 : at;
}

static void *hang_up(void *of) {
    struct guest *guest = of;
    int at = guest->number % 2 == 0 ? (int)by_number(guest->number) : by_wish(guest->wish);
    pthread_mutex_lock(&hook[at]);
    coats[at]++;
    pthread_mutex_unlock(&hook[at]);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int first = atoi(argv[1]), second = atoi(argv[2]);
    struct guest guests[GUESTS];
    pthread_t threads[GUESTS];
    for (int i = 0; i < HOOKS; i++) pthread_mutex_init(&hook[i], NULL);
    for (int i = 0; i < GUESTS; i++) {
        guests[i].number = (i % 2 == 0 ? first : second) + i;
        guests[i].wish = guests[i].number / 10.0;
        pthread_create(&threads[i], NULL, hang_up, &guests[i]);
    }
    for (int i = 0; i < GUESTS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < HOOKS; i++) printf(i < HOOKS - 1 ? "%d " : "%d\n", coats[i]);
    return 0;
}

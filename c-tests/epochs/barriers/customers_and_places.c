// Two customers meet at a turnstile of our own, and go on to a second one if there are more customers than places. How many there
// are is in `main`'s frame: the customer who is ahead has found that there are too many, so the other one finds it, too, and none
// waits alone.
//
// levels: O0
// run: enumerate --without whole-runs -- @ @
// expect: complete=true deadlocked=0
// exec: 3 2
// exec: 2 3
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct turnstile {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int inside, open;
};

struct customer {
    long *customers, places;
    struct turnstile *turnstile;
};

static void wait_while(struct turnstile *t, int open) {
    if (t->open == open) {
        pthread_mutex_unlock(&t->lock);
        while (pthread_mutex_trylock(&t->lock) == EBUSY) continue;
        while (t->open == open) pthread_cond_wait(&t->moved, &t->lock);
    }
}

static void pass(struct turnstile *t) {
    pthread_mutex_lock(&t->lock);
    wait_while(t, 0);
    if (++t->inside == 2) {
        t->open = 0;
        pthread_cond_broadcast(&t->moved);
    } else {
        wait_while(t, 1);
    }
    if (--t->inside == 0) {
        t->open = 1;
        pthread_cond_broadcast(&t->moved);
    }
    pthread_mutex_unlock(&t->lock);
}

static void shop(long *customers, long places, struct turnstile *t) {
    pass(t);
    if (*customers <= places) return;
    pass(t);
}

static void *visit(void *arg) {
    struct customer *c = arg;
    shop(c->customers, c->places, c->turnstile);
    return NULL;
}

static void open_shop(long *customers, long places) {
    struct turnstile turnstile = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 1};
    struct customer both[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        both[i] = (struct customer){customers, places, &turnstile};
        pthread_create(&threads[i], NULL, visit, &both[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    long customers = atoi(argv[1]);
    open_shop(&customers, atoi(argv[2]));
    return 0;
}

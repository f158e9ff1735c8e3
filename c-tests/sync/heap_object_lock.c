// Every account has its lock inside, on the heap; the input is the amount, not the account.
// run: enumerate -- @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// constraint: true
// exec: 30
// exec: 300
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

struct transfer {
    struct account *from, *to;
    long amount;
};

static struct account *new_account(long balance)
{
    struct account *a = malloc(sizeof *a);
    pthread_mutex_init(&a->lock, NULL);
    a->balance = balance;
    return a;
}

static void *worker(void *arg)
{
    struct transfer *t = arg;
    long moved = 0;
    pthread_mutex_lock(&t->from->lock);
    if (t->from->balance >= t->amount) {
        t->from->balance -= t->amount;
        moved = t->amount;
    }
    pthread_mutex_unlock(&t->from->lock);
    pthread_mutex_lock(&t->to->lock);
    t->to->balance += moved;
    pthread_mutex_unlock(&t->to->lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 2)
        return 2;
    struct account *a = new_account(100), *b = new_account(1000);
    struct transfer there = { a, b, atoi(argv[1]) }, back = { b, a, 1 };
    pthread_create(&t[0], NULL, worker, &there);
    pthread_create(&t[1], NULL, worker, &back);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%ld %ld\n", a->balance, b->balance);
    pthread_mutex_destroy(&a->lock);
    pthread_mutex_destroy(&b->lock);
    free(a);
    free(b);
    return 0;
}

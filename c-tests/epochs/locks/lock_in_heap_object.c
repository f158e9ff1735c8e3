// Two threads put money into accounts on the heap, each under the account's own lock, as often as the input says. Which
// account it is, the input says, too: the lock is reached through a pointer in a list.
//
// By hand, with a marker in front of the loop's condition: 2 epochs, no deadlock. The entry has 1 schedule. At the markers
// both threads go on or both end, for they have made as many turns. If they go on, what counts is which locks they take:
// 4 schedules for two accounts, 2 if schedules are told apart by whether the locks are the same only. So 6 (or 4) schedules.
// exec: 2 0 1
// stdout: 2 and 2
// exec: 3 1 1
// stdout: 0 and 6
// exec: 0 0 1
// exec: 1 2 0
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    struct account *next;
    pthread_mutex_t lock;
    int balance;
};

static struct account *accounts;
static int turns;

static struct account *account(int number)
{
    struct account *a = accounts;
    while (number-- > 0)
        a = a->next;
    return a;
}

static void *worker(void *arg)
{
    struct account *a = account(*(int *)arg);
    for (int i = 0; i < turns; i++) { //~ loop
        pthread_mutex_lock(&a->lock);
        a->balance++;
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

static void new_account(void)
{
    struct account *a = malloc(sizeof *a);
    if (!a)
        exit(1);
    pthread_mutex_init(&a->lock, NULL);
    a->balance = 0;
    a->next = accounts;
    accounts = a;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc < 4)
        return 2;
    turns = atoi(argv[1]);
    int first = atoi(argv[2]), second = atoi(argv[3]);
    if (first < 0 || first > 1 || second < 0 || second > 1)
        return 2;
    new_account();
    new_account();
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d and %d\n", account(0)->balance, account(1)->balance);
    return 0;
}

// Two clerks move money between four accounts on the heap: inputs say from which account to which, and how often. Accounts are locked in
// the order of their numbers.
//
// By hand, no deadlock: whatever the accounts are, they are locked in one order. The first epoch goes to the loops. In the second one each
// clerk does a transfer, or none as both accounts are the same, or ends: with the one of both that have ended there are few schedules if
// it is left open which accounts they are. (That the number of an account is in an array of tasks hid that it is an index, so that all
// that was read of the table was compared with each other: not complete in a minute.)
// run: enumerate -- @ @ @ @ @
// expect: complete=true deadlocked=0
// exec: 3 0 1 2 3
// stdout: 70
// stdout: 130
// stdout: 70
// stdout: 130
// exec: 3 1 1 0 1
// stdout: 70
// stdout: 130
// stdout: 100
// stdout: 100
// exec: 1
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 4, CLERKS = 2, AMOUNT = 10 };

struct account {
    int number;
    long balance;
    pthread_mutex_t lock;
};

struct task {
    int from, to, times;
};

static struct account *accounts[ACCOUNTS];

static void transfer(struct account *from, struct account *to) {
    if (from == to) return;
    struct account *first = from->number < to->number ? from : to;
    struct account *second = first == from ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (from->balance >= AMOUNT) {
        from->balance -= AMOUNT;
        to->balance += AMOUNT;
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *work(void *argument) {
    const struct task *task = argument;
    for (int i = 0; i < task->times; i++) transfer(accounts[task->from], accounts[task->to]);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2 + 2 * CLERKS) return 2;
    for (int i = 0; i < ACCOUNTS; i++) {
        accounts[i] = malloc(sizeof *accounts[i]);
        if (!accounts[i]) return 3;
        accounts[i]->number = i;
        accounts[i]->balance = 100;
        pthread_mutex_init(&accounts[i]->lock, NULL);
    }
    struct task tasks[CLERKS];
    pthread_t clerks[CLERKS];
    for (int i = 0; i < CLERKS; i++) {
        tasks[i].from = (int)((unsigned)atoi(argv[2 + 2 * i]) % ACCOUNTS);
        tasks[i].to = (int)((unsigned)atoi(argv[3 + 2 * i]) % ACCOUNTS);
        tasks[i].times = atoi(argv[1]);
        pthread_create(&clerks[i], NULL, work, &tasks[i]);
    }
    for (int i = 0; i < CLERKS; i++) pthread_join(clerks[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++) {
        printf("%ld\n", accounts[i]->balance);
        free(accounts[i]);
    }
    return 0;
}

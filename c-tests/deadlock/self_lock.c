// A plain mutex locked twice by its owner.
// run: enumerate
// expect: epochs=1 schedules=1 complete=true deadlocked=1
// ends: deadlock
// exec:
// error: deadlock
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static int read_balance(void)
{
    pthread_mutex_lock(&lock);
    int b = balance;
    pthread_mutex_unlock(&lock);
    return b;
}

int main(void)
{
    pthread_mutex_lock(&lock);
    balance = read_balance() + 1;
    pthread_mutex_unlock(&lock);
    printf("%d\n", balance);
    return 0;
}

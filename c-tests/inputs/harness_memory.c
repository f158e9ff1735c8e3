// Memory from nowhere has bytes that are inputs; what the program has stored there before is gone.
// run: enumerate
// expect: epochs=1 schedules=2 complete=true deadlocked=1
// ends: exit deadlock
// constraint: nondet_memory[2] == 'x'
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
#include <pthread.h>
#include <stddef.h>

extern void __VERIFIER_nondet_memory(void *memory, size_t bytes);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    unsigned char packet[3] = { 'x', 'x', 'x' };
    __VERIFIER_nondet_memory(packet, sizeof packet);
    pthread_mutex_lock(&lock);
    if (packet[2] == 'x')
        pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

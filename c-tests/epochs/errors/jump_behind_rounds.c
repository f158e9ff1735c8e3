// Two threads go round a loop with a lock three times; then main jumps, which is not supported.
//
// By hand: nothing is an input, so the markers could be passed; but then the only path would end where it is not supported, and nothing
// would be known of the program. So they are not: the first epoch has a schedule, and so has the one of the loop, up to the jump. The same
// with a limit of instructions that a path through all rounds comes to.
// run: enumerate
// expect: epochs=2 schedules=2 complete=false
// run: enumerate --max-instructions 900
// expect: epochs=2 schedules=2 complete=false
// exec:
// stdout: 6
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int rounds_each = 3;
static int rounds;

static void *go_round(void *unused) {
    for (int i = 0; i < rounds_each; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    jmp_buf back;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, go_round, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (setjmp(back) == 0) longjmp(back, 1);
    printf("%d\n", rounds);
    return 0;
}

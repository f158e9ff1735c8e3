// The functions of KLEE. What has the size of a number is one input of that name, other memory has bytes.
// run: enumerate
// expect: epochs=1 schedules=4 complete=true deadlocked=1
// constraint: depth > 2
// constraint: word[5] == 'x'
// constraint: side == 1
// exec:
// exit: 0
// ignore-native: nobody defines the functions of KLEE
#include <pthread.h>
#include <stddef.h>

void klee_make_symbolic(void *address, size_t bytes, const char *name);
void klee_assume(unsigned long condition);
int klee_range(int begin, int end, const char *name);
void klee_warning(const char *message);
void klee_print_expr(const char *message, ...);

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t C = PTHREAD_MUTEX_INITIALIZER;

static int take(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void)
{
    int depth;
    char word[7];
    klee_make_symbolic(&depth, sizeof depth, "depth");
    klee_make_symbolic(word, sizeof word, "word");
    klee_assume(depth < 6);
    klee_warning("three ways from here");
    klee_print_expr("depth", depth);
    if (depth > 2)
        return take(&A);
    if (word[5] == 'x')
        return take(&B);
    int side = klee_range(0, 2, "side");
    pthread_mutex_lock(&C);
    if (side == 1)
        pthread_mutex_lock(&C);
    return 0;
}

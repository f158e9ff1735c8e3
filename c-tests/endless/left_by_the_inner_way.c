// The inner loop goes round for ever only for a small second number: for others the outer one goes on, and comes to
// its end for an odd first one. Whether it does for each is not proved.
// run: enumerate -- @ @
// expect: epochs=1 complete=true deadlocked=0 endless=1
// constraint: atoi(argv[2]) <= 5
// assumes: {outer}
// status: 1
// levels: O0
// exec: 7 6
// exit: 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long rounds;

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    unsigned x = (unsigned)atoi(argv[1]), y = (unsigned)atoi(argv[2]);
    if (x > 5) {
        for (;;) {
            x -= 2; //~ outer
            for (;;) {
                if (x == 1)
                    goto out;
                if (y > 5)
                    break;
                rounds++;
            }
        }
    }
out:
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

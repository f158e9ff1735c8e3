// Tables of the C library are not printed byte by byte: what depends on one character is a set of characters.
// run: enumerate -- @ @
// expect: schedules=4 complete=true deadlocked=0
// constraint: argv[1][0]
// holds: q Q -> both
// holds: Q x -> one
// holds: a A -> same
// holds: \xe9 \xe9 -> same
// holds: a b -> other
// holds: 7 8 -> one
// exec: q Q
#include <ctype.h>
#include <pthread.h>

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER, one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t same = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void visit(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    unsigned char a = argv[1][0], b = argv[2][0];
    if (toupper(a) == 'Q' && tolower(b) == 'q') visit(&both);
    else if (toupper(a) == 'Q' || isdigit(a)) visit(&one);
    else if (toupper(a) == toupper(b)) visit(&same);
    else visit(&other);
    return 0;
}

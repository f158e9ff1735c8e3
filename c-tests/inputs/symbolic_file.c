// The first byte of a file chooses the lock. With --sym-file the file's bytes are inputs.
// run: enumerate --without epochs --sym-file config.bin=4 -- config.bin
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// exec: /dev/null
// exit: 3
// exec: /nonexistent/config.bin
// exit: 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static unsigned char kind;
static int a, b;

static void *worker(void *arg)
{
    if (kind == 'A') {
        pthread_mutex_lock(&A);
        a++;
        pthread_mutex_unlock(&A);
    } else {
        pthread_mutex_lock(&B);
        b++;
        pthread_mutex_unlock(&B);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    unsigned char header[4];
    if (argc < 2)
        return 2;
    FILE *f = fopen(argv[1], "rb");
    if (!f)
        return 2;
    if (fread(header, 1, sizeof header, f) != sizeof header) {
        fclose(f);
        return 3;
    }
    fclose(f);
    kind = header[0];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", a, b);
    return 0;
}

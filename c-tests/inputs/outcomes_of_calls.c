// Whether a file is there, can be made or has a size are inputs; of a file that --sym-file names the size is known.
// run: enumerate --sym-file known.bin=8 -- known.bin
// expect: epochs=1 schedules=3 complete=true deadlocked=0
// constraint: mkdir(spool)
// exec: /nonexistent/known.bin
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t B = PTHREAD_MUTEX_INITIALIZER;
static int made, large;

static void *worker(void *arg)
{
    if (made) {
        pthread_mutex_lock(&A);
        pthread_mutex_unlock(&A);
    }
    if (large) {
        pthread_mutex_lock(&B);
        pthread_mutex_unlock(&B);
    }
    return arg;
}

int main(int argc, char **argv)
{
    struct stat s;
    pthread_t t;
    if (argc < 2 || stat(argv[1], &s) != 0)
        return 2;
    if (s.st_size != 8)
        return 3;
    made = mkdir("spool", 0700) == 0;
    if (made) {
        if (stat("spool/limit", &s) == 0)
            large = s.st_size > 100;
        unlink("spool/limit");
        rmdir("spool");
    }
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}

// Two threads: one maps a file of unknown size, counts its lines under a lock, and unmaps it; the other only takes the lock.
//
// By hand: the marker is in the loop over bytes. The first epoch has two schedules: it ends there with the map in place, or the program runs
// through where the file cannot be opened, described or mapped, or is empty. Behind the marker a byte ends a line, or not, or there
// is none left. Then the file is unmapped, by the address and the size with which it was mapped, so the map is found whatever
// its size is: nothing else is asked of it.
// levels: O0
// exec: c-tests-no-such-file
// stdout: 0 lines
// run: enumerate -- @
// expect: epochs=2 schedules=5 complete=true deadlocked=0
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long lines;
static const char *path;

static void *count(void *arg)
{
    struct stat about;
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return arg;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        char *text = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text != MAP_FAILED) {
            for (long i = 0; i < about.st_size; i++)
                if (text[i] == '\n') {
                    pthread_mutex_lock(&lock);
                    lines++;
                    pthread_mutex_unlock(&lock);
                }
            munmap(text, about.st_size);
        }
    }
    close(fd);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t counter;
    if (argc < 2)
        return 2;
    path = argv[1];
    pthread_create(&counter, NULL, count, NULL);
    pthread_mutex_lock(&lock);
    long early = lines;
    pthread_mutex_unlock(&lock);
    pthread_join(counter, NULL);
    printf("%ld lines\n", lines);
    return early > lines;
}

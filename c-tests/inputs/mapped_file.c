// A file that --sym-file names has the same bytes however it is read: mapped, through a copy of the descriptor, at a place.
// run: enumerate --sym-file in.bin=8 -- in.bin
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// constraint: in.bin[3]
// exec: /nonexistent/in.bin
// exit: 2
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *locks)
{
    if (locks) {
        pthread_mutex_lock(&A);
        pthread_mutex_unlock(&A);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    char c = 0, d = 0;
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0)
        return 2;
    char *map = mmap(NULL, 8, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return 3;
    int other = dup(fd);
    if (lseek(other, 3, SEEK_SET) != 3 || read(fd, &c, 1) != 1 || pread(other, &d, 1, 3) != 1)
        return 4;
    if (c != map[3] || d != map[3])
        return 5;
    int chosen = map[3] == 'x';
    munmap(map, 8);
    pthread_create(&t, NULL, worker, chosen ? &c : NULL);
    pthread_join(t, NULL);
    return 0;
}

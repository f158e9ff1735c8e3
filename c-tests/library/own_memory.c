// exec is no sandbox, but the memory of the process is not the program's: it is the interpreter's.
// exec:
// stdout: refused refused refused refused
// ignore-native: natively it is the program's own memory
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char *tried(const char *path)
{
    int fd = open(path, O_RDWR);
    return fd < 0 && errno == EACCES ? "refused" : "opened";
}

int main(void)
{
    symlink("/proc/self/mem", "own_memory.tmp");
    const char *linked = tried("own_memory.tmp");
    unlink("own_memory.tmp");
    const char *plain = tried("/proc/self/mem"), *thread = tried("/proc/thread-self/mem");
    chdir("/proc/self");
    printf("%s %s %s %s\n", plain, linked, thread, tried("mem"));
    return 0;
}

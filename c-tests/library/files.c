// Files by name and by descriptor: every result, errno and what is found in the end is as natively.
// exec:
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHOW(call)                                                                                                     \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        long value = (long)(call);                                                                                     \
        printf("%s: %ld %s\n", #call, value, value < 0 ? strerror(errno) : "");                                        \
    } while (0)

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *path)
{
    struct dirent **all;
    int n = scandir(path, &all, NULL, by_name);
    for (int i = 0; i < n; i++) {
        printf("  %s %d\n", all[i]->d_name, all[i]->d_type);
        free(all[i]);
    }
    if (n >= 0)
        free(all);
}

static void names(void)
{
    struct stat s;
    char text[64];
    SHOW(mkdir("d", 0755));
    SHOW(mkdir("d", 0755));
    SHOW(mkdir("no/such", 0755));
    SHOW(creat("d/a", 0640) >= 0);
    SHOW(link("d/a", "d/b"));
    SHOW(symlink("a", "d/c"));
    SHOW(stat("d/c", &s));
    printf("%o %ld %ld\n", s.st_mode, (long)s.st_nlink, (long)s.st_size);
    SHOW(lstat("d/c", &s));
    printf("%o %ld\n", s.st_mode, (long)s.st_size);
    ssize_t n = readlink("d/c", text, sizeof text);
    printf("%.*s\n", (int)n, text);
    SHOW(readlink("d/a", text, sizeof text));
    SHOW(access("d/a", R_OK));
    SHOW(access("d/z", R_OK));
    SHOW(chmod("d/a", 0400));
    SHOW(stat("d/b", &s));
    printf("%o\n", s.st_mode);
    SHOW(rename("d/b", "d/e"));
    SHOW(rename("d/b", "d/f"));
    list("d");
    SHOW(rmdir("d"));
    char before[PATH_MAX], after[PATH_MAX], *there = realpath("d", NULL);
    SHOW(getcwd(before, sizeof before) == before);
    SHOW(chdir("d"));
    SHOW(getcwd(after, sizeof after) == after);
    printf("%d %d\n", strcmp(there, after), strncmp(before, after, strlen(before)));
    free(there);
    SHOW(open("a", O_RDONLY | O_EXCL | O_CREAT, 0600));
    SHOW(chdir(".."));
    SHOW(remove("d/a"));
    SHOW(unlink("d/c"));
    SHOW(unlink("d"));
    SHOW(remove("d/e"));
    SHOW(remove("d"));
    SHOW(opendir("d") != NULL);
}

static void descriptors(void)
{
    char text[64] = "";
    struct stat s;
    int fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int other = dup(fd);
    printf("%d %d %d\n", fd > 2, other == fd + 1, fcntl(fd, F_DUPFD, 20));
    struct iovec parts[] = {{"one ", 4}, {"two", 3}, {" three", 6}};
    SHOW(writev(fd, parts, 3));
    SHOW(lseek(other, 0, SEEK_CUR));
    SHOW(pread(fd, text, 5, 4));
    puts(text);
    SHOW(pwrite(other, "TWO", 3, 4));
    SHOW(lseek(fd, -6, SEEK_END));
    SHOW(read(other, text, sizeof text));
    SHOW(lseek(fd, -1, SEEK_SET));
    SHOW(ftruncate(fd, 20));
    SHOW(fstat(fd, &s));
    printf("%ld %o\n", (long)s.st_size, s.st_mode);
    SHOW(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND));
    SHOW(fcntl(fd, F_SETFL, O_APPEND));
    SHOW(write(other, "end", 3));
    SHOW(fcntl(fd, F_GETFD));
    SHOW(fcntl(fd, F_SETFD, FD_CLOEXEC));
    SHOW(fcntl(fd, F_GETFD));
    SHOW(fcntl(other, F_GETFD));
    SHOW(close(fd));
    SHOW(close(fd));
    SHOW(write(fd, "x", 1));
    SHOW(fsync(other));
    SHOW(dup2(other, 77));
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 77, 0);
    printf("%.13s %d\n", map, map[4000]);
    memcpy(map, "ONE", 3);
    SHOW(msync(map, 4096, MS_SYNC));
    SHOW(munmap(map, 4096));
    SHOW(pread(other, text, 23, 0));
    printf("%.13s%s\n", text, text + 20);
    SHOW(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    SHOW(open("f", O_WRONLY | O_DIRECTORY));
    int read_only = open("f", O_RDONLY);
    SHOW(write(read_only, "x", 1));
    SHOW(unlink("f"));
    SHOW(isatty(read_only));
    SHOW(isatty(500));
}

static void redirection(void)
{
    char name[] = "outXXXXXX", line[80];
    int fd = mkstemp(name), saved = dup(1);
    fflush(stdout);
    dup2(fd, 1);
    printf("to the file\n");
    fflush(stdout);
    dup2(saved, 1);
    printf("to standard output\n");
    FILE *f = fopen(name, "r");
    while (fgets(line, sizeof line, f))
        fputs(line, stdout);
    fclose(f);
    unlink(name);
    int ends[2];
    SHOW(pipe(ends));
    SHOW(write(ends[1], "through a pipe", 14));
    SHOW(close(ends[1]));
    SHOW(read(ends[0], line, 9));
    SHOW(read(ends[0], line, sizeof line));
    SHOW(read(ends[0], line, sizeof line));
    SHOW(lseek(ends[0], 0, SEEK_CUR));
}

int main(void)
{
    umask(022);
    names();
    descriptors();
    redirection();
    return 0;
}

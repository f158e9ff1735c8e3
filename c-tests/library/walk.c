// A walk through a directory tells the same as natively: types, levels, names, links that lead back, order of levels, early ends.
// exec:
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *lines[64];
static int count, stop_at;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// A directory's entries come in the order of the file system, so what was told is shown sorted.
static void show(const char *what, int result)
{
    printf("%s: %d, %s\n", what, result, result < 0 ? strerror(errno) : "");
    qsort(lines, count, sizeof *lines, by_text);
    for (int i = 0; i < count; i++) {
        printf("  %s\n", lines[i]);
        free(lines[i]);
    }
    count = 0;
    errno = 0;
}

static int note(const char *path, const struct stat *s, int type, int base, int level)
{
    char text[200];
    long size = S_ISREG(s->st_mode) ? (long)s->st_size : 0;
    snprintf(text, sizeof text, "%s %d %s %d %ld", path, type, path + base, level, type == FTW_NS || type == FTW_SLN ? 0 : size);
    lines[count++] = strdup(text);
    return count == stop_at ? 7 : 0;
}

static int plain(const char *path, const struct stat *s, int type)
{
    return note(path, s, type, 0, 0);
}

static int full(const char *path, const struct stat *s, int type, struct FTW *at)
{
    return note(path, s, type, at->base, at->level);
}

static int below, after;

// Whether the directory comes behind what is in it.
static int order(const char *path, const struct stat *s, int type, struct FTW *at)
{
    if (at->level == 0)
        after = below;
    below++;
    return 0;
}

static void file(const char *path, const char *text)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0644);
    write(fd, text, strlen(text));
    close(fd);
}

int main(void)
{
    mkdir("walked", 0755);
    mkdir("walked/in", 0755);
    mkdir("walked/in/deep", 0755);
    file("walked/a", "one");
    file("walked/in/b", "four");
    file("walked/in/deep/c", "");
    symlink("..", "walked/in/back");
    symlink("nowhere", "walked/broken");
    symlink("a", "walked/link");

    show("ftw", ftw("walked", plain, 8));
    show("of a file", ftw("walked/a", plain, 8));
    show("of nothing", ftw("missing", plain, 8));
    show("of no name", ftw("", plain, 8));
    show("of a broken link", ftw("walked/broken", plain, 8));
    show("nftw", nftw("walked", full, 8, 0));
    show("slash", nftw("walked/in/", full, 8, FTW_PHYS));
    show("physical", nftw("walked", full, 8, FTW_PHYS));
    show("depth", nftw("walked", full, 8, FTW_PHYS | FTW_DEPTH | FTW_MOUNT));
    stop_at = 1;
    show("stopped", nftw("walked", full, 8, FTW_PHYS));
    nftw("walked/in", order, 8, FTW_PHYS);
    printf("%d before the directory", after);
    below = 0;
    nftw("walked/in", order, 8, FTW_PHYS | FTW_DEPTH);
    printf(", %d with FTW_DEPTH\n", after);

    unlink("walked/link");
    unlink("walked/broken");
    unlink("walked/in/back");
    unlink("walked/in/deep/c");
    unlink("walked/in/b");
    unlink("walked/a");
    rmdir("walked/in/deep");
    rmdir("walked/in");
    return rmdir("walked");
}

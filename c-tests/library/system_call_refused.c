// A system call that no model stands for is refused by its name.
// run: enumerate
// expect: complete=false deadlocked=0
// reason: the system call futex is not supported
// exec:
// exit: 3
// stderr: the system call futex is not supported
// ignore-native: it would wait for ever
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void)
{
    return (int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, (void *)0, (void *)0, 0);
}

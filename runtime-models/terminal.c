/* Terminals: there are none. And stacks, of which nothing is shown. */
#include "ics.h"

#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#include "ics_files.h"

static int none(int fd) {
    if (ics_file(fd)) errno = ENOTTY;
    return -1;
}

int tcgetattr(int fd, struct termios *to) {
    return none(fd);
}

int tcsetattr(int fd, int when, const struct termios *from) {
    return none(fd);
}

int tcflush(int fd, int what) {
    return none(fd);
}

int tcdrain(int fd) {
    return none(fd);
}

char *ttyname(int fd) {
    none(fd);
    return 0;
}

int ttyname_r(int fd, char *to, size_t n) {
    none(fd);
    return errno;
}

char *ctermid(char *to) {
    static char own[L_ctermid];
    if (!to) to = own;
    __ics_memcpy(to, "/dev/tty", 9);
    return to;
}

/* No frame is shown. */
int backtrace(void **frames, int n) {
    return 0;
}

char **backtrace_symbols(void *const *frames, int n) {
    return __ics_malloc(8, 1);
}

void backtrace_symbols_fd(void *const *frames, int n, int fd) {
}

/* --- settings are numbers in a structure --- */

void cfmakeraw(struct termios *t) {
    t->c_iflag &= ~(unsigned)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    t->c_oflag &= ~(unsigned)OPOST;
    t->c_lflag &= ~(unsigned)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    t->c_cflag = (t->c_cflag & ~(unsigned)(CSIZE | PARENB)) | CS8;
    t->c_cc[VMIN] = 1;
    t->c_cc[VTIME] = 0;
}

int cfsetospeed(struct termios *t, speed_t speed) {
    if (speed & ~(speed_t)CBAUD) {
        errno = EINVAL;
        return -1;
    }
    t->c_cflag = (t->c_cflag & ~(tcflag_t)CBAUD) | speed;
    return 0;
}

int cfsetispeed(struct termios *t, speed_t speed) {
    return cfsetospeed(t, speed);
}

speed_t cfgetospeed(const struct termios *t) {
    return t->c_cflag & CBAUD;
}

speed_t cfgetispeed(const struct termios *t) {
    return cfgetospeed(t);
}

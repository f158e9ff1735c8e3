/* Descriptors (files.c), what hangs on them, and streams over them in the symbolic domain (stdio_symbolic.c). */
#ifndef ICS_FILES_H
#define ICS_FILES_H

#include "ics.h"

#include <stdio.h>

#define ICS_MAX_FILES 1024

enum ics_file_kind {
    ICS_CLOSED,
    ICS_STANDARD,      /* a standard one that nobody has looked at yet */
    ICS_HOST_FILE,     /* concrete domain: the host's */
    ICS_PIPE,          /* concrete domain: an end of a pipe (pipe.c) */
    ICS_SOCKET,        /* concrete domain (socket.c) */
    ICS_EVENT,         /* concrete domain: of eventfd (eventfd.c) */
    ICS_TIMER,         /* concrete domain: of timerfd_create (eventfd.c) */
    ICS_EPOLL,         /* both domains: a set of descriptors (epoll.c) */
    ICS_SYMBOLIC_FILE, /* --sym-file or --sym-stdin: its bytes are known by name, its size is a constant */
    ICS_INPUT_FILE,    /* every read is an input by itself; writes go nowhere */
};

/* An open file: what descriptors that were made from each other by dup share. */
struct ics_file {
    struct ics_file *next; /* of a closed one: another one */
    enum ics_file_kind kind;
    int descriptors;       /* how many there are */
    int flags;             /* of open: access mode and status */
    int host;              /* the host's descriptor; of a pipe its number */
    void *object;          /* of a socket, an event counter, a timer, a set of descriptors */
    int domain;            /* AF_INET, ... of a socket of the symbolic domain, else 0 */
    int pushed_back;       /* ungetc: 1 + the byte, 0 if none */
    const char *content;   /* of a symbolic file: `size` bytes */
    long size;
    long offset;           /* may be symbolic, within 0..size */
    const char *name;      /* of a symbolic file; null for standard input */
    int lines;             /* that were read as inputs; then nobody knows the offset */
};

/* The file behind a descriptor, or null with EBADF. */
struct ics_file *ics_file(int fd);
/* Whether the host has the file. In the symbolic domain none, whatever is known of it. */
static inline int ics_is_of_host(const struct ics_file *f) {
    return !__ics_is_symbolic_domain() && f->kind == ICS_HOST_FILE;
}
/* A new open file under the lowest free descriptor; -1 with EMFILE. */
int ics_new_file(enum ics_file_kind kind, int flags, int host);
/* Another descriptor of the same file: the lowest free one from `from`, or exactly `from` (closing what it was). */
int ics_duplicate(int fd, int from, int exactly);
/* FD_CLOEXEC of a descriptor that is open. */
unsigned char *ics_descriptor_flags(int fd);
/* The host's descriptor, or -1 with EBADF; AT_FDCWD is itself. */
int ics_host_descriptor(int fd);

/* errno and -1 from what a host call returned. */
long ics_host_result(long result);
/* "CALL(PATH)" if the path is short and constant, else CALL: the name of an input, so that a constraint says which
   file. */
const char *ics_input_name(char *to, size_t size, const char *call, const char *path);
/* Whether a call of this name on this path (null: none) succeeds, as an input: 0, or -1 and errno. Symbolic domain. */
int ics_outcome(const char *call, const char *path, int error);

/* Whoever looks at bytes behind lines that were read as inputs begins anywhere. */
void ics_forget_lines(struct ics_file *f);

/* Copies up to n bytes from the file's offset without branching on it; the count. */
size_t ics_file_read(struct ics_file *f, void *to, size_t n);

long ics_pipe_read(struct ics_file *f, void *to, size_t n);
long ics_pipe_write(struct ics_file *f, const void *from, size_t n);
void ics_pipe_close(struct ics_file *f);
/* Bytes that can be read at once; room that can be written at once. */
size_t ics_pipe_filled(const struct ics_file *f);
size_t ics_pipe_room(const struct ics_file *f);
/* Whether the other end is closed. */
int ics_pipe_ended(const struct ics_file *f);
/* How often it became ready to be read or written. */
unsigned long ics_pipe_changes(const struct ics_file *f);

size_t ics_symbolic_write(FILE *f, const char *p, size_t n);
int ics_symbolic_getc(FILE *f);
void ics_symbolic_ungetc(FILE *f, int c);
/* Whether the lines of a stream are inputs by themselves. */
int ics_has_lines(FILE *f);
/* fgets and the line part of getline: at most n bytes and a NUL; null at the end of the file. */
char *ics_symbolic_line(FILE *f, char *to, size_t n);
size_t ics_symbolic_fread(FILE *f, void *to, size_t n);

#endif

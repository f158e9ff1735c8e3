/* Sockets, event counters and sets of descriptors: what the files that deal with them share. */
#ifndef ICS_SOCKET_H
#define ICS_SOCKET_H

#include "ics.h"

#include <sys/socket.h>

#include "ics_files.h"

/* A piece of a stream, or a datagram with the name of its sender. */
struct ics_message {
    struct ics_message *next;
    size_t size, taken;
    struct sockaddr_storage from;
    socklen_t from_size;
    char bytes[];
};

enum ics_socket_state { ICS_UNCONNECTED, ICS_LISTENING, ICS_CONNECTED };

/* A socket of the concrete domain: the network there consists of this process. */
struct ics_socket {
    struct ics_socket *next;           /* of all */
    int domain, type, protocol;
    enum ics_socket_state state;
    int connecting;                    /* connect has said EINPROGRESS */
    struct ics_socket *peer;           /* of a stream, until it closes */
    struct ics_message *first, *last;  /* what has arrived */
    size_t queued;                     /* bytes of it */
    struct ics_socket *waiting;        /* connections that accept has not taken yet, oldest first */
    struct ics_socket *next_waiting;
    int backlog, waiting_count;
    struct sockaddr_storage name, remote;
    socklen_t name_size, remote_size;  /* 0: none */
    int bound;                         /* the name is its own, not its listener's */
    int lost;                          /* a local datagram socket whose partner has closed */
    int ended;                         /* nothing more arrives */
    int read_closed, write_closed;     /* shutdown of this side */
    int error;                         /* SO_ERROR */
    unsigned long changes;             /* how often it became ready for something */
    unsigned long receive_timeout, send_timeout; /* nanoseconds, 0: none */
    int reuse_address, reuse_port, only_v6;
    int options[64];                   /* of SOL_SOCKET: as they were set */
};

/* The socket of a descriptor, with its file, or null with EBADF or ENOTSOCK. */
struct ics_socket *ics_socket(int fd, struct ics_file **file);
int ics_socket_is_stream(const struct ics_socket *s);
/* A descriptor of a new socket; flags are SOCK_NONBLOCK and SOCK_CLOEXEC. */
int ics_socket_file(struct ics_socket *s, int flags);
struct ics_socket *ics_new_socket(int domain, int type, int protocol);
void ics_socket_drop(struct ics_socket *s);
/* Gives a socket of the internet a free port if it has no name. */
void ics_socket_name(struct ics_socket *s);
/* The socket that a connection or datagram of `s` to a name goes to, or null with errno. */
struct ics_socket *ics_socket_find(const struct ics_socket *s, const struct sockaddr *name, socklen_t size);
/* An errno if a name does not fit the socket or is no name of this process, else 0. */
int ics_socket_check(const struct ics_socket *s, const struct sockaddr *name, socklen_t size, int unreachable);
/* Copies a name out as much as there is room for. */
void ics_socket_tell(const struct sockaddr_storage *name, socklen_t size, struct sockaddr *to, socklen_t *room);
/* A name of the internet as a socket of this family is told it: "any" address is this machine's. */
void ics_socket_translate(int domain, struct sockaddr_storage *name, socklen_t *size);
/* Waits for a change; 0, or the errno: EAGAIN at the deadline or if the caller does not wait, EINTR. */
int ics_socket_wait(const struct ics_file *f, int flags, unsigned long deadline);

/* With the flags of send and recv. */
long ics_socket_receive(struct ics_file *f, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size,
                        int *truncated);
long ics_socket_send(struct ics_file *f, const void *p, size_t n, int flags, const struct sockaddr *name, socklen_t size);
/* A local datagram socket gets another partner, or none: what it had not read is gone. */
void ics_socket_part(struct ics_socket *s, struct ics_socket *from);
/* Sockets with this partner lose it. */
void ics_socket_lose(const struct ics_socket *partner);
void ics_socket_close(struct ics_file *f);

/* What threads wait on that wait for some descriptor; notified at every change of one. */
extern char ics_changes;
/* POLLIN and its like, as far as they hold now. */
unsigned ics_ready(struct ics_file *f);
unsigned ics_socket_ready(const struct ics_socket *s);
/* Counts how often a file became ready for something: what EPOLLET needs. */
unsigned long ics_change_count(const struct ics_file *f);
/* When it becomes ready by the time alone. */
unsigned long ics_ready_time(const struct ics_file *f);

/* eventfd.c */
long ics_event_read(struct ics_file *f, void *to, size_t n);
long ics_event_write(struct ics_file *f, const void *from, size_t n);
unsigned ics_event_ready(const struct ics_file *f);
unsigned long ics_event_change_count(const struct ics_file *f);
unsigned long ics_event_time(const struct ics_file *f);
void ics_event_close(struct ics_file *f);

/* epoll.c */
unsigned ics_epoll_ready(const struct ics_file *f);
unsigned long ics_epoll_time(const struct ics_file *f);
void ics_epoll_close(struct ics_file *f);
/* A file is closed: no set has it any more. */
void ics_epoll_forget(const struct ics_file *f);

/* The symbolic domain (socket_symbolic.c). A result that is an input: `least`..`most`, or -1 and an errno that is
   one. */
long ics_input_result(const char *name, long least, long most);
/* How much of n bytes was sent: all, or what a socket that does not wait takes. */
long ics_input_sent(const struct ics_file *f, const char *name, size_t n, int flags);
/* A name of the other side: the family is the socket's. */
void ics_input_name_of(const struct ics_file *f, const char *input, struct sockaddr *to, socklen_t *room);

#endif

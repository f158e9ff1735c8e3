/* Names of hosts and services. Numbers and "localhost" are known, and a few services; no other host has an address in
 * the concrete domain. In the symbolic domain the addresses of a name are inputs. */
#include "ics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ics_memory.h"
#include "ics_socket.h"

static _Thread_local int host_error;

int *__h_errno_location(void) {
    return &host_error;
}

/* --- messages --- */

const char *gai_strerror(int error) {
    switch (error) {
    case EAI_BADFLAGS: return "Bad value for ai_flags";
    case EAI_NONAME: return "Name or service not known";
    case EAI_AGAIN: return "Temporary failure in name resolution";
    case EAI_FAIL: return "Non-recoverable failure in name resolution";
    case EAI_NODATA: return "No address associated with hostname";
    case EAI_FAMILY: return "ai_family not supported";
    case EAI_SOCKTYPE: return "ai_socktype not supported";
    case EAI_SERVICE: return "Servname not supported for ai_socktype";
    case EAI_ADDRFAMILY: return "Address family for hostname not supported";
    case EAI_MEMORY: return "Memory allocation failure";
    case EAI_SYSTEM: return "System error";
    case EAI_OVERFLOW: return "Result too large for supplied buffer";
    default: return "Unknown error";
    }
}

const char *hstrerror(int error) {
    static const char *const texts[] = {"Resolver Error 0 (no error)", "Unknown host", "Host name lookup failure",
                                        "Unknown server error", "No address associated with name"};
    if (error < 0) return "Resolver internal error";
    return error <= NO_DATA ? texts[error] : "Unknown resolver error";
}

void herror(const char *text) {
    if (text && *text) fprintf(stderr, "%s: ", text);
    fprintf(stderr, "%s\n", hstrerror(host_error));
}

/* --- services --- */

static struct service {
    char *name;
    int port;
    char *protocol; /* null: both */
} const services[] = {
    {"echo", 7, 0},     {"discard", 9, 0},  {"daytime", 13, 0}, {"ftp-data", 20, "tcp"}, {"ftp", 21, "tcp"},
    {"ssh", 22, "tcp"}, {"telnet", 23, "tcp"}, {"smtp", 25, "tcp"}, {"time", 37, 0}, {"domain", 53, 0},
    {"tftp", 69, "udp"}, {"finger", 79, "tcp"}, {"http", 80, "tcp"}, {"pop3", 110, "tcp"}, {"nntp", 119, "tcp"},
    {"ntp", 123, "udp"}, {"imap2", 143, "tcp"}, {"snmp", 161, 0}, {"https", 443, 0}, {"syslog", 514, "udp"},
};
enum { SERVICES = sizeof services / sizeof services[0] };

static int fits(const struct service *s, const char *protocol) {
    return !s->protocol || !protocol || strcmp(s->protocol, protocol) == 0;
}

static struct servent *describe(const struct service *s, const char *protocol) {
    static struct servent entry;
    static char *none[1];
    entry = (struct servent){s->name, none, htons((unsigned short)s->port), (char *)(protocol ? protocol : "tcp")};
    return &entry;
}

struct servent *getservbyname(const char *name, const char *protocol) {
    if (__ics_string_symbolic(name)) __ics_unsupported("getservbyname of an input");
    for (int i = 0; i < SERVICES; i++)
        if (strcmp(services[i].name, name) == 0 && fits(&services[i], protocol)) return describe(&services[i], protocol);
    return 0;
}

struct servent *getservbyport(int port, const char *protocol) {
    if (__ics_is_symbolic((unsigned long)port)) __ics_unsupported("getservbyport of an input");
    for (int i = 0; i < SERVICES; i++)
        if (htons((unsigned short)services[i].port) == port && fits(&services[i], protocol))
            return describe(&services[i], protocol);
    return 0;
}

/* The port that a text names, in host order; negative: an error of getaddrinfo. */
static long port_of(const char *service, const struct addrinfo *hints) {
    char *end;
    if (!service) return 0;
    if (__ics_string_symbolic(service)) return (long)__ics_input_of_string("getaddrinfo.port", service, 16);
    unsigned long number = strtoul(service, &end, 10);
    if (*service && !*end) return (long)(number & 0xffff);
    if (hints->ai_flags & AI_NUMERICSERV) return EAI_NONAME;
    const char *protocol = hints->ai_socktype == SOCK_STREAM ? "tcp" : hints->ai_socktype == SOCK_DGRAM ? "udp" : 0;
    struct servent *s = getservbyname(service, protocol);
    return s ? ntohs((unsigned short)s->s_port) : EAI_SERVICE;
}

/* --- getaddrinfo --- */

struct found {
    int family;
    unsigned char address[16];
};

static int wanted(const struct addrinfo *hints, int family) {
    return hints->ai_family == AF_UNSPEC || hints->ai_family == family;
}

/* The addresses of a name; how many, or an error. */
static int resolve(const char *name, const struct addrinfo *hints, struct found *to) {
    int count = 0, passive = hints->ai_flags & AI_PASSIVE;
    struct found v4 = {AF_INET, {0}}, v6 = {AF_INET6, {0}};
    if (name && __ics_is_symbolic_domain()) {
        to->family = hints->ai_family == AF_INET6 ? AF_INET6 : AF_INET;
        __ics_input_bytes(to->address, to->family == AF_INET ? 4 : 16, "getaddrinfo.address");
        return 1;
    }
    int local = !name || strcmp(name, "localhost") == 0;
    if (local) {
        __ics_memcpy(v4.address, passive && !name ? "\0\0\0\0" : "\177\0\0\1", 4);
        v6.address[15] = !(passive && !name);
        /* IPv6 first, but for the addresses to listen on */
        if (passive && !name && wanted(hints, AF_INET)) to[count++] = v4;
        if (wanted(hints, AF_INET6)) to[count++] = v6;
        if (!(passive && !name) && wanted(hints, AF_INET)) to[count++] = v4;
        return count;
    }
    if (inet_pton(AF_INET6, name, v6.address) == 1) {
        to[0] = v6;
        return wanted(hints, AF_INET6) ? 1 : EAI_ADDRFAMILY;
    }
    if (inet_aton(name, (struct in_addr *)(void *)v4.address)) {
        to[0] = v4;
        return wanted(hints, AF_INET) ? 1 : EAI_ADDRFAMILY;
    }
    return hints->ai_flags & AI_NUMERICHOST ? EAI_NONAME : EAI_AGAIN;
}

struct node {
    struct addrinfo info;
    struct sockaddr_storage name;
};

static struct addrinfo *make(const struct found *a, int type, int protocol, long port) {
    struct node *n = __ics_malloc(sizeof *n, 1);
    socklen_t size = a->family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    n->info = (struct addrinfo){
        .ai_family = a->family, .ai_socktype = type, .ai_protocol = protocol, .ai_addrlen = size,
        .ai_addr = (struct sockaddr *)&n->name};
    n->name.ss_family = (sa_family_t)a->family;
    /* The port is at the same place in both. */
    ((struct sockaddr_in *)&n->name)->sin_port = htons((unsigned short)port);
    if (a->family == AF_INET) __ics_memcpy(&((struct sockaddr_in *)&n->name)->sin_addr, a->address, 4);
    else __ics_memcpy(&((struct sockaddr_in6 *)&n->name)->sin6_addr, a->address, 16);
    return &n->info;
}

static int build(const struct found *found, int n, const struct addrinfo *hints, long port, struct addrinfo **to) {
    static const int kinds[3][2] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}, {SOCK_RAW, IPPROTO_IP}};
    struct addrinfo **end = to;
    *to = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            if (hints->ai_socktype && hints->ai_socktype != kinds[k][0]) continue;
            if (hints->ai_protocol && kinds[k][1] && hints->ai_protocol != kinds[k][1]) continue;
            *end = make(&found[i], kinds[k][0], hints->ai_protocol ? hints->ai_protocol : kinds[k][1], port);
            end = &(*end)->ai_next;
        }
    return *to ? 0 : EAI_SOCKTYPE;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **to) {
    static const struct addrinfo any = {.ai_flags = AI_V4MAPPED | AI_ADDRCONFIG};
    struct found found[2];
    if (!hints) hints = &any;
    if (!name && !service) return EAI_NONAME;
    if (hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET && hints->ai_family != AF_INET6) return EAI_FAMILY;
    if (!name && hints->ai_flags & AI_CANONNAME) return EAI_BADFLAGS;
    long port = port_of(service, hints);
    if (!__ics_is_symbolic((unsigned long)port) && port < 0) return (int)port;
    if (name && __ics_is_symbolic_domain()) {
        int error = (int)__ics_input("getaddrinfo", 32);
        __ics_assume((error == 0) | ((error >= EAI_SYSTEM) & (error <= EAI_BADFLAGS)));
        if (error) return error;
    }
    int n = resolve(name, hints, found);
    if (n < 0) return n;
    int error = build(found, n, hints, port, to);
    if (!error && hints->ai_flags & AI_CANONNAME) (*to)->ai_canonname = ics_text(name, strlen(name));
    return error;
}

void freeaddrinfo(struct addrinfo *list) {
    while (list) {
        struct addrinfo *next = list->ai_next;
        free(list->ai_canonname);
        __ics_free(list);
        list = next;
    }
}

/* --- getnameinfo --- */

static int put(char *to, socklen_t size, const char *text) {
    if (!to || size == 0) return 0;
    if (strlen(text) >= size) return EAI_OVERFLOW;
    strcpy(to, text);
    return 0;
}

static int name_host(const struct sockaddr *name, char *to, socklen_t size, int flags) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)name;
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)name;
    int local = name->sa_family == AF_INET ? v4->sin_addr.s_addr == htonl(INADDR_LOOPBACK) : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    char text[INET6_ADDRSTRLEN];
    if (local && !(flags & NI_NUMERICHOST)) return put(to, size, "localhost");
    if (flags & NI_NAMEREQD) return EAI_NONAME;
    inet_ntop(name->sa_family, name->sa_family == AF_INET ? (const void *)&v4->sin_addr : &v6->sin6_addr, text, sizeof text);
    return put(to, size, text);
}

int getnameinfo(const struct sockaddr *name, socklen_t length, char *host, socklen_t host_size, char *service,
                socklen_t service_size, int flags) {
    char text[8];
    if (__ics_is_symbolic_domain()) {
        if (host && host_size) __ics_input_bytes(host, host_size - 1, "getnameinfo.host");
        if (host && host_size) host[host_size - 1] = 0;
        if (service && service_size) __ics_input_bytes(service, service_size - 1, "getnameinfo.service");
        if (service && service_size) service[service_size - 1] = 0;
        return (int)__ics_select(__ics_input("getnameinfo", 1) & 1, 0, (unsigned long)EAI_NONAME);
    }
    if (name->sa_family != AF_INET && name->sa_family != AF_INET6) return EAI_FAMILY;
    if (length < (name->sa_family == AF_INET ? sizeof(struct sockaddr_in) : 24)) return EAI_FAMILY;
    if ((!host || !host_size) && (!service || !service_size)) return EAI_NONAME;
    int error = host && host_size ? name_host(name, host, host_size, flags) : 0;
    if (error) return error;
    unsigned short port = ((const struct sockaddr_in *)name)->sin_port;
    struct servent *s = flags & NI_NUMERICSERV ? 0 : getservbyport(port, flags & NI_DGRAM ? "udp" : "tcp");
    sprintf(text, "%u", ntohs(port));
    return put(service, service_size, s ? s->s_name : text);
}

/* --- the older functions --- */

static struct hostent entry;
static char entry_name[256];
static struct in_addr entry_address;
static char *entry_addresses[2], *entry_aliases[1];

struct hostent *gethostbyname(const char *name) {
    struct addrinfo hints = {.ai_family = AF_INET};
    struct found found[2];
    if (__ics_is_symbolic_domain() && !(__ics_input("gethostbyname", 1) & 1)) {
        host_error = (int)__ics_input("h_errno", 3);
        __ics_assume((host_error >= HOST_NOT_FOUND) & (host_error <= NO_DATA));
        return 0;
    }
    if (resolve(name, &hints, found) < 1) {
        host_error = TRY_AGAIN;
        return 0;
    }
    __ics_memcpy(&entry_address, found[0].address, 4);
    strncpy(entry_name, name, sizeof entry_name - 1);
    entry_addresses[0] = (char *)&entry_address;
    entry = (struct hostent){entry_name, entry_aliases, AF_INET, 4, entry_addresses};
    return &entry;
}

struct hostent *gethostbyname2(const char *name, int family) {
    if (family == AF_INET) return gethostbyname(name);
    __ics_unsupported("gethostbyname2 of another family than AF_INET");
}

struct hostent *gethostbyaddr(const void *address, socklen_t size, int family) {
    if (__ics_is_symbolic_domain()) __ics_unsupported("gethostbyaddr in the symbolic domain");
    if (family != AF_INET || size != 4 || memcmp(address, "\177\0\0\1", 4) != 0) {
        host_error = HOST_NOT_FOUND;
        return 0;
    }
    return gethostbyname("localhost");
}

/* The protocols that programs ask for. */
struct protoent *getprotobyname(const char *name) {
    static struct protoent found;
    static char *none[1];
    static const struct { char *name; int number; } known[] = {{"ip", 0}, {"icmp", 1}, {"tcp", 6}, {"udp", 17}};
    for (int i = 0; i < 4; i++) {
        if (strcmp(known[i].name, name) != 0) continue;
        found = (struct protoent){known[i].name, none, known[i].number};
        return &found;
    }
    return 0;
}

unsigned if_nametoindex(const char *name) {
    if (__ics_is_symbolic_domain()) return (unsigned)__ics_input("if_nametoindex", 31);
    if (strcmp(name, "lo") == 0) return 1;
    errno = ENODEV;
    return 0;
}

// Addresses and names of the internet, as text and as bytes.
// exec:
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static void of_v4(const char *s)
{
    struct in_addr a = {0};
    int good = inet_aton(s, &a);
    printf("%s: %d %08x", s, good, good ? ntohl(a.s_addr) : 0);
    a.s_addr = 0;
    good = inet_pton(AF_INET, s, &a);
    printf(" %d %08x %08x\n", good, good ? ntohl(a.s_addr) : 0, inet_addr(s));
}

static void of_v6(const char *s)
{
    unsigned char a[16];
    char text[INET6_ADDRSTRLEN];
    int good = inet_pton(AF_INET6, s, a);
    printf("%s: %d %s\n", s, good, good ? inet_ntop(AF_INET6, a, text, sizeof text) : "");
}

static void names(const char *name, const char *service, int family, int flags)
{
    struct addrinfo hints = {.ai_family = family, .ai_flags = flags, .ai_socktype = SOCK_STREAM}, *list;
    char host[64], port[16];
    int error = getaddrinfo(name, service, &hints, &list);
    printf("%s %s: %s\n", name ? name : "-", service ? service : "-", error ? gai_strerror(error) : "found");
    if (error)
        return;
    for (struct addrinfo *i = list; i; i = i->ai_next)
        if (!getnameinfo(i->ai_addr, i->ai_addrlen, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
            printf("  %s %s %d %d\n", host, port, i->ai_socktype, i->ai_protocol);
    freeaddrinfo(list);
}

int main(void)
{
    const char *four[] = {"1.2.3.4", "127.1", "0x7f.0.0.1", "010.1.2.3", "256.1.1.1", "1.2.3", "1.2.3.4.5", "", "a", "1.2.3.4 x",
                          "4294967295", "4294967296", "1..2", "01.2.3.4", "1.2.3.4x", "1.65536"};
    const char *six[] = {"::", "::1", "1::", "fe80::1:2", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "::ffff:1.2.3.4", "::1.2.3.4",
                         "1::2::3", ":1", "1:", "12345::", "1:0:0:2:0:0:0:3", "1:0:0:2:0:0:3:4", "::ABCD", "1:2:3:4:5:6:7::",
                         "1:2:3:4:5:6:1.2.3.4", "::ffff:0:1", "0:0:0:0:0:0:5:6", "1.2.3.4", "::1.2.3"};
    for (unsigned i = 0; i < sizeof four / sizeof *four; i++)
        of_v4(four[i]);
    for (unsigned i = 0; i < sizeof six / sizeof *six; i++)
        of_v6(six[i]);
    printf("%x %x %s\n", htons(0x1234), htonl(0x12345678), inet_ntoa((struct in_addr){htonl(0xc0a80001)}));
    char small[8];
    printf("%d %d\n", inet_ntop(AF_INET, "\300\250\1\1", small, sizeof small) == NULL, errno == ENOSPC);
    printf("%d %d\n", inet_pton(AF_UNIX, "x", small), errno == EAFNOSUPPORT);
    names("10.1.2.3", "8080", AF_UNSPEC, AI_NUMERICHOST);
    names("127.0.0.1", "80", AF_INET, 0);
    names("::1", "1", AF_INET6, 0);
    names(NULL, "99", AF_INET, AI_PASSIVE);
    names(NULL, "99", AF_INET, 0);
    names("nothing here", "99", AF_INET, AI_NUMERICHOST);
    names("127.0.0.1", "80", AF_INET6, AI_NUMERICHOST);
    names(NULL, NULL, AF_INET, 0);
    names("1.2.3.4", "x y", AF_INET, AI_NUMERICSERV);
    for (int i = -11; i < 1; i++)
        printf("%s\n", gai_strerror(i));
    printf("%s\n", hstrerror(HOST_NOT_FOUND));
    return 0;
}

/* Streams against glibc: the same generated operations on two files, one by the models, one by the library; every
 * result, the position and in the end the contents have to agree. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"

#define MODELS(X)                                                                                                   \
    X(fopen) X(fclose) X(fprintf) X(fputs) X(fputc) X(fwrite) X(fread) X(fgets) X(fgetc) X(ungetc) X(fseek) X(ftell) \
    X(fflush) X(feof) X(ferror) X(clearerr) X(rewind) X(getline) X(setvbuf) X(getopt) X(optind) X(optarg) X(optopt)
#include <getopt.h>
#define DECLARE(name) MODEL(name);
MODELS(DECLARE)
MODEL(getopt_long);
extern int m_fscanf(FILE *, const char *, ...);
int failures;

static const char *const modes[] = {"w+", "r+", "a+", "r", "w", "a"};

static long size_of(const char *path, char *to, size_t room) {
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    long n = (long)fread(to, 1, room, f);
    fclose(f);
    return n;
}

static void writes(FILE *a, FILE *b) {
    char text[9000];
    int n = below(below(6) ? 40 : 9000);
    for (int i = 0; i < n; i++) text[i] = below(12) ? 'a' + below(26) : '\n';
    text[n] = 0;
    switch (below(4)) {
    case 0: CHECK((m_fputs(text, a) < 0) == (fputs(text, b) < 0), "fputs"); break;
    case 1: CHECK(m_fwrite(text, 3, n / 3, a) == fwrite(text, 3, n / 3, b), "fwrite"); break;
    case 2: CHECK(m_fprintf(a, "%d %s\n", n, text) == fprintf(b, "%d %s\n", n, text), "fprintf"); break;
    default: CHECK(m_fputc('q', a) == fputc('q', b), "fputc");
    }
}

static void reads(FILE *a, FILE *b) {
    static char x[9000], y[9000];
    int n = below(below(6) ? 60 : 9000) + 1;
    memset(x, 1, sizeof x), memset(y, 1, sizeof y);
    switch (below(5)) {
    case 0: {
        char *p = m_fgets(x, n, a), *q = fgets(y, n, b);
        CHECK(!p == !q, "fgets of %d", n);
        break;
    }
    case 1: CHECK(m_fread(x, 2, n / 2, a) == fread(y, 2, n / 2, b), "fread of %d", n); break;
    case 2: {
        int c = m_fgetc(a), d = fgetc(b);
        CHECK(c == d, "fgetc %d, not %d", c, d);
        if (c != EOF && below(2)) {
            if (below(4) == 0) c = 'U';
            CHECK(m_ungetc(c, a) == ungetc(c, b), "ungetc");
            CHECK(m_fgetc(a) == fgetc(b), "fgetc after ungetc");
        }
        break;
    }
    case 3: {
        char *p = 0, *q = 0;
        size_t r = 0, s = 0;
        CHECK(m_getline(&p, &r, a) == getline(&q, &s, b), "getline");
        if (p && q && *p) CHECK(strcmp(p, q) == 0 && r == s, "getline \"%s\" \"%s\" %zu %zu", p, q, r, s);
        free(p), free(q);
        break;
    }
    default: CHECK(m_fscanf(a, "%10s", x) == fscanf(b, "%10s", y), "fscanf");
    }
    CHECK(memcmp(x, y, sizeof x) == 0, "what was read");
}

static void session(int round) {
    const char *mode = modes[below(6)];
    FILE *a = m_fopen("ours", mode), *b = fopen("theirs", mode);
    CHECK(!a == !b, "fopen %s", mode);
    if (!a || !b) return;
    int writing = 0;
    for (int i = below(30); i > 0 && !failures; i--) {
        int readable = mode[0] == 'r' || mode[1] == '+', writable = mode[0] != 'r' || mode[1] == '+';
        int next = readable && writable ? below(2) : writable;
        if (next != writing || below(6) == 0) {
            /* C asks for a reposition between reading and writing */
            long to = below(200);
            CHECK(m_fseek(a, to, SEEK_SET) == fseek(b, to, SEEK_SET), "fseek");
            if (below(3) == 0) CHECK(m_fseek(a, 2 - to / 9, SEEK_END) == fseek(b, 2 - to / 9, SEEK_END), "fseek");
            if (below(3) == 0) m_rewind(a), rewind(b);
            else m_fseek(a, 3, SEEK_SET), fseek(b, 3, SEEK_SET);
            writing = next;
        }
        if (next) writes(a, b);
        else reads(a, b);
        if (mode[0] != 'a') CHECK(m_ftell(a) == ftell(b), "ftell %ld, not %ld, %s", m_ftell(a), ftell(b), mode);
        CHECK(!m_feof(a) == !feof(b) && !m_ferror(a) == !ferror(b), "feof, ferror in round %d", round);
        if (below(9) == 0) m_clearerr(a), clearerr(b);
    }
    CHECK(m_fclose(a) == fclose(b), "fclose");
    static char x[400000], y[400000];
    long n = size_of("ours", x, sizeof x), m = size_of("theirs", y, sizeof y);
    CHECK(n == m && memcmp(x, y, (size_t)n) == 0, "contents in round %d, %s: %ld, %ld bytes", round, mode, n, m);
}

/* What is lost when the process ends without a flush: the same blocks have reached the file before. */
static void blocks(void) {
    for (int i = 0; i < 200; i++) {
        static char text[20000], x[40000], y[40000];
        memset(text, 'x', sizeof text);
        FILE *a = m_fopen("ours", "w"), *b = fopen("theirs", "w");
        int mode = below(2) ? _IOFBF : below(2) ? _IOLBF : _IONBF;
        if (below(2)) m_setvbuf(a, 0, mode, 0), setvbuf(b, 0, mode, 0);
        for (int k = below(6); k > 0; k--) {
            int n = below(below(2) ? 100 : 12000);
            if (n && below(2)) text[below(n)] = '\n';
            m_fwrite(text, 1, n, a), fwrite(text, 1, n, b);
        }
        long n = size_of("ours", x, sizeof x), m = size_of("theirs", y, sizeof y);
        if (mode != _IOLBF) CHECK(n == m, "%ld bytes before the flush, not %ld, mode %d", n, m, mode);
        m_fclose(a), fclose(b);
    }
}

static void options(void) {
    static const char *const words[] = {"-a", "-b", "-bval", "-abc", "file", "--", "-", "--all", "--level=3", "--level",
                                        "--lev", "-x", "--nope", "7", "--all=1", "-c5"};
    static const struct option longs[] = {{"all", 0, 0, 'A'}, {"level", 1, 0, 'L'}, {"limit", 2, 0, 'M'}, {0, 0, 0, 0}};
    static const char *const sets[] = {"ab:c::", "+ab:c", "-ab:c", ":ab:c:"};
    opterr = 0;
    extern int m_opterr;
    m_opterr = 0;
    for (int i = 0; i < 20000; i++) {
        char *x[10] = {"program"}, *y[10] = {"program"};
        int n = below(8) + 1, c, d;
        for (int k = 1; k < n; k++) x[k] = y[k] = (char *)words[below(16)];
        const char *set = sets[below(4)];
        optind = m_optind = 0;
        do {
            c = i % 2 ? m_getopt(n, x, set) : m_getopt_long(n, x, set, longs, 0);
            d = i % 2 ? getopt(n, y, set) : getopt_long(n, y, set, longs, 0);
            CHECK(c == d && m_optind == optind && m_optarg == optarg, "%d %d, %d %d, %s %s, %s", c, d, m_optind, optind,
                  m_optarg, optarg, set);
            if (c == '?') CHECK(m_optopt == optopt, "optopt %d, not %d", m_optopt, optopt);
        } while (c == d && c != -1);
        CHECK(memcmp(x, y, sizeof x) == 0, "order of the arguments");
    }
}

int main(void) {
    unlink("ours");
    unlink("theirs");
    for (int round = 0; round < 4000 && !failures; round++) session(round);
    blocks();
    options();
    unlink("ours");
    unlink("theirs");
    return failures != 0;
}

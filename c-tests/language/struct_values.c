// Structures passed, returned and assigned by value: in registers, in memory, nested, with padding.
// exec: 4
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct rect { struct point low, high; };
struct mixed { char tag; double weight; short s[3]; };
struct big { long v[6]; char name[10]; };

static struct point shift(struct point p, int by)
{
    p.x += by;
    p.y -= by;
    return p;
}

static struct rect grow(struct rect r, int by)
{
    r.low = shift(r.low, -by);
    r.high = shift(r.high, by);
    return r;
}

static struct mixed twice(struct mixed m)
{
    m.weight *= 2;
    m.s[1] = (short)(m.s[0] + m.s[2]);
    return m;
}

static struct big reverse(struct big b)
{
    struct big r = b;
    for (int i = 0; i < 6; i++)
        r.v[i] = b.v[5 - i];
    strcpy(r.name, "reversed");
    b.v[0] = -1;
    return r;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    struct rect r = grow((struct rect){ { 1, 2 }, { 3, 4 } }, n);
    struct mixed m = twice((struct mixed){ 'm', 1.25, { 1, 2, (short)n } });
    struct big b = { { 1, 2, 3, 4, 5, n }, "plain" }, c = reverse(b), d;
    d = c;
    c.v[0] = 99;
    printf("%d %d %d %d\n", r.low.x, r.low.y, r.high.x, r.high.y);
    printf("%c %g %d %d %d\n", m.tag, m.weight, m.s[0], m.s[1], m.s[2]);
    printf("%s %s %ld %ld %ld\n", b.name, d.name, b.v[0], c.v[0], d.v[0]);
    printf("%d\n", memcmp(&r.low, &(struct point){ 1 - n, 2 + n }, sizeof r.low));
    return 0;
}

// Pointers that are the same only in some runs, a function that is called with different values, a variable that is written once.
// exec: 1
// exec: 2
// exec: 5
// exec: 8
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *first, *second;
static int mode = 1, late;

static int both(struct node *a, struct node *b, int step)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        a->value += step;
        b->value = sum + i;
        if (a->value > 2)
            sum += a->value;
        if (a->next == b)
            sum += 10;
        a = a->next;
        if (mode == 2)
            sum++;
    }
    if (step == 1)
        sum += late;
    return sum;
}

static struct node *make(int value, struct node *next)
{
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = next ? next : made;
    return made;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)(argv[1][0] - '0') : 0;
    int sum = 0;
    first = make(1, NULL);
    second = make(2, first);
    if (n & 1)
        first->next = second;
    if (n & 4)
        mode = 2;
    for (unsigned i = 0; i < 4; i++)
        sum += both(first, (n >> i) & 1 ? first : second, 1);
    late = sum;
    sum += both(second, first->next, 2);
    return sum & 63;
}

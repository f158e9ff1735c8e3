// A list node is read after it was freed, three calls away from the free.
// exec: 0
// exec: 1
// error: use-after-free
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    return n;
}

static int sum(const struct node *n)
{
    int total = 0;
    while (n) {
        total += n->value; //~ use-after-free
        n = n->next;
    }
    return total;
}

int main(int argc, char **argv)
{
    struct node *head = NULL;
    if (argc < 2)
        return 2;
    for (int i = 1; i <= 3; i++)
        head = push(head, i);
    if (atoi(argv[1]))
        free(head);
    printf("%d\n", sum(head));
    return 0;
}

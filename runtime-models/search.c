/* search.h: hash tables, trees, linear search, queues. Trees are plain binary ones: what the program sees of them but
 * for the order in which twalk shows inner nodes is that of any other kind. */
#include "ics.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* --- one table of open addressing --- */

static unsigned long hash(const char *s) {
    unsigned long h = 5381;
    while (*s) h = h * 33 ^ (unsigned char)*s++;
    return h;
}

static int is_prime(size_t n) {
    for (size_t d = 3; d * d <= n; d += 2)
        if (n % d == 0) return 0;
    return 1;
}

/* How many entries a table for n of them takes: the next odd prime, as in glibc. */
static unsigned capacity(size_t n) {
    if (__ics_is_symbolic(n)) return (unsigned)(n + n / 2 + 3);
    for (n = n < 3 ? 3 : n | 1; !is_prime(n); n += 2) continue;
    return (unsigned)n;
}

int hcreate_r(size_t n, struct hsearch_data *t) {
    if (!t) {
        errno = EINVAL;
        return 0;
    }
    if (t->table) return 0;
    /* 48 GiB are taken for more than there is; glibc itself refuses what it cannot count in 32 bits. */
    if (n >= 1u << 31) {
        errno = ENOMEM;
        return 0;
    }
    t->size = capacity(n) + 1;
    t->filled = 0;
    t->table = calloc(t->size, sizeof(ENTRY));
    return t->table != 0;
}

void hdestroy_r(struct hsearch_data *t) {
    free(t->table);
    t->table = 0;
}

int hsearch_r(ENTRY item, ACTION action, ENTRY **result, struct hsearch_data *t) {
    ENTRY *table = (ENTRY *)t->table;
    unsigned i = (unsigned)(hash(item.key) % t->size);
    for (; table[i].key; i = (i + 1) % t->size) {
        if (strcmp(table[i].key, item.key)) continue;
        *result = &table[i];
        return 1;
    }
    *result = 0;
    if (action == FIND || t->filled + 1 >= t->size) {
        errno = action == FIND ? ESRCH : ENOMEM;
        return 0;
    }
    t->filled++;
    table[i] = item;
    *result = &table[i];
    return 1;
}

static struct hsearch_data the_table;

int hcreate(size_t n) {
    return hcreate_r(n, &the_table);
}

void hdestroy(void) {
    hdestroy_r(&the_table);
}

ENTRY *hsearch(ENTRY item, ACTION action) {
    ENTRY *result;
    hsearch_r(item, action, &result, &the_table);
    return result;
}

/* --- trees --- */

struct node {
    const void *key; /* first: the program reads it through the node's address */
    struct node *left, *right;
};

typedef int order(const void *, const void *);

/* The place that holds the node with the key, or where it belongs. */
static struct node **place(const void *key, struct node **root, order *compare) {
    while (*root) {
        int c = compare(key, (*root)->key);
        if (c == 0) break;
        root = c < 0 ? &(*root)->left : &(*root)->right;
    }
    return root;
}

void *tsearch(const void *key, void **root, order *compare) {
    if (!root) return 0;
    struct node **at = place(key, (struct node **)root, compare);
    if (!*at && (*at = calloc(1, sizeof **at))) (*at)->key = key;
    return *at;
}

void *tfind(const void *key, void *const *root, order *compare) {
    return root ? *place(key, (struct node **)root, compare) : 0;
}

/* The parent of the node that was removed, the root's own place for the root. */
void *tdelete(const void *key, void **root, order *compare) {
    if (!root || !*root) return 0;
    struct node **at = (struct node **)root, *parent = *at;
    while (*at) {
        int c = compare(key, (*at)->key);
        if (c == 0) break;
        parent = *at;
        at = c < 0 ? &(*at)->left : &(*at)->right;
    }
    struct node *gone = *at;
    if (!gone) return 0;
    if (gone->left && gone->right) {
        struct node **next = &gone->right;
        while ((*next)->left) next = &(*next)->left;
        struct node *successor = *next;
        *next = successor->right;
        successor->left = gone->left;
        successor->right = gone->right;
        *at = successor;
    } else {
        *at = gone->left ? gone->left : gone->right;
    }
    if (parent == gone) parent = *at ? *at : gone;
    free(gone);
    return parent;
}

static void walk(const struct node *n, void (*visit)(const void *, VISIT, int), int depth) {
    if (!n->left && !n->right) {
        visit(n, leaf, depth);
        return;
    }
    visit(n, preorder, depth);
    if (n->left) walk(n->left, visit, depth + 1);
    visit(n, postorder, depth);
    if (n->right) walk(n->right, visit, depth + 1);
    visit(n, endorder, depth);
}

void twalk(const void *root, void (*visit)(const void *, VISIT, int)) {
    if (root && visit) walk(root, visit, 0);
}

void tdestroy(void *root, void (*release)(void *)) {
    struct node *n = root;
    if (!n) return;
    tdestroy(n->left, release);
    tdestroy(n->right, release);
    release((void *)n->key);
    free(n);
}

/* --- arrays and queues --- */

void *lfind(const void *key, const void *base, size_t *n, size_t size, order *compare) {
    for (size_t i = 0; i < *n; i++) {
        const char *p = (const char *)base + i * size;
        if (compare(key, p) == 0) return (void *)p;
    }
    return 0;
}

void *lsearch(const void *key, void *base, size_t *n, size_t size, order *compare) {
    void *found = lfind(key, base, n, size, compare);
    if (found) return found;
    char *end = (char *)base + *n * size;
    __ics_memcpy(end, key, size);
    ++*n;
    return end;
}

struct links {
    struct links *next, *previous;
};

void insque(void *element, void *previous) {
    struct links *e = element, *p = previous;
    e->next = p ? p->next : 0;
    e->previous = p;
    if (!p) return;
    if (p->next) p->next->previous = e;
    p->next = e;
}

void remque(void *element) {
    struct links *e = element;
    if (e->next) e->next->previous = e->previous;
    if (e->previous) e->previous->next = e->next;
}

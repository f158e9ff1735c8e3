/* What <map>, <set>, <list> and <unordered_map> of libstdc++ call that is not in its headers: red-black trees, linked
 * lists, the sizes and hash values of tables. The names are those of the Itanium C++ ABI. */
#include "ics.h"

#include <stdint.h>
#include <string.h>

/* std::_Rb_tree_node_base. The header of a tree is a red node: its parent is the root, left the first node, right the
 * last one. */
enum { RED, BLACK };
struct ics_tree_node {
    int color;
    struct ics_tree_node *parent, *left, *right;
};
typedef struct ics_tree_node node;

static node *increment(node *x) {
    if (x->right) {
        x = x->right;
        while (x->left) x = x->left;
        return x;
    }
    node *y = x->parent;
    while (x == y->right) {
        x = y;
        y = y->parent;
    }
    return x->right != y ? y : x;
}

static node *decrement(node *x) {
    if (x->color == RED && x->parent->parent == x) return x->right;
    if (x->left) {
        node *y = x->left;
        while (y->right) y = y->right;
        return y;
    }
    node *y = x->parent;
    while (x == y->left) {
        x = y;
        y = y->parent;
    }
    return y;
}

node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(node *x) {
    return increment(x);
}

const node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const node *x) {
    return increment((node *)x);
}

node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(node *x) {
    return decrement(x);
}

const node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const node *x) {
    return decrement((node *)x);
}

/* Puts `y` where `x` was below the parent of `x`. */
static void replace_child(node *x, node *y, node **root) {
    if (x == *root) *root = y;
    else if (x == x->parent->left) x->parent->left = y;
    else x->parent->right = y;
}

static void rotate_left(node *x, node **root) {
    node *y = x->right;
    x->right = y->left;
    if (y->left) y->left->parent = x;
    y->parent = x->parent;
    replace_child(x, y, root);
    y->left = x;
    x->parent = y;
}

static void rotate_right(node *x, node **root) {
    node *y = x->left;
    x->left = y->right;
    if (y->right) y->right->parent = x;
    y->parent = x->parent;
    replace_child(x, y, root);
    y->right = x;
    x->parent = y;
}

/* A red node below a red one: until there is none, or the uncle is black and a rotation does it. */
static void balance_insertion(node *x, node **root) {
    while (x != *root && x->parent->color == RED) {
        node *above = x->parent->parent;
        int is_left = x->parent == above->left;
        node *uncle = is_left ? above->right : above->left;
        if (uncle && uncle->color == RED) {
            x->parent->color = uncle->color = BLACK;
            above->color = RED;
            x = above;
            continue;
        }
        if (is_left && x == x->parent->right) {
            x = x->parent;
            rotate_left(x, root);
        } else if (!is_left && x == x->parent->left) {
            x = x->parent;
            rotate_right(x, root);
        }
        x->parent->color = BLACK;
        above->color = RED;
        if (is_left) rotate_right(above, root);
        else rotate_left(above, root);
    }
    (*root)->color = BLACK;
}

/* std::_Rb_tree_insert_and_rebalance(bool, node *, node *, node &) */
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool left, node *x, node *p, node *header) {
    x->parent = p;
    x->left = x->right = 0;
    x->color = RED;
    if (left) {
        p->left = x;
        if (p == header) {
            header->parent = x;
            header->right = x;
        } else if (p == header->left) {
            header->left = x;
        }
    } else {
        p->right = x;
        if (p == header->right) header->right = x;
    }
    balance_insertion(x, &header->parent);
}

static node *first_of(node *x) {
    while (x->left) x = x->left;
    return x;
}

static node *last_of(node *x) {
    while (x->right) x = x->right;
    return x;
}

/* The ways through `x`, below `parent`, have one black node too few. */
static void balance_erasure(node *x, node *parent, node **root) {
    while (x != *root && (!x || x->color == BLACK)) {
        int is_left = x == parent->left;
        node *w = is_left ? parent->right : parent->left;
        if (w->color == RED) {
            w->color = BLACK;
            parent->color = RED;
            if (is_left) rotate_left(parent, root);
            else rotate_right(parent, root);
            w = is_left ? parent->right : parent->left;
        }
        node *near = is_left ? w->left : w->right, *far = is_left ? w->right : w->left;
        int near_is_black = !near || near->color == BLACK, far_is_black = !far || far->color == BLACK;
        if (near_is_black && far_is_black) {
            w->color = RED;
            x = parent;
            parent = parent->parent;
            continue;
        }
        if (far_is_black) {
            near->color = BLACK;
            w->color = RED;
            if (is_left) rotate_right(w, root);
            else rotate_left(w, root);
            w = is_left ? parent->right : parent->left;
            far = is_left ? w->right : w->left;
        }
        w->color = parent->color;
        parent->color = BLACK;
        if (far) far->color = BLACK;
        if (is_left) rotate_left(parent, root);
        else rotate_right(parent, root);
        break;
    }
    if (x) x->color = BLACK;
}

/* std::_Rb_tree_rebalance_for_erase(node *, node &): takes `z` out and returns it. */
node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node *z, node *header) {
    node **root = &header->parent;
    node *y = z, *x, *parent;
    if (!y->left) {
        x = y->right;
    } else if (!y->right) {
        x = y->left;
    } else {
        y = first_of(y->right);
        x = y->right;
    }
    if (y != z) { /* `y`, the one behind `z`, goes to its place */
        z->left->parent = y;
        y->left = z->left;
        if (y != z->right) {
            parent = y->parent;
            if (x) x->parent = y->parent;
            y->parent->left = x;
            y->right = z->right;
            z->right->parent = y;
        } else {
            parent = y;
        }
        replace_child(z, y, root);
        y->parent = z->parent;
        int color = y->color;
        y->color = z->color;
        z->color = color;
        y = z;
    } else {
        parent = y->parent;
        if (x) x->parent = y->parent;
        replace_child(z, x, root);
        if (header->left == z) header->left = z->right ? first_of(x) : z->parent;
        if (header->right == z) header->right = z->left ? last_of(x) : z->parent;
    }
    if (y->color != RED) balance_erasure(x, parent, root);
    return y;
}

/* std::__detail::_List_node_base */
struct ics_list_node {
    struct ics_list_node *next, *previous;
};
typedef struct ics_list_node link;

/* Puts `self` in front of `position`. */
void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(link *self, link *position) {
    self->next = position;
    self->previous = position->previous;
    position->previous->next = self;
    position->previous = self;
}

void _ZNSt8__detail15_List_node_base9_M_unhookEv(link *self) {
    self->previous->next = self->next;
    self->next->previous = self->previous;
}

/* Moves what is from `first` to before `last` in front of `self`. */
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(link *self, link *first, link *last) {
    if (self == last) return;
    last->previous->next = self;
    first->previous->next = last;
    self->previous->next = first;
    link *before = self->previous;
    self->previous = last->previous;
    last->previous = first->previous;
    first->previous = before;
}

void _ZNSt8__detail15_List_node_base10_M_reverseEv(link *self) {
    link *at = self;
    do {
        link *next = at->next;
        at->next = at->previous;
        at->previous = next;
        at = next;
    } while (at != self);
}

/* Both are heads of lists. An empty one points to itself. */
void _ZNSt8__detail15_List_node_base4swapERS0_S1_(link *x, link *y) {
    link old_x = *x, old_y = *y;
    int x_is_empty = old_x.next == x, y_is_empty = old_y.next == y;
    if (y_is_empty) {
        x->next = x->previous = x;
    } else {
        *x = old_y;
        x->next->previous = x->previous->next = x;
    }
    if (x_is_empty) {
        y->next = y->previous = y;
    } else {
        *y = old_x;
        y->next->previous = y->previous->next = y;
    }
}

/* std::__detail::_Prime_rehash_policy */
struct ics_rehash {
    float most; /* elements per bucket */
    size_t next; /* elements, from which the table grows */
};

/* Sizes of tables. The real list is longer: only the order of elements depends on it. */
static const size_t sizes[] = {
    2, 5, 11, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153,
    2938679, 5967347, 12117689, 24607243, 49969847, 101473717, 206062531, 418450441,
};

size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct ics_rehash *self, size_t n) {
    if (n == 0) return 1;
    unsigned last = sizeof sizes / sizeof *sizes - 1, i = 0;
    while (i < last && sizes[i] < n) i++;
    self->next = (size_t)((double)sizes[i] * (double)self->most);
    return sizes[i];
}

/* std::pair<bool, size_t>, as it is returned in two registers. */
struct ics_need {
    _Bool first;
    size_t second;
};

struct ics_need _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
    struct ics_rehash *self, size_t buckets, size_t elements, size_t more) {
    if (elements + more <= self->next) return (struct ics_need){0, 0};
    size_t wanted = elements + more;
    if (!self->next && wanted < 11) wanted = 11;
    double least = (double)wanted / (double)self->most;
    if (least < (double)buckets) {
        self->next = (size_t)((double)buckets * (double)self->most);
        return (struct ics_need){0, 0};
    }
    size_t size = (size_t)least + 1;
    if (size < 2 * buckets) size = 2 * buckets;
    return (struct ics_need){1, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(self, size)};
}

/* std::_Hash_bytes(const void *, size_t, size_t): MurmurHash2, as libstdc++ has it. */
static uint64_t mix(uint64_t v) {
    return v ^ (v >> 47);
}

size_t _ZSt11_Hash_bytesPKvmm(const void *p, size_t length, size_t seed) {
    const uint64_t multiplier = (0xc6a4a793ul << 32) + 0x5bd1e995ul;
    const unsigned char *bytes = p;
    size_t whole = length & ~(size_t)7;
    uint64_t hash = seed ^ (length * multiplier);
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ (mix(word * multiplier) * multiplier)) * multiplier;
    }
    if (length != whole) {
        uint64_t word = 0;
        for (size_t i = length; i > whole; i--) word = (word << 8) + bytes[i - 1];
        hash = (hash ^ word) * multiplier;
    }
    return mix(mix(hash) * multiplier);
}

// The parallel structure of SPLASH-2's barnes: in each step, all threads put their bodies into one tree. The walk down is
// recursive, and locks a cell, by one of a few locks, only where it changes it. Then masses are summed up, forces computed
// and bodies moved, with a barrier after each. Here the tree is flat: a cell has four parts.
//
// Usage: barnes [-n BODIES] [-s STEPS] [-p THREADS] [-q TOLERANCE]
// exec: -n 8 -s 2 -p 2
// stdout: 8 bodies, 2 steps, 2 threads
// stdout: a tree of 8 cells, mass 1.000 at -0.48343 -0.27371
// stdout: a tree of 8 cells, mass 1.000 at -0.48426 -0.27531
// stdout: 0: 0.072665 -1.018687
// stdout: 1: -1.848082 -1.442852
// stdout: 2: -0.459403 1.693848
// stdout: 3: -0.160341 -1.515214
// stdout: 4: 0.423560 -0.139398
// stdout: 5: -1.543943 -1.610777
// stdout: 6: -0.063588 0.663680
// stdout: 7: -0.301503 1.154138
// exec: -n 8 -s 2 -p 4
// exec: -n 13 -s 1 -p 3 -q 0.5
// exec: -n 1 -s 1
// exec: -n 0
// exit: 2
// exec: -p 99
// exit: 2
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64
#define LOCKS 16
#define SIDE_LIMIT 1e-6

enum kind { BODY, CELL };

// What bodies and cells have in common.
struct node {
    enum kind kind;
    double mass, x, y;
};

struct body {
    struct node node;
    double vx, vy, ax, ay;
};

struct cell {
    struct node node;
    double side, left, low; // its square
    int lock;
    struct node *part[4];
    struct cell *next; // of the same thread
};

struct global {
    int id;
    pthread_mutex_t idlock, count_lock;
    pthread_barrier_t barrier;
    pthread_mutex_t cell_lock[LOCKS];
    struct cell *root;
    double left, low, side;
    long cells;
    int next_lock;
};

static struct global global;
static struct body *bodies;
static int body_count = 16, steps = 2, processors = 1;
static double tolerance = 1.0, time_step = 0.025;
static struct { double left, low, right, high; } bounds[MAX_THREADS];

static void fail(const char *what)
{
    fprintf(stderr, "barnes: %s\n", what);
    exit(1);
}

static void *memory(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p)
        fail("out of memory");
    return p;
}

static void first_bodies(void)
{
    unsigned long state = 123;
    for (int i = 0; i < body_count; i++) {
        double r[4];
        for (int k = 0; k < 4; k++) {
            state = state * 6364136223846793005ul + 1442695040888963407ul;
            r[k] = (double)(state >> 40) / (1 << 24);
        }
        bodies[i].node = (struct node){ BODY, 1.0 / body_count, 4.0 * r[0] - 2.0, 4.0 * r[1] - 2.0 };
        bodies[i].vx = r[2] - 0.5;
        bodies[i].vy = r[3] - 0.5;
    }
}

static struct cell *new_cell(double left, double low, double side, struct cell **mine)
{
    struct cell *c = memory(1, sizeof *c);
    c->node.kind = CELL;
    c->left = left;
    c->low = low;
    c->side = side;
    c->next = *mine;
    *mine = c;
    pthread_mutex_lock(&global.count_lock);
    global.cells++;
    c->lock = global.next_lock++ % LOCKS;
    pthread_mutex_unlock(&global.count_lock);
    return c;
}

static int part_of(const struct cell *c, const struct node *n)
{
    double half = c->side / 2;
    return (n->x >= c->left + half ? 1 : 0) + (n->y >= c->low + half ? 2 : 0);
}

static struct cell *cell_of_part(const struct cell *c, int part, struct cell **mine)
{
    double half = c->side / 2;
    return new_cell(c->left + (part & 1 ? half : 0), c->low + (part & 2 ? half : 0), half, mine);
}

static struct node *read_part(struct cell *c, int part)
{
    return __atomic_load_n(&c->part[part], __ATOMIC_ACQUIRE);
}

static void write_part(struct cell *c, int part, struct node *n)
{
    __atomic_store_n(&c->part[part], n, __ATOMIC_RELEASE);
}

// Puts a body below a cell. A part with a body becomes a cell with both, as often as they fall into the same part.
static void insert(struct cell *c, struct body *b, struct cell **mine)
{
    int part = part_of(c, &b->node);
    struct node *there = read_part(c, part);
    if (!there || there->kind == BODY) {
        pthread_mutex_lock(&global.cell_lock[c->lock]);
        there = read_part(c, part);
        if (!there) {
            write_part(c, part, &b->node);
            pthread_mutex_unlock(&global.cell_lock[c->lock]);
            return;
        }
        if (there->kind == BODY) {
            if (c->side < SIDE_LIMIT)
                fail("two bodies are at the same place");
            struct cell *split = cell_of_part(c, part, mine);
            write_part(split, part_of(split, there), there);
            write_part(c, part, &split->node);
            there = &split->node;
        }
        pthread_mutex_unlock(&global.cell_lock[c->lock]);
    }
    insert((struct cell *)there, b, mine);
}

// Mass and center of mass, from below.
static void sum_up(struct node *n)
{
    if (!n || n->kind == BODY)
        return;
    struct cell *c = (struct cell *)n;
    double mass = 0, x = 0, y = 0;
    for (int part = 0; part < 4; part++) {
        struct node *below = c->part[part];
        sum_up(below);
        if (below) {
            mass += below->mass;
            x += below->mass * below->x;
            y += below->mass * below->y;
        }
    }
    c->node.mass = mass;
    c->node.x = mass > 0 ? x / mass : 0;
    c->node.y = mass > 0 ? y / mass : 0;
}

// A cell that is small from afar counts as one body.
static void attract(struct body *b, const struct node *n, double side)
{
    if (!n || n == &b->node)
        return;
    double dx = n->x - b->node.x, dy = n->y - b->node.y;
    double square = dx * dx + dy * dy + 0.0025;
    if (n->kind == CELL && side * side >= tolerance * tolerance * square) {
        const struct cell *c = (const struct cell *)n;
        for (int part = 0; part < 4; part++)
            attract(b, c->part[part], side / 2);
        return;
    }
    double pull = n->mass / (square * sqrt(square));
    b->ax += pull * dx;
    b->ay += pull * dy;
}

static void slice(int me, int *first, int *end)
{
    *first = body_count * me / processors;
    *end = body_count * (me + 1) / processors;
}

static void find_bounds(int me)
{
    int first, end;
    slice(me, &first, &end);
    bounds[me].left = bounds[me].low = HUGE_VAL;
    bounds[me].right = bounds[me].high = -HUGE_VAL;
    for (int i = first; i < end; i++) {
        const struct node *n = &bodies[i].node;
        bounds[me].left = fmin(bounds[me].left, n->x);
        bounds[me].right = fmax(bounds[me].right, n->x);
        bounds[me].low = fmin(bounds[me].low, n->y);
        bounds[me].high = fmax(bounds[me].high, n->y);
    }
}

static void new_root(struct cell **mine)
{
    double right = -HUGE_VAL, high = -HUGE_VAL;
    global.left = global.low = HUGE_VAL;
    for (int p = 0; p < processors; p++) {
        global.left = fmin(global.left, bounds[p].left);
        global.low = fmin(global.low, bounds[p].low);
        right = fmax(right, bounds[p].right);
        high = fmax(high, bounds[p].high);
    }
    global.side = 1.01 * fmax(right - global.left, high - global.low) + 0.01;
    global.cells = 0;
    global.root = new_cell(global.left, global.low, global.side, mine);
}

static void step(int me, struct cell **mine)
{
    int first, end;
    slice(me, &first, &end);
    find_bounds(me);
    pthread_barrier_wait(&global.barrier);
    if (me == 0)
        new_root(mine);
    pthread_barrier_wait(&global.barrier);
    for (int i = first; i < end; i++)
        insert(global.root, &bodies[i], mine);
    pthread_barrier_wait(&global.barrier);
    if (me == 0)
        sum_up(&global.root->node);
    pthread_barrier_wait(&global.barrier);
    for (int i = first; i < end; i++) {
        bodies[i].ax = bodies[i].ay = 0;
        attract(&bodies[i], &global.root->node, global.side);
    }
    pthread_barrier_wait(&global.barrier);
    for (int i = first; i < end; i++) {
        struct body *b = &bodies[i];
        b->vx += b->ax * time_step;
        b->vy += b->ay * time_step;
        b->node.x += b->vx * time_step;
        b->node.y += b->vy * time_step;
    }
    if (me == 0)
        printf("a tree of %ld cells, mass %.3f at %.5f %.5f\n", global.cells, global.root->node.mass,
               global.root->node.x, global.root->node.y);
    pthread_barrier_wait(&global.barrier);
}

static void *slave(void *unused)
{
    struct cell *mine = NULL;
    pthread_mutex_lock(&global.idlock);
    int me = global.id++;
    pthread_mutex_unlock(&global.idlock);
    pthread_barrier_wait(&global.barrier);
    for (int s = 0; s < steps; s++) {
        step(me, &mine);
        while (mine) {
            struct cell *next = mine->next;
            free(mine);
            mine = next;
        }
    }
    return unused;
}

static int options(int argc, char **argv)
{
    int c;
    while ((c = getopt(argc, argv, "n:s:p:q:")) != -1)
        switch (c) {
        case 'n': body_count = atoi(optarg); break;
        case 's': steps = atoi(optarg); break;
        case 'p': processors = atoi(optarg); break;
        case 'q': tolerance = atof(optarg); break;
        default: return 0;
        }
    return body_count > 0 && steps > 0 && tolerance > 0 && processors > 0 && processors <= MAX_THREADS;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    if (!options(argc, argv)) {
        fprintf(stderr, "usage: barnes [-n BODIES] [-s STEPS] [-p THREADS] [-q TOLERANCE]\n");
        return 2;
    }
    printf("%d bodies, %d steps, %d threads\n", body_count, steps, processors);
    bodies = memory(body_count, sizeof *bodies);
    first_bodies();
    pthread_mutex_init(&global.idlock, NULL);
    pthread_mutex_init(&global.count_lock, NULL);
    pthread_barrier_init(&global.barrier, NULL, processors);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&global.cell_lock[i], NULL);
    for (int i = 1; i < processors; i++)
        if (pthread_create(&threads[i], NULL, slave, NULL) != 0)
            fail("cannot start a thread");
    slave(NULL);
    for (int i = 1; i < processors; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < body_count; i++)
        printf("%d: %.6f %.6f\n", i, bodies[i].node.x, bodies[i].node.y);
    free(bodies);
    return 0;
}

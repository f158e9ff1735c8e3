#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct in { int k; };
struct box { int v; pthread_mutex_t m; struct in in; int *p; };
struct arg { int v; int *p; pthread_mutex_t *m; };
static int x, y, z;
static int g0, g1 = 1, g2 = 2, g3, flag, made[4];
static int arr[4] = { 0, 1, 2, 3 };
static __thread int tl;
static int *gp = &g2;
static struct box boxes[3] = { { 1, PTHREAD_MUTEX_INITIALIZER }, { 2, PTHREAD_MUTEX_INITIALIZER }, { 3, PTHREAD_MUTEX_INITIALIZER } };
static struct box gs = { 4, PTHREAD_MUTEX_INITIALIZER };
static struct box *hb;
struct node { int v; struct node *next; };
static struct node *head;
static long ad = (long)&g3;
static int **pp = &gp;
static union { int n; unsigned char b[4]; } u;
static pthread_mutex_t locks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER, C = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t R, *mp = &A;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t bar;
static sem_t sem;
static void set(int *p, int v) { *p = v; }
static void copy(struct box *a, const struct box *b) { a->v = b->v; a->in = b->in; }
static void first(void) { g3 = g3 + 1; }
static void last(void) { pthread_mutex_lock(&C); pthread_mutex_unlock(&C); }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static struct in make(int k) { struct in in = { k }; return in; }
static int *choose(int c, int *a, int *b) { if (c) return a; return b; }
static int climb(int n, int *p) { if (n <= 0) return *p; *p += n; return climb(n - 1, p); }
static void push(int v) { struct node *n = malloc(sizeof *n); n->v = v; n->next = head; head = n; }
static int sum(void) { int s = 0; for (struct node *n = head; n; n = n->next) s += n->v; return s; }
static void probe(int c) { if (c) { pthread_mutex_lock(&C); pthread_mutex_unlock(&C); } }
struct cell { int v; int *to; void (*call)(int); struct cell *next; pthread_mutex_t *m; };
static struct cell *c0, *c1;
static void quiet(int c) { g2 += c & 1; }
static void (*const calls[2])(int) = { probe, quiet };
static void swap_pointers(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
static void swap_calls(void (**a)(int), void (**b)(int)) { void (*t)(int) = *a; *a = *b; *b = t; }

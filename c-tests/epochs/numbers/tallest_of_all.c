// Main waits until a surveyor has measured as many trees as an input says, and looks for the tallest then, in vectors with -O2. Which lane has the
// greater number decides nothing; that fewer trees are measured than there are, while main waits, decides whether somebody wakes it.
//
// run: enumerate -- @
// expect: complete=true deadlocked=0
// exec: 7
// stdout: 996
// exec: 0
// stdout: 0
// exec: 501
// exit: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 500

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_measured = PTHREAD_COND_INITIALIZER;
static int trees, next_tree, measured;
static long height[MOST];

static int take_tree(void)
{
    int tree = -1;
    pthread_mutex_lock(&list_lock);
    if (next_tree < trees)
        tree = next_tree++;
    pthread_mutex_unlock(&list_lock);
    return tree;
}

static void *survey(void *unused)
{
    for (int tree; (tree = take_tree()) >= 0;) {
        height[tree] = (tree * 332L) % 997;
        pthread_mutex_lock(&count_lock);
        measured++;
        if (measured == trees)
            pthread_cond_signal(&all_measured);
        pthread_mutex_unlock(&count_lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t surveyor;
    trees = argc > 1 ? atoi(argv[1]) : -1;
    if (trees < 0 || trees > MOST)
        return 2;
    if (pthread_create(&surveyor, NULL, survey, NULL) != 0)
        return 1;
    pthread_mutex_lock(&count_lock);
    while (measured < trees)
        pthread_cond_wait(&all_measured, &count_lock);
    pthread_mutex_unlock(&count_lock);
    long tallest = 0;
    for (int i = 0; i < trees; i++)
        if (height[i] > tallest)
            tallest = height[i];
    pthread_join(surveyor, NULL);
    printf("%ld\n", tallest);
    return 0;
}

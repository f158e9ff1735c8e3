// Two ploughmen share the furrows of a field, as many as an input says: the first one has the first half, the second one the other. Each ploughs his
// furrows once in each season, adds up how deep they are, under the field's lock, and waits at the field's barrier. The furrows are the
// first member of the field; the lock and the barrier stand behind them.
//
// By hand: no furrow has a number above 63, so nothing is ploughed that stands behind them, and both always meet at the barrier. Every season
// is the same for the schedules: whoever begins, and that there is another one or not.
// (Without ends of loops that inputs choose: 30 schedules at -O1, with 11 deadlocks that cannot happen.)
// run: enumerate -- @ @
// expect: complete=true deadlocked=0 epochs=2 schedules>=4
// exec: 11 3
// stdout: 33
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64

struct field {
    int furrows[MOST];
    pthread_mutex_t lock;
    pthread_barrier_t edge;
    int seasons, depth;
};

struct ploughman {
    struct field *field;
    int first, behind;
    pthread_t handle;
};

static void *plough(void *arg)
{
    struct ploughman *me = arg;
    struct field *field = me->field;
    for (int season = 0; season < field->seasons; season++) {
        int deeper = 0;
        for (int furrow = me->first; furrow < me->behind; furrow++) {
            field->furrows[furrow] += season;
            deeper += season;
        }
        pthread_mutex_lock(&field->lock);
        field->depth += deeper;
        pthread_mutex_unlock(&field->lock);
        pthread_barrier_wait(&field->edge);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int furrows = atoi(argv[1]);
    if (furrows < 0 || furrows > MOST)
        return 2;
    struct field *field = calloc(1, sizeof *field);
    if (!field)
        return 1;
    field->seasons = atoi(argv[2]);
    pthread_mutex_init(&field->lock, NULL);
    pthread_barrier_init(&field->edge, NULL, 2);
    struct ploughman men[2] = {{field, 0, furrows / 2, 0}, {field, furrows / 2, furrows, 0}};
    for (int i = 0; i < 2; i++)
        if (pthread_create(&men[i].handle, NULL, plough, &men[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(men[i].handle, NULL);
    printf("%d\n", field->depth);
    pthread_barrier_destroy(&field->edge);
    pthread_mutex_destroy(&field->lock);
    free(field);
    return 0;
}

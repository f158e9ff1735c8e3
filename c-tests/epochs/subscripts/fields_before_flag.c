// Two growers let a row of plants grow from one generation to the next, each its half, until a count that an input gives is reached. The
// two generations are an array of arrays in front of the flag that ends it, in one structure.
//
// By hand: no deadlock. The replaced loop writes to plants only: a subscript in a row stays in the row. (Without that, the flag might be
// anything after each generation, and one grower might leave and the other wait.)
// run: enumerate -- @
// expect: complete=true deadlocked=0 epochs=2
// exec: 3
// stdout: 3 generations
// exec: 1
// stdout: 1 generations
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLANTS = 16 };

struct field {
    unsigned char height[2][PLANTS];
    int is_over, generation, last;
    pthread_barrier_t grown;
};

struct grower {
    struct field *field;
    int number, from, to;
};

static void *grow(void *given) {
    struct grower *self = given;
    struct field *field = self->field;
    int now = 0;
    while (!field->is_over) {
        int tallest = 0;
        for (int plant = self->from; plant < self->to; plant++) {
            if (field->height[now][plant] > tallest) tallest = 1;
            field->height[!now][plant] = (unsigned char)tallest;
        }
        pthread_barrier_wait(&field->grown);
        if (self->number == 0) field->is_over = ++field->generation >= field->last;
        pthread_barrier_wait(&field->grown);
        now = !now;
    }
    return NULL;
}

int main(int argc, char **argv) {
    static struct field field;
    struct grower growers[] = {{&field, 0, 0, PLANTS / 2}, {&field, 1, PLANTS / 2, PLANTS}};
    pthread_t threads[2];
    if (argc != 2) return 2;
    field.last = atoi(argv[1]);
    field.height[0][3] = 1;
    pthread_barrier_init(&field.grown, NULL, 2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, grow, &growers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d generations\n", field.generation);
    return 0;
}

// Numbers are sorted by merging: at two levels one half is left to another thread, which may do the same, and each merge is counted
// under a lock. What the numbers are is an input, how many they are is not.
//
// By hand: 1 epoch, 1 schedule. The recursion has markers, but no input decides how it goes on, so threads pass them: 4 threads, 3
// creations and joins, and a lock for each merge. With markers that end epochs, the depth of the recursion is not known from the first
// epoch's end on: 873 schedules in half a minute, and no end.
// run: enumerate -- @ @
// expect: epochs=1 schedules=1 complete=true deadlocked=0
// exec: 5 3
// stdout: 0 1 2 3 3 4 5 5 7
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 8

static int number[NUMBERS], merged[NUMBERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int merges;

struct part {
    int first, end, levels;
};

static void merge(int first, int middle, int end) {
    int left = first, right = middle;
    for (int to = first; to < end; to++) {
        int from_left = right == end || (left < middle && number[left] <= number[right]);
        merged[to] = from_left ? number[left++] : number[right++];
    }
    memcpy(number + first, merged + first, (end - first) * sizeof *number);
}

static void *sort(void *of) {
    struct part *part = of;
    if (part->end - part->first < 2) return NULL;
    int middle = (part->first + part->end) / 2;
    struct part left = { part->first, middle, part->levels - 1 }, right = { middle, part->end, part->levels - 1 };
    if (part->levels > 0) {
        pthread_t helper;
        pthread_create(&helper, NULL, sort, &left);
        sort(&right);
        pthread_join(helper, NULL);
    } else {
        sort(&left);
        sort(&right);
    }
    merge(part->first, middle, part->end);
    pthread_mutex_lock(&lock);
    merges++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    for (int i = 0; i < NUMBERS; i++) number[i] = i + 1 < argc ? atoi(argv[i + 1]) : NUMBERS - 1 - i;
    struct part all = { 0, NUMBERS, 2 };
    sort(&all);
    for (int i = 0; i < NUMBERS; i++) printf("%d ", number[i]);
    printf("%d\n", merges);
    return 0;
}

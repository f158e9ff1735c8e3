// A loop that reads as many records as the file says, and ends the process at a wrong one. It synchronises nothing, so it is replaced
// by what it may do; numbered arguments of scanf take their places.
// run: enumerate -- @
// expect: complete=true epochs=1 schedules=1
// ends: exit
// ignore-native: needs a file
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    float price, rate;
    char kind;
};

static void *price(void *records)
{
    return records;
}

int main(int argc, char **argv)
{
    int n;
    FILE *f = fopen(argv[1], "r");
    if (!f || fscanf(f, "%i", &n) != 1 || n <= 0)
        return 1;
    struct record *records = malloc(n * sizeof *records);
    for (int i = 0; i < n; i++) {
        struct record *r = &records[i];
        if (fscanf(f, "%3$c %1$f %2$f", &r->price, &r->rate, &r->kind) != 3) {
            fclose(f);
            exit(1);
        }
    }
    pthread_t thread;
    pthread_create(&thread, NULL, price, records);
    pthread_join(thread, NULL);
    return 0;
}

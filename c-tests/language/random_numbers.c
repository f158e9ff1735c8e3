// rand and rand_r from a seed give glibc's sequences.
// exec: 1
// exec: 2024
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 7, own = seed;
    srand(seed);
    for (int i = 0; i < 5; i++)
        printf("%d %d\n", rand(), rand_r(&own));
    srandom(seed);
    printf("%ld\n", random());
    return 0;
}

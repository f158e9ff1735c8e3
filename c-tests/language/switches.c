// Switch: dense, sparse, negative, fall-through, ranges, over long and char.
// exec:
#include <limits.h>
#include <stdio.h>

static int dense(int n)
{
    switch (n) {
    case 0:
        return 10;
    case 1:
        return 21;
    case 2:
        return 32;
    case 3:
    case 4:
        return 43;
    case 5:
        n += 100;
        /* fall through */
    case 6:
        return n * 2;
    default:
        return -1;
    }
}

static const char *sparse(long n)
{
    switch (n) {
    case LONG_MIN:
        return "least";
    case -5:
        return "minus five";
    case 1000000000000L:
        return "big";
    case 7 ... 9:
        return "seven to nine";
    }
    return "other";
}

static int vowel(char c)
{
    switch (c) {
    case 'a': case 'e': case 'i': case 'o': case 'u':
        return 1;
    }
    return 0;
}

int main(void)
{
    long values[] = { LONG_MIN, -5, 1000000000000L, 7, 8, 9, 10, 0 };
    int vowels = 0;
    for (int i = -1; i < 8; i++)
        printf("%d ", dense(i));
    puts("");
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        printf("%s\n", sparse(values[i]));
    for (const char *c = "input-covering schedules"; *c; c++)
        vowels += vowel(*c);
    printf("%d\n", vowels);
    return 0;
}

// free of what C++'s new[] made.
// exec:
// error: invalid-free
// ignore-native: C has no operator new
#include <stdio.h>
#include <stdlib.h>

void *_Znam(size_t);

int main(void)
{
    char *p = _Znam(10);
    p[0] = 'x';
    putchar(p[0]);
    free(p); //~ invalid-free
    return 0;
}

// longjmp into a function that has returned.
// exec:
// error: bad-call
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;

static int mark(void)
{
    return setjmp(place);
}

int main(void)
{
    if (mark() == 0) longjmp(place, 1); //~ bad-call
    puts("not reached");
    return 0;
}

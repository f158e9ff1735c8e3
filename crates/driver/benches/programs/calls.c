// Recursive calls.
#include <stdio.h>
__attribute__((noinline)) static int fib(int n){return n<2?n:fib(n-1)+fib(n-2);}
int main(){printf("%d\n",fib(34));return 0;}

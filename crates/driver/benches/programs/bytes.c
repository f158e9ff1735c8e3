// Copies byte by byte through pointers.
#include <stdio.h>
static char a[4096],b[4096];
__attribute__((noinline)) static void cp(char*d,const char*s,int n){for(int i=0;i<n;i++)*d++=*s++;}
int main(){for(int i=0;i<4096;i++)a[i]=i;for(int r=0;r<4000;r++){cp(b,a,4096);a[r&4095]^=b[(r*7)&4095];}printf("%d\n",a[17]);return 0;}

// Integer arithmetic on registers.
#include <stdio.h>
int main(){unsigned x=1,s=0;for(unsigned i=0;i<100000000;i++){x=x*1664525u+1013904223u;s^=x>>(i&7);if(s&1)s+=i;}printf("%u\n",s);return 0;}

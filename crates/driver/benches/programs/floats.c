// Floating point on registers.
#include <stdio.h>
int main(){double x=0.5,s=0;for(int i=0;i<20000000;i++){x=3.9*x*(1-x);s+=x/(i+1);}printf("%.10f\n",s);return 0;}

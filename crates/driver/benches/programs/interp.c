// A loop around a switch: an interpreter.
#include <stdio.h>
int main(){static unsigned char p[]={0,1,2,3,4,0,3,1,2,5};long r[4]={0};int pc=0;long n=0;
while(n<30000000){switch(p[pc++]){case 0:r[0]+=1;break;case 1:r[1]+=r[0];break;case 2:r[2]^=r[1];break;case 3:r[3]+=r[2]&7;break;case 4:r[0]*=3;break;case 5:pc=0;break;}n++;}
printf("%ld\n",r[3]);return 0;}

// Bytes in a large array, strided.
#include <stdio.h>
#include <string.h>
static unsigned char c[1000000];
int main(){int n=0;for(int r=0;r<10;r++){n=0;memset(c,0,sizeof c);for(int i=2;i<1000000;i++){if(!c[i]){n++;for(int j=i+i;j<1000000;j+=i)c[j]=1;}}}printf("%d\n",n);return 0;}

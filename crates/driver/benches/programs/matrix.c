// Products of matrices of doubles.
#include <stdio.h>
enum{N=120};static double a[N][N],b[N][N],c[N][N];
int main(){for(int i=0;i<N;i++)for(int j=0;j<N;j++){a[i][j]=i+j;b[i][j]=i-j;}
for(int r=0;r<8;r++)for(int i=0;i<N;i++)for(int j=0;j<N;j++){double s=0;for(int k=0;k<N;k++)s+=a[i][k]*b[k][j];c[i][j]=s;}
printf("%f\n",c[N-1][N-1]);return 0;}

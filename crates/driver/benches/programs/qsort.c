// Swaps in an array of integers, calls and branches that are hard to predict.
#include <stdio.h>
static int a[200000];
static void qs(int*v,int l,int r){if(l>=r)return;int p=v[(l+r)/2],i=l,j=r;while(i<=j){while(v[i]<p)i++;while(v[j]>p)j--;if(i<=j){int t=v[i];v[i]=v[j];v[j]=t;i++;j--;}}qs(v,l,j);qs(v,i,r);}
int main(){unsigned x=1;for(int k=0;k<5;k++){for(int i=0;i<200000;i++){x=x*1103515245+12345;a[i]=x>>4;}qs(a,0,199999);}printf("%d\n",a[1000]);return 0;}

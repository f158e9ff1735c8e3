// A list of small heap objects.
#include <stdio.h>
#include <stdlib.h>
struct n{struct n*next;int v;};
int main(){struct n*h=0;for(int i=0;i<1000;i++){struct n*x=malloc(sizeof *x);x->next=h;x->v=i;h=x;}
long s=0;for(int r=0;r<20000;r++)for(struct n*p=h;p;p=p->next)s+=p->v;printf("%ld\n",s);return 0;}

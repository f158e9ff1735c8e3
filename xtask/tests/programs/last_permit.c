// Three take permits, of which there are two; the one without dereferences null.
// end: exits with status 0
// end: is ended by signal 11 at last_permit.c:13
#include <pthread.h>
#include <semaphore.h>
static sem_t permits;
static int *nothing;
static void *work(void *argument)
{
    if (sem_trywait(&permits) == 0)
        sem_post(&permits);
    else if (argument)
        *nothing = 1;
    return argument;
}
int main(void)
{
    pthread_t t[3];
    sem_init(&permits, 0, 2);
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}

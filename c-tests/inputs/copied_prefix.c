// A name is copied from the command line to a field that is longer than the argument. Who is called "x" takes a lock.
//
// By hand: two schedules, and nothing is read behind the argument, which ends at its NUL: the rest of the field is filled with others.
// (It was read on, since whether the name had ended before was not known.)
// run: enumerate -- @
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// ends: exit exit
// exec: x
// stdout: x takes it
// exec: another
// stdout: another
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[40];
    int takes_it;
} person;

static void *ask(void *unused) {
    if (person.name[0] == 'x' && person.name[1] == '\0' && person.name[39] == '\0') {
        pthread_mutex_lock(&lock);
        person.takes_it = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc != 2) return 2;
    strncpy(person.name, argv[1], sizeof person.name);
    pthread_create(&thread, NULL, ask, NULL);
    pthread_join(thread, NULL);
    printf(person.takes_it ? "%s takes it\n" : "%s\n", person.name);
    return 0;
}

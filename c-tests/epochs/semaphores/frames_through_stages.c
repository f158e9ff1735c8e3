// Three stages with a semaphore each, in one array, which count the frames that a stage may work on. The first stage's begins with all of
// them, so it never waits, whatever the others do: what is left of its semaphore and its frames are all frames together, also where another stage, of
// which it is not known which one it is, posts the next one. The next stage waits for ever if one drops a frame and does not say so.
//
// Usage: frames_through_stages FRAMES STAGE FRAME
//
// levels: O0
// run: enumerate -- @ @ @
// expect: complete=true deadlocked=10 max_live_threads=4
// run: enumerate -- @ -1 @
// expect: complete=true deadlocked=0
// exec: 5 -1 0
// stdout: 5 5 5
// exec: 5 2 3
// stdout: 5 5 4
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define STAGES 3

struct stage {
    pthread_t thread;
    int number, worked;
};

static sem_t ready[STAGES];
static int frames, dropping, dropped;

static void *work(void *arg) {
    struct stage *stage = arg;
    for (int frame = 0; frame < frames; frame++) {
        sem_wait(&ready[stage->number]);
        if (stage->number == dropping && frame == dropped) continue;
        stage->worked++;
        if (stage->number + 1 < STAGES) sem_post(&ready[stage->number + 1]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct stage stages[STAGES];
    if (argc != 4) return 2;
    frames = atoi(argv[1]);
    dropping = atoi(argv[2]);
    dropped = atoi(argv[3]);
    if (frames < 0 || frames > 500) return 2;
    for (int i = 0; i < STAGES; i++) {
        stages[i].number = i;
        stages[i].worked = 0;
        sem_init(&ready[i], 0, i == 0 ? frames : 0);
    }
    for (int i = 0; i < STAGES; i++) pthread_create(&stages[i].thread, NULL, work, &stages[i]);
    for (int i = 0; i < STAGES; i++) pthread_join(stages[i].thread, NULL);
    printf("%d %d %d\n", stages[0].worked, stages[1].worked, stages[2].worked);
    return 0;
}

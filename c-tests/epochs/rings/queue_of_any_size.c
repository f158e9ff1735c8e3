// The queue of bounded_queue.c, as many slots and items as the inputs say: what is derived by hand there, without optimisation.
// levels: O0
// run: enumerate -- @ @
// expect: epochs=2 schedules=3 complete=true deadlocked=0
// exec: 1 3
// stdout: 3 items, sum 6
#include "bounded_queue.c"

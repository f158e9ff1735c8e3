// The queue of bounded_queue.c, as many slots and items as the inputs say, optimised: markers are behind the conditions of both loops.
//
// By hand: the entry ends with the producer in front of its first item, or it has put in -1 and waits for the consumer, which has not begun,
// so there are 2 schedules. In front of an item the ring is empty: the producer puts it in, and the consumer takes it; or it was the last
// one, and -1 follows, for which the producer waits if there is one slot only: 3. When the producer waits for the consumer, -1 is the only
// item, so the consumer takes it, and ends: 1. That the slot at the consumer's index is the one that was written last follows from how many
// items there are only if it is known how far the two indices are apart, as far as counted, or the size of the ring less. It has 8
// schedules, one of them a deadlock, without that.
// levels: O1 O2
// run: enumerate -- @ @
// expect: epochs=3 schedules>=6 complete=true deadlocked=0
// exec: 1 3
// stdout: 3 items, sum 6
#include "bounded_queue.c"

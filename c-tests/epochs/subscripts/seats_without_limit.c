// A hall that main makes: two tables of seats, then a door, which is open from the beginning. How many seats are looked at is an input that
// nobody limits.
//
// By hand: two schedules, the light is switched on or not, and no deadlock. With more seats than there are, the program does what C leaves
// undefined; with others, the door stays open. (Optimised code does not say any more of what array an element is.)
// levels: O0
// run: enumerate -- @ @
// expect: complete=true schedules=2 deadlocked=0
// exec: 5 1024
// stdout: open
// exec: 127 1024
// stdout: open, with light
#define SEATS_ARE_INPUT 1
#include "door_behind_seats.c"

// A call that must not be reached is a failing assertion, for the input 42 alone.
// run: enumerate
// expect: epochs=1 schedules=2 complete=true deadlocked=0
// ends: exit abort
// constraint: x == 42
// variants: -DFAIL=reach_error(), -DFAIL=__VERIFIER_error(), -DFAIL=__VERIFIER_assert(x!=42)
// levels: O0 O2
// exec:
// exit: 0
// ignore-native: nobody defines the functions of the suites
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void __VERIFIER_error(void);
extern void __VERIFIER_assert(int condition);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x == 42)
        FAIL;
    return 0;
}

// What needs another process is refused by name, with the reason and what to do.
// exec:
// exit: 2
// stderr: popen has neither a definition nor a model (there is one process only)
// stderr: --extern popen=havoc
// ignore-native: it would start a process
#include <stdio.h>

int main(void)
{
    FILE *f = popen("true", "r");
    return f ? pclose(f) : 1;
}

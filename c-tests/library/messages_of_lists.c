// The functions that report errors, with a list of arguments that are partly in memory.
// exec:
// stderr: one 1 2 3 4 5 6 seven
// stderr: two 1 2 3 4 5 6 seven: Success
// stderr: three 1 2 3 4 5 6 seven
// exit: 3
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <syslog.h>

static void say(int how, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    errno = 0;
    switch (how) {
    case 0: vwarnx(format, list); break;
    case 1: vwarn(format, list); break;
    case 2: vsyslog(LOG_INFO, format, list); break;
    default: verrx(3, format, list);
    }
    va_end(list);
}

int main(void)
{
    const char *format = "%s %d %d %d %d %d %d %s";
    say(0, format, "one", 1, 2, 3, 4, 5, 6, "seven");
    say(1, format, "two", 1, 2, 3, 4, 5, 6, "seven");
    say(2, format, "not shown", 1, 2, 3, 4, 5, 6, "seven");
    say(3, format, "three", 1, 2, 3, 4, 5, 6, "seven");
}

// Of fnmatch, a dot that begins a part of a path is matched by a dot only, also behind a star for an earlier part.
// exec:
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdio.h>

static const char *const patterns[] = { "*/*", "*/?b", "*/[.]b", "*/.b", "a/*", "*", "*b", "*/b", "\\", "a\\", "*\\", "[!a]*", "**/b" };
static const char *const names[] = { "a/.b", ".b", "a/b", "a.b", "\\", "a", ".", "", "a/./b", "/.b" };
static const int flags[] = { 0, FNM_PATHNAME, FNM_PERIOD, FNM_PATHNAME | FNM_PERIOD, FNM_NOESCAPE, FNM_LEADING_DIR | FNM_PATHNAME };

int main(void)
{
    for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
            for (unsigned f = 0; f < sizeof flags / sizeof *flags; f++)
                putchar('0' + fnmatch(patterns[p], names[n], flags[f]));
            putchar(' ');
        }
        puts(patterns[p]);
    }
    return 0;
}

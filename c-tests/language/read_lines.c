// Lines from standard input: fgets, getchar, end of file.
// exec:
// stdin: first line
// stdin: second
// exec:
// exit: 1
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[32];
    int lines = 0, letters = 0, c;
    if (!fgets(line, sizeof line, stdin)) {
        puts("empty");
        return 1;
    }
    line[strcspn(line, "\n")] = '\0';
    printf("[%s]\n", line);
    while ((c = getchar()) != EOF) {
        lines += c == '\n';
        letters += c != '\n';
    }
    printf("%d %d %d\n", lines, letters, feof(stdin) != 0);
    return 0;
}

// string.h and ctype.h.
// exec: Hello,World
// exec: x
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *s = argc > 1 ? argv[1] : "";
    char buffer[64], *copy = strdup(s);
    size_t n = strlen(s);
    for (char *c = copy; *c; c++)
        *c = (char)(isupper((unsigned char)*c) ? tolower((unsigned char)*c) : toupper((unsigned char)*c));
    strcpy(buffer, "<");
    strcat(buffer, copy);
    strncat(buffer, ">>>", 1);
    printf("%zu %s %s\n", n, copy, buffer);
    printf("%d %d %d\n", strcmp(s, "Hello") > 0, strncmp(s, "Hello", 5) == 0, strcasecmp(s, copy));
    const char *comma = strchr(s, ',');
    printf("%s %s\n", comma ? comma + 1 : "-", strstr(s, "Wor") ? "Wor" : "-");
    printf("%s\n", strrchr(s, 'l') ? strrchr(s, 'l') : "-");
    printf("%zu %zu\n", strspn(s, "Helo"), strcspn(s, ",x"));
    char words[] = "one two,three";
    for (char *w = strtok(words, " ,"); w; w = strtok(NULL, " ,"))
        printf("[%s]", w);
    puts("");
    memset(buffer, '.', 10);
    memmove(buffer + 2, buffer, 5);
    memcpy(buffer, "AB", 2);
    buffer[10] = '\0';
    printf("%s %d %d\n", buffer, memcmp("ab", "ac", 2) < 0, memchr("abc", 'c', 3) != NULL);
    printf("%d %d %d\n", isdigit('7') != 0, isspace('\t') != 0, isalnum('_') != 0);
    free(copy);
    return 0;
}

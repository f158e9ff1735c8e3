/* Memory that a model hands over to the program, or that the program hands over to a model (`strdup`, `getline`,
   `%ms`): the program frees it, so it comes of the program's own `malloc` if there is one. Everything else that models
   need comes of theirs. */
#ifndef ICS_MEMORY_H
#define ICS_MEMORY_H

#include <stdlib.h>

/* The program's functions of these names; null where it has none. */
void *ics_program_malloc(size_t size) __attribute__((weak));
void *ics_program_calloc(size_t n, size_t size) __attribute__((weak));
void *ics_program_realloc(void *p, size_t size) __attribute__((weak));
void ics_program_free(void *p) __attribute__((weak));

#define ics_shared_malloc(size) (ics_program_malloc ? ics_program_malloc(size) : malloc(size))
#define ics_shared_calloc(n, size) (ics_program_calloc ? ics_program_calloc(n, size) : calloc(n, size))
#define ics_shared_realloc(p, size) (ics_program_realloc ? ics_program_realloc(p, size) : realloc(p, size))
#define ics_shared_free(p) (ics_program_free ? ics_program_free(p) : free(p))

/* A copy of the first bytes of a text, in memory that only models see. */
char *ics_text(const char *s, size_t length);

#endif

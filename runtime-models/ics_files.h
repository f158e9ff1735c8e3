/* What a descriptor is in the symbolic domain (files.c), and streams over them (stdio_symbolic.c). */
#ifndef ICS_FILES_H
#define ICS_FILES_H

#include "ics.h"

#include <stdio.h>

#define ICS_MAX_FILES 256

enum ics_file_kind {
    ICS_CLOSED,
    ICS_SYMBOLIC_FILE, /* --sym-file or --sym-stdin: its bytes are known by name, its size is a constant */
    ICS_INPUT_FILE,    /* every read is an input by itself; writes go nowhere */
};

struct ics_file {
    enum ics_file_kind kind;
    int pushed_back;       /* ungetc: 1 + the byte, 0 if none */
    const char *content;   /* of a symbolic file: `size` bytes */
    long size;
    long offset;           /* may be symbolic, within 0..size */
};

/* The file behind a descriptor, or null with EBADF. Symbolic domain only. */
struct ics_file *ics_file(int fd);
/* Copies up to n bytes from the file's offset without branching on it; the count. */
size_t ics_file_read(struct ics_file *f, void *to, size_t n);

size_t ics_symbolic_write(FILE *f, const char *p, size_t n);
int ics_symbolic_getc(FILE *f);
void ics_symbolic_ungetc(FILE *f, int c);
/* fgets and the line part of getline: at most n bytes and a NUL; null at the end of the file. */
char *ics_symbolic_line(FILE *f, char *to, size_t n);
size_t ics_symbolic_fread(FILE *f, void *to, size_t n);

#endif

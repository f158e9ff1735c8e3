/* Users and groups, from /etc/passwd and /etc/group in the concrete domain; in the symbolic domain a name or number is
 * unknown or has an entry of which everything is an input. */
#include "ics.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 1024, MEMBERS = 64 };

static char *field(char **rest) {
    char *start = strsep(rest, ":");
    return start ? start : "";
}

/* One user out of a line of the file; 0 if it is none. */
static int parse_user(char *line, struct passwd *p) {
    char *rest = line;
    line[strcspn(line, "\n")] = 0;
    p->pw_name = field(&rest);
    p->pw_passwd = field(&rest);
    if (!rest || !*p->pw_name) return 0;
    p->pw_uid = (uid_t)strtoul(field(&rest), 0, 10);
    p->pw_gid = (gid_t)strtoul(field(&rest), 0, 10);
    p->pw_gecos = field(&rest);
    p->pw_dir = field(&rest);
    p->pw_shell = field(&rest);
    return 1;
}

static int parse_group(char *line, struct group *g, char **members) {
    char *rest = line;
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    g->gr_name = field(&rest);
    g->gr_passwd = field(&rest);
    if (!rest || !*g->gr_name) return 0;
    g->gr_gid = (gid_t)strtoul(field(&rest), 0, 10);
    g->gr_mem = members;
    for (char *name = 0; n < MEMBERS - 1 && (name = strsep(&rest, ","));)
        if (*name) members[n++] = name;
    members[n] = 0;
    return 1;
}

static void input_text(char **to, char *buffer, size_t n, const char *name) {
    __ics_input_bytes(buffer, n, name);
    buffer[n - 1] = 0;
    *to = buffer;
}

/* 1 if found, 0 if not. */
static int input_user(struct passwd *p, char *buffer, size_t size) {
    if (size < 320 || !(__ics_input("getpw", 1) & 1)) return 0;
    input_text(&p->pw_name, buffer, 32, "getpw.name");
    input_text(&p->pw_passwd, buffer + 32, 16, "getpw.passwd");
    input_text(&p->pw_gecos, buffer + 48, 64, "getpw.gecos");
    input_text(&p->pw_dir, buffer + 112, 128, "getpw.dir");
    input_text(&p->pw_shell, buffer + 240, 64, "getpw.shell");
    p->pw_uid = (uid_t)__ics_input("getpw.uid", 32);
    p->pw_gid = (gid_t)__ics_input("getpw.gid", 32);
    return 1;
}

static int input_group(struct group *g, char *buffer, size_t size, char **members) {
    if (size < 48 || !(__ics_input("getgr", 1) & 1)) return 0;
    input_text(&g->gr_name, buffer, 32, "getgr.name");
    input_text(&g->gr_passwd, buffer + 32, 16, "getgr.passwd");
    g->gr_gid = (gid_t)__ics_input("getgr.gid", 32);
    members[0] = 0;
    g->gr_mem = members;
    return 1;
}

static int find_user(const char *name, uid_t uid, struct passwd *p, char *buffer, size_t size) {
    if (__ics_is_symbolic_domain()) return input_user(p, buffer, size);
    FILE *f = fopen("/etc/passwd", "r");
    int found = 0;
    while (f && !found && fgets(buffer, (int)size, f))
        found = parse_user(buffer, p) && (name ? strcmp(name, p->pw_name) == 0 : p->pw_uid == uid);
    if (f) fclose(f);
    return found;
}

static int find_group(const char *name, gid_t gid, struct group *g, char *buffer, size_t size, char **members) {
    if (__ics_is_symbolic_domain()) return input_group(g, buffer, size, members);
    FILE *f = fopen("/etc/group", "r");
    int found = 0;
    while (f && !found && fgets(buffer, (int)size, f))
        found = parse_group(buffer, g, members) && (name ? strcmp(name, g->gr_name) == 0 : g->gr_gid == gid);
    if (f) fclose(f);
    return found;
}

/* Each function has a place of its own for what it returns. */
struct user {
    struct passwd entry;
    char line[LINE];
};

struct group_and_members {
    struct group entry;
    char line[LINE], *members[MEMBERS];
};

struct passwd *getpwnam(const char *name) {
    static struct user u;
    return find_user(name, 0, &u.entry, u.line, LINE) ? &u.entry : 0;
}

struct passwd *getpwuid(uid_t uid) {
    static struct user u;
    return find_user(0, uid, &u.entry, u.line, LINE) ? &u.entry : 0;
}

struct group *getgrnam(const char *name) {
    static struct group_and_members g;
    return find_group(name, 0, &g.entry, g.line, LINE, g.members) ? &g.entry : 0;
}

struct group *getgrgid(gid_t gid) {
    static struct group_and_members g;
    return find_group(0, gid, &g.entry, g.line, LINE, g.members) ? &g.entry : 0;
}

int getpwnam_r(const char *name, struct passwd *p, char *buffer, size_t size, struct passwd **result) {
    *result = find_user(name, 0, p, buffer, size) ? p : 0;
    return 0;
}

int getpwuid_r(uid_t uid, struct passwd *p, char *buffer, size_t size, struct passwd **result) {
    *result = find_user(0, uid, p, buffer, size) ? p : 0;
    return 0;
}

/* The list of members lies behind the texts, aligned. */
static int group_into(const char *name, gid_t gid, struct group *g, char *buffer, size_t size, struct group **result) {
    size_t list = MEMBERS * sizeof(char *) + sizeof(char *);
    *result = 0;
    if (size < list + 64) return ERANGE;
    size_t start = (size - list) + (sizeof(char *) - (uintptr_t)(buffer + size - list) % sizeof(char *));
    if (find_group(name, gid, g, buffer, size - list, (char **)(buffer + start))) *result = g;
    return 0;
}

int getgrnam_r(const char *name, struct group *g, char *buffer, size_t size, struct group **result) {
    return group_into(name, 0, g, buffer, size, result);
}

int getgrgid_r(gid_t gid, struct group *g, char *buffer, size_t size, struct group **result) {
    return group_into(0, gid, g, buffer, size, result);
}

static FILE *users;

void setpwent(void) {
    if (users) rewind(users);
}

void endpwent(void) {
    if (users) fclose(users);
    users = 0;
}

struct passwd *getpwent(void) {
    static struct user u;
    if (__ics_is_symbolic_domain()) return input_user(&u.entry, u.line, LINE) ? &u.entry : 0;
    if (!users) users = fopen("/etc/passwd", "r");
    while (users && fgets(u.line, LINE, users))
        if (parse_user(u.line, &u.entry)) return &u.entry;
    return 0;
}

char *getlogin(void) {
    struct passwd *p = getpwuid(getuid());
    return p ? p->pw_name : 0;
}

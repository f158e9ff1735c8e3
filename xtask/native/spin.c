/* Threads that go round. A thread that comes to the same operation with the same stack and registers, and with all memory it
 * has touched as before, will go round as long as nobody changes what it has read. So it is left alone until then.
 * Cycles are found with a remembered point that moves on at powers of two (Brent 1980). */
#include "explorer.h"

#include <string.h>

/* Words of four bytes that a cycle may touch; one with more is not found. */
#define MOST_WORDS 1024
#define SLOTS (4 * MOST_WORDS)
/* Bytes of stack that are compared. */
#define LONGEST_STACK (64 << 10)

struct cycle {
    uint64_t remembered;
    unsigned length, power;
    bool none;       /* there can be none from the remembered point on */
    bool spinning;
    unsigned count;
    struct { uint64_t word; uint32_t value; } slots[SLOTS];
    unsigned used[MOST_WORDS];
};
static struct cycle cycles[MOST_THREADS];

static void clear(struct cycle *c) {
    for (unsigned i = 0; i < c->count; i++) c->slots[c->used[i]].word = 0;
    c->count = 0;
    c->length = 0;
    c->none = false;
}

static unsigned slot_of(const struct cycle *c, uint64_t word) {
    unsigned slot = (unsigned)(word * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    while (c->slots[slot].word && c->slots[slot].word != word) slot = (slot + 1) % SLOTS;
    return slot;
}

static uint32_t value_at(uint64_t word) {
    return *(volatile uint32_t *)(word << 2);
}

void cycle_touch(const void *address, size_t bytes) {
    struct cycle *c = &cycles[self->number];
    uint64_t first = (uint64_t)address >> 2, last = ((uint64_t)address + bytes - 1) >> 2;
    if (c->none || bytes == 0) return;
    if (last - first >= MOST_WORDS) {
        c->none = true;
        return;
    }
    for (uint64_t word = first; word <= last; word++) {
        unsigned slot = slot_of(c, word);
        if (c->slots[slot].word) continue;
        if (c->count == MOST_WORDS) {
            c->none = true;
            return;
        }
        c->slots[slot].word = word;
        c->slots[slot].value = value_at(word);
        c->used[c->count++] = slot;
    }
}

/* Whether a word is of calls that have returned. */
static bool is_dead(const struct thread *t, uint64_t word) {
    const char *address = (const char *)(word << 2);
    return address < t->stack && address > t->stack - LONGEST_STACK;
}

static bool is_as_before(const struct thread *t, const struct cycle *c) {
    for (unsigned i = 0; i < c->count; i++) {
        uint64_t word = c->slots[c->used[i]].word;
        if (!is_dead(t, word) && value_at(word) != c->slots[c->used[i]].value) return false;
    }
    return true;
}

/* FNV-1a over words: all that the thread knows but memory outside of its stack. 0 if it is too much. */
static uint64_t state_of(const struct thread *t) {
    if (!t->stack || t->base - t->stack > LONGEST_STACK) return 0;
    uint64_t hash = 0xcbf29ce484222325ull ^ t->op.id;
    for (const uint64_t *p = (const uint64_t *)t->stack; (const char *)(p + 1) <= t->base; p++)
        hash = (hash ^ *p) * 0x100000001b3ull ^ hash >> 29;
    hash = (hash ^ (uint64_t)t->op.object) * 0x100000001b3ull;
    return (hash ^ (uint64_t)t->op.caller) | 1;
}

void look_for_cycle(struct thread *t) {
    struct cycle *c = &cycles[t->number];
    uint64_t state = state_of(t);
    c->length++;
    if (state && state == c->remembered && !c->none && is_as_before(t, c)) {
        c->spinning = true;
        return;
    }
    c->spinning = false;
    if (c->length < c->power) return;
    c->power = c->power < 4096 ? 2 * c->power + 1 : 1;
    c->remembered = state;
    clear(c);
}

void not_in_a_cycle(struct thread *t) {
    struct cycle *c = &cycles[t->number];
    c->none = true;
    c->power = c->length;
    c->spinning = false;
}

void loops_for_ever(struct thread *t) {
    struct cycle *c = &cycles[t->number];
    for (unsigned i = 0; i < c->count; i++) c->slots[c->used[i]].value = value_at(c->slots[c->used[i]].word);
    c->spinning = true;
}

/* Whether another thread waits for something that this one uses while it goes round. */
static bool is_waited_for(const struct thread *t, const struct cycle *c) {
    for (unsigned i = 0; i < thread_count; i++) {
        const struct thread *other = &threads[i];
        if (other == t || other->life != ALIVE || !is_blocked(other)) continue;
        if (c->slots[slot_of(c, (uint64_t)other->op.object >> 2)].word) return true;
        if (other->op.second && c->slots[slot_of(c, (uint64_t)other->op.second >> 2)].word) return true;
    }
    return false;
}

bool goes_round(const struct thread *t) {
    const struct cycle *c = &cycles[t->number];
    if (!c->spinning || !is_as_before(t, c)) return false;
    return kind_of(t->op.id) == ENDLESS || !is_waited_for(t, c);
}

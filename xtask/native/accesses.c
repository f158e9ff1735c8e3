/* What a step touches, in words of four bytes, and which choices sleep (Godefroid 1996): those that were explored before and
 * with which no step since has anything to do. */
#include "explorer.h"

#include <string.h>

/* Words that one step may touch before it counts as touching everything. */
#define MOST_WORDS 4096
#define SLOTS (4 * MOST_WORDS)

static struct { uint64_t word; unsigned flags; } slots[SLOTS];
static unsigned used[MOST_WORDS], used_count;
static bool everything;

static unsigned slot_of(uint64_t word) {
    unsigned slot = (unsigned)(word * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    while (slots[slot].word && slots[slot].word != word) slot = (slot + 1) % SLOTS;
    return slot;
}

static void touch_word(uint64_t word, unsigned flags) {
    unsigned slot = slot_of(word);
    if (slots[slot].word) {
        slots[slot].flags |= flags;
        /* A word that is accessed plainly, too, is not only synchronised on. */
        if (!(flags & SYNCS)) slots[slot].flags &= ~(unsigned)(SYNCS | POSTS);
        return;
    }
    if (used_count == MOST_WORDS) {
        everything = true;
        return;
    }
    slots[slot].word = word;
    slots[slot].flags = flags;
    used[used_count++] = slot;
}

void touch(const void *address, size_t bytes, unsigned flags) {
    uint64_t first = (uint64_t)address >> 2, last = ((uint64_t)address + bytes - 1) >> 2;
    if (bytes == 0 || everything) return;
    if (last - first >= MOST_WORDS) {
        everything = true;
        return;
    }
    for (uint64_t word = first; word <= last; word++) touch_word(word, flags);
}

/* --- operations --- */

static unsigned one(uint64_t *out, const void *object, unsigned flags) {
    *out = (uint64_t)object >> 2 << 3 | flags;
    return 1;
}

static unsigned words(uint64_t *out, const void *object, int size, unsigned flags) {
    unsigned count = 0;
    for (int at = 0; at < size && at < 32; at += 4) count += one(out + count, (const char *)object + at, flags);
    return count;
}

static unsigned of_wake(const struct thread *t, unsigned variant, uint64_t *out) {
    unsigned count = one(out, &t->signalled, variant == AS_USUAL ? SYNCS : SYNCS | WRITES);
    if (variant != TIMED_OUT) count += one(out + count, t->op.second, SYNCS | WRITES);
    if (variant != AS_USUAL) count += one(out + count, t->op.object, SYNCS | WRITES);
    return count;
}

static unsigned of_signal(const struct thread *t, unsigned variant, uint64_t *out) {
    unsigned count = one(out, t->op.object, SYNCS | WRITES);
    bool all = kind_of(t->op.id) == BROADCAST;
    for (unsigned i = 0; i < thread_count; i++) {
        bool woken = all ? threads[i].cond == t->op.object && !threads[i].signalled : variant == FIRST_WAITER + i;
        if (woken) count += one(out + count, &threads[i].signalled, SYNCS | WRITES);
    }
    return count;
}

/* At most MOST_VARIANTS + 8 words. */
unsigned accesses_of(const struct thread *t, unsigned variant, uint64_t *out) {
    const struct op *op = &t->op;
    unsigned cancel = variant == CANCELLED ? one(out, &t->cancel_pending, SYNCS) : 0;
    out += cancel;
    switch (kind_of(op->id)) {
    case CREATE: case PROCESS_EXIT: case ABORT: case ENDLESS: case YIELD: return 0;
    case WAIT: return one(out, op->object, SYNCS | WRITES) + one(out + 1, op->second, SYNCS | WRITES);
    case WAKE: return cancel + of_wake(t, variant, out);
    case SIGNAL: case BROADCAST: return of_signal(t, variant, out);
    case CANCEL:
        return one(out, op->object, SYNCS | WRITES)
            + one(out + 1, &((const struct thread *)op->object)->cancel_pending, SYNCS | WRITES);
    case TESTCANCEL: return one(out, op->object, SYNCS);
    case SEM_POST: return one(out, op->object, SYNCS | WRITES | POSTS);
    case LEAVE: case RDLOCK: case TRYRDLOCK: return cancel + one(out, op->object, SYNCS);
    case RWUNLOCK: return one(out, op->object, closed_to_readers(op->object) ? SYNCS | WRITES : SYNCS);
    case LOAD: return words(out, op->object, op->size, SYNCS);
    case STORE: case UPDATE: return words(out, op->object, op->size, SYNCS | WRITES);
    case VOLATILE_READ: return words(out, op->object, op->size, 0);
    case VOLATILE_WRITE: return words(out, op->object, op->size, WRITES);
    default: return cancel + one(out, op->object, SYNCS | WRITES);
    }
}

/* --- choices that sleep --- */

#define MOST_ASLEEP 512

static struct asleep { uint64_t thread, variant, count; const uint64_t *words; bool awake; } asleep[MOST_ASLEEP];
static unsigned asleep_count;
extern struct thread *current;
static bool in_step;

/* Entries are a thread, a variant, a number of words and these words; ~0 in place of the number is everything. */
void put_to_sleep(const uint64_t *entries, size_t length) {
    for (size_t at = 0; at + 3 <= length && asleep_count < MOST_ASLEEP;) {
        uint64_t count = entries[at + 2];
        asleep[asleep_count++] = (struct asleep){entries[at], entries[at + 1], count, entries + at + 3, false};
        at += 3 + (count == ~0ull ? 0 : count);
    }
}

bool sleeps(const struct thread *t, unsigned variant) {
    for (unsigned i = 0; i < asleep_count; i++)
        if (!asleep[i].awake && asleep[i].thread == t->number && asleep[i].variant == variant) return true;
    return false;
}

static bool conflict(unsigned a, unsigned b) {
    return ((a | b) & WRITES) && !(a & b & POSTS);
}

static bool conflicts(const struct asleep *entry) {
    if (entry->count == ~0ull || everything) return true;
    for (uint64_t i = 0; i < entry->count; i++) {
        unsigned slot = slot_of(entry->words[i] >> 3);
        if (slots[slot].word && conflict(slots[slot].flags, entry->words[i] & 7)) return true;
    }
    return false;
}

static void wake_up(void) {
    for (unsigned i = 0; i < asleep_count; i++)
        if (!asleep[i].awake) asleep[i].awake = asleep[i].thread == current->number || conflicts(&asleep[i]);
}

/* --- steps --- */

void begin_step(void) {
    for (unsigned i = 0; i < used_count; i++) slots[used[i]].word = 0;
    used_count = 0;
    everything = false;
    in_step = true;
}

void end_step(void) {
    if (!in_step) return;
    in_step = false;
    wake_up();
    put(TAG_ACCESSES);
    put(everything ? ~0ull : used_count);
    for (unsigned i = 0; !everything && i < used_count; i++) put(slots[used[i]].word << 3 | slots[used[i]].flags);
}

/* The exception classes of the standard library and the description of types that `throw` and dynamic_cast look at.
 * Nobody sees an exception, so making one does nothing. The names are those of the Itanium C++ ABI. */
#include "ics.h"

#include "library.h"

/* The tables of std::type_info for classes without bases, with one, and with several; only their addresses count. */
const void *const _ZTVN10__cxxabiv117__class_type_infoE[4] = {0};
const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[4] = {0};
const void *const _ZTVN10__cxxabiv121__vmi_class_type_infoE[4] = {0};
const void *const _ZTVN10__cxxabiv123__fundamental_type_infoE[4] = {0};
const void *const _ZTVN10__cxxabiv119__pointer_type_infoE[4] = {0};

/* What the names of types say of fundamental ones. */
#define FUNDAMENTAL(code)                                                                                              \
    const char _ZTS##code[] = #code, _ZTSP##code[] = "P" #code, _ZTSPK##code[] = "PK" #code;                           \
    const struct ics_type _ZTI##code = {&_ZTVN10__cxxabiv123__fundamental_type_infoE[2], _ZTS##code};                  \
    const struct ics_type _ZTIP##code = {&_ZTVN10__cxxabiv119__pointer_type_infoE[2], _ZTSP##code};                    \
    const struct ics_type _ZTIPK##code = {&_ZTVN10__cxxabiv119__pointer_type_infoE[2], _ZTSPK##code};
FUNDAMENTAL(v)
FUNDAMENTAL(b)
FUNDAMENTAL(c)
FUNDAMENTAL(i)
FUNDAMENTAL(j)
FUNDAMENTAL(l)
FUNDAMENTAL(m)
FUNDAMENTAL(f)
FUNDAMENTAL(d)

#define CLASS(code)                                                                                                    \
    const char _ZTS##code[] = #code;                                                                                   \
    const struct ics_type _ZTI##code = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTS##code};

#define DERIVED(code, parent)                                                                                          \
    const char _ZTS##code[] = #code;                                                                                   \
    const struct ics_derived_type _ZTI##code = {                                                                       \
        {&_ZTVN10__cxxabiv120__si_class_type_infoE[2], _ZTS##code}, (const struct ics_type *)&_ZTI##parent};

CLASS(St9exception)
DERIVED(St9bad_alloc, St9exception)
DERIVED(St20bad_array_new_length, St9bad_alloc)
DERIVED(St8bad_cast, St9exception)
DERIVED(St10bad_typeid, St9exception)
DERIVED(St13bad_exception, St9exception)
DERIVED(St17bad_function_call, St9exception)
DERIVED(St11logic_error, St9exception)
DERIVED(St12domain_error, St11logic_error)
DERIVED(St16invalid_argument, St11logic_error)
DERIVED(St12length_error, St11logic_error)
DERIVED(St12out_of_range, St11logic_error)
DERIVED(St12future_error, St11logic_error)
DERIVED(St13runtime_error, St9exception)
DERIVED(St11range_error, St13runtime_error)
DERIVED(St14overflow_error, St13runtime_error)
DERIVED(St15underflow_error, St13runtime_error)
DERIVED(St12system_error, St13runtime_error)
CLASS(N10__cxxabiv115__forced_unwindE)

/* Constructors from text, from a string and from another one, and destructors. Those of derived classes call these of a
 * part of an object. */
#define MEMBERS(code)                                                                                                  \
    void _ZN##code##C1EPKc(void *self, const char *what) {}                                                            \
    void _ZN##code##C2EPKc(void *self, const char *what) {}                                                            \
    void _ZN##code##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *self, const void *what) {}         \
    void _ZN##code##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *self, const void *what) {}         \
    void _ZN##code##D1Ev(void *self) {}                                                                                \
    void _ZN##code##D2Ev(void *self) {}
MEMBERS(St11logic_error)
MEMBERS(St12domain_error)
MEMBERS(St16invalid_argument)
MEMBERS(St12length_error)
MEMBERS(St12out_of_range)
MEMBERS(St13runtime_error)
MEMBERS(St11range_error)
MEMBERS(St14overflow_error)
MEMBERS(St15underflow_error)

#define COPIES(code)                                                                                                   \
    void _ZN##code##C1ERKS_(void *self, const void *other) {}                                                          \
    void _ZN##code##C2ERKS_(void *self, const void *other) {}
COPIES(St11logic_error)
COPIES(St13runtime_error)

#define DESTRUCTORS(code)                                                                                              \
    void _ZN##code##D1Ev(void *self) {}                                                                                \
    void _ZN##code##D2Ev(void *self) {}
DESTRUCTORS(St9exception)
DESTRUCTORS(St9bad_alloc)
DESTRUCTORS(St8bad_cast)
DESTRUCTORS(St12future_error)
DESTRUCTORS(St12system_error)

/* std::_V2::generic_category(), std::_V2::system_category() and std::future_category(): of errors that are thrown. */
static const void *const category[4] = {0};

const void *_ZNSt3_V216generic_categoryEv(void) {
    return category;
}

const void *_ZNSt3_V215system_categoryEv(void) {
    return category;
}

const void *_ZSt15future_categoryv(void) {
    return category;
}

/* --- dynamic_cast --- */

struct ics_base {
    const struct ics_type *type;
    long offset_and_flags; /* from bit 8 the offset; of a virtual base, in the table */
};
enum { VIRTUAL_BASE = 1, PUBLIC_BASE = 2 };
struct ics_type_of_bases {
    struct ics_type type;
    unsigned flags, count;
    struct ics_base bases[];
};

/* The parts of type `wanted` of what is at `object`: how many, and one of them. */
struct search {
    const struct ics_type *wanted;
    char *found;
    int count;
};

static void look(struct search *search, const struct ics_type *type, char *object) {
    if (type == search->wanted) {
        search->count += search->found != object;
        search->found = object;
    } else if (type->table == &_ZTVN10__cxxabiv120__si_class_type_infoE[2]) {
        look(search, ((const struct ics_derived_type *)type)->base, object);
    } else if (type->table == &_ZTVN10__cxxabiv121__vmi_class_type_infoE[2]) {
        const struct ics_type_of_bases *several = (const struct ics_type_of_bases *)type;
        for (unsigned i = 0; i < several->count; i++) {
            const struct ics_base *base = &several->bases[i];
            if (!(base->offset_and_flags & PUBLIC_BASE)) continue;
            long offset = base->offset_and_flags >> 8;
            if (base->offset_and_flags & VIRTUAL_BASE) offset = *(long *)(*(char **)object + offset);
            look(search, base->type, object + offset);
        }
    }
}

void *__dynamic_cast(const void *object, const struct ics_type *from, const struct ics_type *to, long hint) {
    const long *table = *(const long *const *)object;
    char *whole = (char *)object + table[-2];
    struct search search = {to, 0, 0};
    look(&search, (const struct ics_type *)table[-1], whole);
    if (search.count > 1) __ics_unsupported("dynamic_cast to a base class that the object has more than once");
    return search.found;
}

/* Names stay as they are: the answer where there is no memory for others. */
char *__cxa_demangle(const char *name, char *buffer, unsigned long *size, int *status) {
    if (status) *status = -1;
    return 0;
}

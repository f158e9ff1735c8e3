/* What the models of the C++ library share. */
#ifndef ICS_LIBRARY_H
#define ICS_LIBRARY_H

/* std::type_info of a class without bases. */
struct ics_type {
    const void *table;
    const char *name;
};
/* The same of a class with one base, public and at offset 0. */
struct ics_derived_type {
    struct ics_type type;
    const struct ics_type *base;
};
/* The table of std::type_info for classes without bases; only its address counts. */
extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[4];

void _ZdlPv(void *p);
_Noreturn void __cxa_pure_virtual(void);
/* std::__throw_system_error(int) */
_Noreturn void _ZSt20__throw_system_errori(int error);

#endif

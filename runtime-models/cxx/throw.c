/* Exceptions of C++. They are not followed: where one is thrown the path ends, with a reason. */
#include "ics.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"

static _Noreturn void thrown(const char *type) {
    static const char before[] = "throwing ";
    char text[256];
    size_t n = sizeof before - 1, length = strlen(type);
    memcpy(text, before, n);
    if (length > sizeof text - n - 1) length = sizeof text - n - 1;
    memcpy(text + n, type, length);
    text[n + length] = 0;
    __ics_unsupported(text);
}

void *__cxa_allocate_exception(size_t size) {
    return __ics_malloc(size, 0);
}

/* What std::make_exception_ptr begins with. */
void *__cxa_init_primary_exception(void *exception, const struct ics_type *type, void (*destroy)(void *)) {
    return exception;
}

/* std::current_exception(): outside of handlers there is none. */
void *_ZSt17current_exceptionv(void **result) {
    *result = 0;
    return result;
}

void __cxa_free_exception(void *exception) {
    __ics_free(exception);
}

/* The name of a type is what stands behind `_ZTS` in the name of the symbol. */
_Noreturn void __cxa_throw(void *exception, const struct ics_type *type, void (*destroy)(void *)) {
    char symbol[160] = "_ZTS";
    const char *name = type->name + (*type->name == '*');
    size_t length = strlen(name);
    if (length > sizeof symbol - 5) thrown("an exception");
    memcpy(symbol + 4, name, length + 1);
    thrown(symbol);
}

_Noreturn void __cxa_rethrow(void) {
    thrown("an exception again");
}

/* std::rethrow_exception(std::exception_ptr) */
_Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *exception) {
    thrown("an exception again");
}

/* Nothing is caught: these stand in handlers that no path comes to. */
void *__cxa_begin_catch(void *exception) {
    __ics_unsupported("a handler of C++ exceptions");
}

void __cxa_end_catch(void) {
}

_Noreturn void __cxa_bad_cast(void) {
    thrown("std::bad_cast");
}

_Noreturn void __cxa_bad_typeid(void) {
    thrown("std::bad_typeid");
}

_Noreturn void __cxa_throw_bad_array_new_length(void) {
    thrown("std::bad_array_new_length");
}

_Noreturn void _ZSt20__throw_system_errori(int error) {
    thrown("std::system_error");
}

_Noreturn void _ZSt20__throw_future_errori(int code) {
    thrown("std::future_error");
}

_Noreturn void _ZSt17__throw_bad_allocv(void) {
    thrown("std::bad_alloc");
}

_Noreturn void _ZSt28__throw_bad_array_new_lengthv(void) {
    thrown("std::bad_array_new_length");
}

_Noreturn void _ZSt16__throw_bad_castv(void) {
    thrown("std::bad_cast");
}

_Noreturn void _ZSt18__throw_bad_typeidv(void) {
    thrown("std::bad_typeid");
}

_Noreturn void _ZSt21__throw_bad_exceptionv(void) {
    thrown("std::bad_exception");
}

_Noreturn void _ZSt25__throw_bad_function_callv(void) {
    thrown("std::bad_function_call");
}

_Noreturn void _ZSt19__throw_logic_errorPKc(const char *what) {
    thrown("std::logic_error");
}

_Noreturn void _ZSt20__throw_domain_errorPKc(const char *what) {
    thrown("std::domain_error");
}

_Noreturn void _ZSt24__throw_invalid_argumentPKc(const char *what) {
    thrown("std::invalid_argument");
}

_Noreturn void _ZSt20__throw_length_errorPKc(const char *what) {
    thrown("std::length_error");
}

_Noreturn void _ZSt20__throw_out_of_rangePKc(const char *what) {
    thrown("std::out_of_range");
}

_Noreturn void _ZSt24__throw_out_of_range_fmtPKcz(const char *what, ...) {
    thrown("std::out_of_range");
}

_Noreturn void _ZSt21__throw_runtime_errorPKc(const char *what) {
    thrown("std::runtime_error");
}

_Noreturn void _ZSt19__throw_range_errorPKc(const char *what) {
    thrown("std::range_error");
}

_Noreturn void _ZSt22__throw_overflow_errorPKc(const char *what) {
    thrown("std::overflow_error");
}

_Noreturn void _ZSt23__throw_underflow_errorPKc(const char *what) {
    thrown("std::underflow_error");
}

_Noreturn void _ZSt19__throw_ios_failurePKc(const char *what) {
    thrown("std::ios_base::failure");
}

_Noreturn void _ZSt19__throw_ios_failurePKci(const char *what, int error) {
    thrown("std::ios_base::failure");
}

/* std::exception_ptr is a pointer to the exception; it is always null here. */
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **self) {
}

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self) {
}

void _ZNSt15__exception_ptr13exception_ptrC1EPv(void **self, void *exception) {
    *self = exception;
}

/* std::uncaught_exception() and std::uncaught_exceptions() */
_Bool _ZSt18uncaught_exceptionv(void) {
    return 0;
}

int _ZSt19uncaught_exceptionsv(void) {
    return 0;
}

// std::string, as libstdc++.so has it: its headers declare these members, and leave them to the library.
#include "ics.h"

#include "templates.h"

#include <new>
#include <string>

template class std::allocator<char>;
template class std::basic_string<char>;

namespace std {
template string operator+(const char *, const string &);
template string operator+(char, const string &);
template string operator+(const string &, const string &);
template bool operator==(const string &, const char *);
}  // namespace std

// Constructors that are templates from C++17 on, by the names that they have before.
#define STRING "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
#define OF_TEXT(kind)                                                                                                  \
    void of_text_##kind(std::string *, const char *, const std::allocator<char> &) __asm__(STRING #kind "EPKcRKS3_"); \
    void of_text_##kind(std::string *self, const char *text, const std::allocator<char> &by) {                         \
        new (self) std::string(text, by);                                                                              \
    }
#define OF_ONE(kind)                                                                                                   \
    void of_one_##kind(std::string *, unsigned long, char, const std::allocator<char> &) __asm__(STRING #kind          \
                                                                                                 "EmcRKS3_");          \
    void of_one_##kind(std::string *self, unsigned long times, char one, const std::allocator<char> &by) {             \
        new (self) std::string(times, one, by);                                                                        \
    }
OF_TEXT(C1)
OF_TEXT(C2)
OF_ONE(C1)
OF_ONE(C2)

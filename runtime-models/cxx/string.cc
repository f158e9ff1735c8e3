// std::string, as libstdc++.so has it: its headers declare these members, and leave them to the library.
#include "ics.h"

#include "templates.h"

#include <string>

template class std::allocator<char>;
template class std::basic_string<char>;

namespace std {
template string operator+(const char *, const string &);
template string operator+(char, const string &);
template string operator+(const string &, const string &);
template bool operator==(const string &, const char *);
}  // namespace std

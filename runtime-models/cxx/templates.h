/* Included before the headers of the C++ library: they declare that the library has these templates for `char`, and
 * here is the library. */
#ifndef ICS_TEMPLATES_H
#define ICS_TEMPLATES_H

#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#endif

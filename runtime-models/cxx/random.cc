// std::random_device: each number is an input.
#include "ics.h"

#include "templates.h"

#include <random>

namespace std {

void random_device::_M_init(const string &) {
}

void random_device::_M_fini() {
}

random_device::result_type random_device::_M_getval() {
    return static_cast<result_type>(__ics_input("random_device", 32));
}

double random_device::_M_getentropy() const noexcept {
    return 32;
}

}  // namespace std

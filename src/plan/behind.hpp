#pragma once

#include "base/integer.hpp"

#include <cstddef>

/// So many bytes behind a pointer. A null pointer, as of an operand that is packed, stays one.
namespace swirl::planning {

inline const void* behind(const void* pointer, Integer bytes) {
    return pointer == nullptr ? nullptr : static_cast<const std::byte*>(pointer) + bytes;
}
inline void* behind(void* pointer, Integer bytes) {
    return pointer == nullptr ? nullptr : static_cast<std::byte*>(pointer) + bytes;
}

} // namespace swirl::planning

#pragma once

#include "base/integer.hpp"

#include <cstddef>

/// A pointer moved by so many bytes. A null pointer, as of an operand that is packed, stays one.
namespace swirl::planning {

inline const void* advanced(const void* pointer, Integer bytes) {
    return pointer == nullptr ? nullptr : static_cast<const std::byte*>(pointer) + bytes;
}
inline void* advanced(void* pointer, Integer bytes) {
    return pointer == nullptr ? nullptr : static_cast<std::byte*>(pointer) + bytes;
}

} // namespace swirl::planning

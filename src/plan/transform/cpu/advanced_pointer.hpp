#pragma once

#include "base/integer.hpp"

#include <cstddef>

/// Advances a pointer by a number of bytes. Null stays null: a prepacked operand has a null pointer.
namespace swirl::planning {

inline const void* advanced(const void* pointer, Integer bytes) {
    return pointer == nullptr ? nullptr : static_cast<const std::byte*>(pointer) + bytes;
}
inline void* advanced(void* pointer, Integer bytes) {
    return pointer == nullptr ? nullptr : static_cast<std::byte*>(pointer) + bytes;
}

} // namespace swirl::planning

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace swirl::distributed {

/// The bytes of values, as Communicator::gather_all takes them.
template <class Values> std::vector<std::byte> message_of(const Values& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

} // namespace swirl::distributed

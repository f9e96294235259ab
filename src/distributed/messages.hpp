#pragma once

#include "distributed/layout.hpp"

#include <vector>

namespace swirl::distributed {

/// What a rank sends and receives between two stages, in elements. The blocks to one rank, or from one, are contiguous.
struct Messages {
    Layout send;
    Layout receive;
    std::vector<Integer> send_counts, send_offsets; ///< element r: to rank r
    std::vector<Integer> receive_counts, receive_offsets;
};

/// The elements that a rank has, going to the ranks that shall have them. Where several shall have an element, each gets it; where
/// several have it, each sends it. All blocks of a message have their axes in `order`;
/// messages lie in memory in the order of their first elements.
Messages messages_of(const Decomposition& from, const Decomposition& to, int rank,
                     const std::vector<int>& order);

} // namespace swirl::distributed

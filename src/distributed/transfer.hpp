#pragma once

#include "distributed/copies.hpp"
#include "distributed/messages.hpp"

#include <swirl/distributed/communicator.hpp>

#include <vector>

namespace swirl::distributed {

/// Elements of one matrix on their way between the caller's boxes and the grid's blocks.
struct Transfer {
    bool is_needed = false; ///< the same on all ranks
    Messages messages = {};
    std::vector<BlockCopy> pack = {};   ///< into messages; none if these lie in the array
    std::vector<BlockCopy> unpack = {}; ///< out of messages; none if these are the block. Of C: added up
    Integer element_bytes = 1;
    Integer sent = 0, received = 0; ///< elements in memory

    ExchangeBlocks blocks() const {
        const auto scaled = [&](std::vector<Integer> values) {
            for (Integer& value : values) value *= element_bytes;
            return values;
        };
        return {scaled(messages.send_counts), scaled(messages.send_offsets), scaled(messages.receive_counts),
                scaled(messages.receive_offsets)};
    }
};

/// `adds`: elements that several ranks have are added up.
Transfer transfer_of(const Decomposition& from, const Decomposition& to, int rank, Integer element_bytes,
                     bool adds);

} // namespace swirl::distributed

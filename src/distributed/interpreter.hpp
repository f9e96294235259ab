#pragma once

#include "distributed/program.hpp"

#include <cstddef>
#include <vector>

namespace swirl::distributed {

/// What crossed ranks.
struct Traffic {
    Integer exchanges = 0;
    Integer messages = 0; ///< of 1 byte or more, between different ranks
    Integer bytes = 0;    ///< of these messages
};

/// Defines what the programs of a group of ranks mean: runs them in one thread, rank by rank between exchanges. Plans are made.
/// Throws InternalError if the ranks have different numbers of exchanges, if a rank sends what another does not expect, or if a block
/// lies outside its array.
class Interpreter {
public:
    /// Arrays of each rank; outputs have the size of the results.
    Traffic run(const std::vector<Program>& programs, const std::vector<std::vector<std::byte>>& inputs,
                std::vector<std::vector<std::byte>>& outputs) const;
};

} // namespace swirl::distributed

#pragma once

#include "ir/program.hpp"

#include <vector>

namespace swirl::emit {

/// What a program's stores depend on. Only these are emitted, so that compilers warn of no unused names.
struct Usage {
    std::vector<bool> values;    ///< by Value: a store, or a store depends on it
    std::vector<bool> buffers;   ///< by Buffer: some live access uses it
    std::vector<bool> variables; ///< by Variable: some live form contains it
    std::vector<bool> tensors;   ///< by Tensor: some transfer moves its data
    bool synchronises = false;   ///< contains a barrier
};

Usage usage_of(const ir::Program& program);

} // namespace swirl::emit

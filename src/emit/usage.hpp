#pragma once

#include "ir/program.hpp"

#include <vector>

namespace swirl::emit {

/// What of a program reaches memory: text is emitted for this part only, so that no compiler warns of unused names.
struct Usage {
    std::vector<bool> values;    ///< by Value: a store depends on it, or it is one
    std::vector<bool> buffers;   ///< by Buffer: some live access touches it
    std::vector<bool> variables; ///< by Variable: some live form names it
    std::vector<bool> tensors;   ///< by Tensor: some transfer moves data of it
    bool synchronises = false;   ///< holds a barrier
};

Usage usage_of(const ir::Program& program);

} // namespace swirl::emit

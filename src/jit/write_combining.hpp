#pragma once

#include "ir/program.hpp"

#include <functional>
#include <vector>

namespace swirl::jit {

/// By buffer: whether the non-temporal stores of an outermost statement fill the cache lines that they begin. Such stores
/// gather in a few write-combining buffers of one line each. A line that leaves its buffer before it is full costs a
/// transaction for each of its parts, many times as much as an ordinary store. Follows the first iterations of all loops.
/// `bytes_past_caches` gives the bytes of a store that may be non-temporal, 0 of others. True for buffers without such
/// stores.
std::vector<bool> filled_lines(const ir::Program& program, const ir::Statement& outermost,
                               const std::function<int(ir::Value)>& bytes_past_caches);

} // namespace swirl::jit

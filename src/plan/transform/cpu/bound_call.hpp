#pragma once

#include "runtime/cpu/executable_memory.hpp"

#include <array>
#include <cstddef>

namespace swirl::planning {

/// A call of one function on arrays that stay the same.
class BoundCall {
public:
    static constexpr std::size_t max_buffers = 8;
    using Buffers = std::array<void*, max_buffers>;

    BoundCall(runtime::KernelFunction function, const Buffers& buffers)
        : function_(function), buffers_(buffers) {}
    void operator()() const { function_(buffers_.data(), nullptr); }

private:
    runtime::KernelFunction function_;
    Buffers buffers_;
};

} // namespace swirl::planning

#include "plan/transform/cpu/direct_call.hpp"

namespace swirl::planning {

void DirectCall::call_with_workspace(const Arguments& arguments) const {
    alignas(64) std::byte workspace[max_workspace]; // uninitialised: a kernel writes before it reads
    Buffers buffers = layout_.buffers;
    for (std::size_t k = 0; k < layout_.scratch; ++k)
        buffers[layout_.scratch_index[k]] = workspace + layout_.scratch_offset[k];
    call(buffers, arguments);
}

} // namespace swirl::planning

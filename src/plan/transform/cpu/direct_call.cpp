#include "plan/transform/cpu/direct_call.hpp"

namespace swirl::planning {

namespace {

void* pointer_of(const DirectCall::Further& further, const Arguments& arguments) {
    using enum DirectCall::Further::Source;
    switch (further.source) {
    case input_imaginary: return const_cast<void*>(arguments.input_imaginary);
    case output_imaginary: return arguments.output_imaginary;
    case array: return const_cast<void*>(arguments.arrays[further.array].data);
    case array_imaginary: return const_cast<void*>(arguments.arrays[further.array].imaginary);
    }
    return nullptr;
}

} // namespace

void DirectCall::call_with_more(const Arguments& arguments) const {
    alignas(64) std::byte workspace[max_workspace]; // uninitialised: a kernel writes before it reads
    Buffers buffers = layout_.buffers;
    for (std::size_t k = 0; k < layout_.scratch; ++k)
        buffers[layout_.scratch_index[k]] = workspace + layout_.scratch_offset[k];
    for (std::size_t k = 0; k < layout_.further_count; ++k)
        buffers[layout_.further[k].buffer] = pointer_of(layout_.further[k], arguments);
    call(buffers, arguments);
}

} // namespace swirl::planning

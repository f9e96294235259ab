#include "plan/transform/cpu/direct_call.hpp"

namespace swirl::planning {

namespace {

void* pointer_of(Binding::Source source, const Arguments& arguments) {
    if (source == Binding::Source::input_imaginary) return const_cast<void*>(arguments.input_imaginary);
    if (source == Binding::Source::output_imaginary) return arguments.output_imaginary;
    return array_of(source, arguments.arrays.data());
}

} // namespace

void DirectCall::set_further(Buffers& buffers, const Arguments& arguments) const {
    for (std::size_t k = 0; k < layout_.further_count; ++k)
        buffers[layout_.further[k].buffer] = pointer_of(layout_.further[k].source, arguments);
}

std::optional<BoundCall> DirectCall::bound(const Arguments& arguments) const {
    if (layout_.scratch > 0) return std::nullopt;
    Buffers buffers = layout_.buffers;
    set_further(buffers, arguments);
    set_ends(buffers, arguments.input, arguments.output);
    return BoundCall(function_, buffers);
}

void DirectCall::call_with_more(const Arguments& arguments) const {
    alignas(64) std::byte workspace[max_workspace]; // uninitialised: a kernel writes before it reads
    Buffers buffers = layout_.buffers;
    for (std::size_t k = 0; k < layout_.scratch; ++k)
        buffers[layout_.scratch_index[k]] = workspace + layout_.scratch_offset[k];
    set_further(buffers, arguments);
    set_ends(buffers, arguments.input, arguments.output);
    function_(buffers.data(), nullptr);
}

void DirectCall::call_with_workspace(const void* input, void* output) const {
    call_with_more({.input = input, .output = output});
}

} // namespace swirl::planning

#include "plan/transform/gpu/arguments.hpp"

#include "base/error.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstdint>

namespace swirl::planning {

namespace {

const std::byte* at(const void* pointer, Integer offset) {
    return reinterpret_cast<const std::byte*>(reinterpret_cast<std::intptr_t>(pointer) + offset);
}

} // namespace

void require_aligned(const GpuArgument& argument) {
    if (argument.alignment > 1 &&
        reinterpret_cast<std::uintptr_t>(argument.pointer) % argument.alignment != 0)
        throw UserError("{} = {} is not aligned to its elements; use a multiple of {} bytes", argument.name,
                        argument.pointer, argument.alignment);
}

void check(const runtime::GpuDevice& device, const GpuArgument& argument) {
    require_aligned(argument);
    const void* const first = at(argument.pointer, argument.low);
    if (runtime::is_memory_of(device, first, at(argument.pointer, argument.high - 1))) return;
    runtime::require_memory_of(device, first, argument.name);
    throw UserError("{} = {} is too small: its elements end {} bytes beyond the memory of {}", argument.name,
                    argument.pointer, argument.high, device.description());
}

bool are_disjoint(const GpuArgument& first, const GpuArgument& second) {
    if (at(first.pointer, first.high) <= at(second.pointer, second.low) ||
        at(second.pointer, second.high) <= at(first.pointer, first.low))
        return true;
    const auto elements_of = [](const GpuArgument& argument) {
        return argument.elements.axes.empty() ? Elements{{{argument.high - argument.low, 1}}, 1}
                                              : argument.elements;
    };
    const auto first_of = [&](const GpuArgument& argument) {
        return argument.elements.axes.empty() ? at(argument.pointer, argument.low) : at(argument.pointer, 0);
    };
    return !share_a_byte(elements_of(first), first_of(first), elements_of(second), first_of(second));
}

void check(const runtime::GpuDevice& device, const GpuWorkspace& workspace, std::size_t needed_bytes,
           std::span<const GpuArgument> arguments) {
    if (!workspace.is_given()) return;
    if (workspace.bytes < needed_bytes)
        throw UserError("the workspace has {} bytes; this plan needs {}", workspace.bytes, needed_bytes);
    if (needed_bytes == 0) return;
    if (reinterpret_cast<std::uintptr_t>(workspace.data) % workspace_alignment != 0)
        throw UserError("the workspace at {} is not aligned to {} bytes", workspace.data,
                        workspace_alignment);
    const GpuArgument whole{"workspace", workspace.data, 0, static_cast<Integer>(needed_bytes), 1};
    check(device, whole);
    for (const GpuArgument& argument : arguments) {
        if (argument.pointer != nullptr && !are_disjoint(argument, whole))
            throw UserError("the workspace at {} and {} = {} overlap; use separate memory for the workspace",
                            workspace.data, argument.name, argument.pointer);
    }
}

GpuArgumentCheck::GpuArgumentCheck(const Transform& problem,
                                   const std::array<std::size_t, Binding::sources>& alignments,
                                   std::size_t workspace_bytes)
    : on_host_(problem),
      alignments_(alignments),
      layout_(problem.layout),
      arrays_(arrays_of(problem)),
      workspace_bytes_(workspace_bytes) {
    for (const Side side : {Side::input, Side::output}) {
        const auto k = static_cast<std::size_t>(side == Side::output);
        const Extent reach = touched_extent(problem, side);
        const Integer bytes = element_bytes(problem, side); // planar: of one component
        elements_[k] = touched_elements(problem, side);
        low_[k] = reach.lowest * bytes;
        high_[k] = (reach.highest + 1) * bytes;
    }
}

bool GpuArgumentCheck::is_aligned(const void* pointer, Binding::Source source) const {
    const std::size_t alignment = alignments_[static_cast<std::size_t>(source)];
    return alignment <= 1 || reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

Integer GpuArgumentCheck::bytes_of_array(std::size_t k) const {
    const AuxiliaryArray& array = arrays_[k];
    const bool pairs = array.is_complex && layout_ == ComplexLayout::interleaved;
    return array.elements * bytes_of(array.precision) * (pairs ? 2 : 1);
}

std::vector<GpuArgument> GpuArgumentCheck::list_of(const Arguments& arguments) const {
    const auto of = [&](const char* name, const void* pointer, Binding::Source source, std::size_t side) {
        return GpuArgument{
            name,           pointer, low_[side], high_[side], alignments_[static_cast<std::size_t>(source)],
            elements_[side]};
    };
    std::vector<GpuArgument> list = {
        of("input", arguments.input, Binding::Source::input, 0),
        of("imaginary input", arguments.input_imaginary, Binding::Source::input_imaginary, 0),
        of("output", arguments.output, Binding::Source::output, 1),
        of("imaginary output", arguments.output_imaginary, Binding::Source::output_imaginary, 1)};
    for (std::size_t k = 0; k < arguments.arrays.size() && k < arrays_.size(); ++k) {
        const AuxiliaryArray& array = arrays_[k];
        const Integer bytes = bytes_of_array(k);
        for (const bool imaginary : {false, true}) {
            const void* const pointer = imaginary ? arguments.arrays[k].imaginary : arguments.arrays[k].data;
            list.push_back({(imaginary ? "imaginary array " : "array ") + array.name, pointer, 0, bytes,
                            alignments_[static_cast<std::size_t>(Binding::array_source(k, imaginary))]});
        }
    }
    return list;
}

bool GpuArgumentCheck::admits(const runtime::GpuDevice& device, const Arguments& arguments) const {
    const auto is_right = [&](const void* pointer, Binding::Source source, Integer low, Integer high) {
        return pointer == nullptr || (is_aligned(pointer, source) &&
                                      runtime::is_memory_of(device, at(pointer, low), at(pointer, high - 1)));
    };
    using enum Binding::Source;
    if (!is_right(arguments.input, input, low_[0], high_[0]) ||
        !is_right(arguments.input_imaginary, input_imaginary, low_[0], high_[0]) ||
        !is_right(arguments.output, output, low_[1], high_[1]) ||
        !is_right(arguments.output_imaginary, output_imaginary, low_[1], high_[1]))
        return false;
    for (std::size_t k = 0; k < arguments.arrays.size() && k < arrays_.size(); ++k) {
        const Integer bytes = bytes_of_array(k);
        if (!is_right(arguments.arrays[k].data, Binding::array_source(k, false), 0, bytes) ||
            !is_right(arguments.arrays[k].imaginary, Binding::array_source(k, true), 0, bytes))
            return false;
    }
    return true;
}

void GpuArgumentCheck::operator()(const runtime::GpuDevice& device, const Arguments& arguments) const {
    on_host_(arguments);
    if (admits(device, arguments)) return;
    for (const GpuArgument& argument : list_of(arguments))
        if (argument.pointer != nullptr) planning::check(device, argument);
}

void GpuArgumentCheck::require_valid_addresses(const Arguments& arguments) const {
    on_host_(arguments);
    if (arrays_.empty() && is_aligned(arguments.input, Binding::Source::input) &&
        is_aligned(arguments.input_imaginary, Binding::Source::input_imaginary) &&
        is_aligned(arguments.output, Binding::Source::output) &&
        is_aligned(arguments.output_imaginary, Binding::Source::output_imaginary))
        return; // without a list of names
    for (const GpuArgument& argument : list_of(arguments))
        if (argument.pointer != nullptr) require_aligned(argument);
}

void GpuArgumentCheck::operator()(const runtime::GpuDevice& device, const GpuWorkspace& workspace,
                                  const Arguments& arguments) const {
    if (workspace.is_given()) planning::check(device, workspace, workspace_bytes_, list_of(arguments));
}

} // namespace swirl::planning

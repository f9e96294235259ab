// Launches, buffers, and tensors.
#include "ir/verify_rules.hpp"

#include "ir/tile.hpp"
#include "ir/type_rules.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>
#include <bit>

namespace swirl::ir {

namespace {

using Mismatch = std::optional<std::string>;

constexpr Integer most_bytes_by_value = 64;
constexpr std::size_t most_axes = 3; // an operation has no more coordinate operands
constexpr Integer longest_box = 256;

/// Arguments have any role but a table's; kernels of one plan may pass workspace to each other as arguments.
Mismatch role_error(const BufferInfo& buffer) {
    using enum ArgumentRole;
    const ArgumentRole role = buffer.role.argument;
    const auto has_wrong_role = [&] { return fmt::format("has the role '{}'", to_string(buffer.role)); };
    switch (buffer.space) {
    case Space::argument:
        if (role == none) return "has no role: is it an input, an output, an operand, an auxiliary array?";
        if (role == table || role == multiplies || role == reads_c) return has_wrong_role();
        break;
    case Space::table:
        if (role != table) return has_wrong_role();
        break;
    case Space::scratch:
        if (role != workspace) return has_wrong_role();
        break;
    case Space::local:
    case Space::shared:
        if (role != none) return has_wrong_role();
        break;
    }
    if (buffer.role.index < 0) return fmt::format("has index {} among arrays of its role", buffer.role.index);
    return std::nullopt;
}

bool has_contents(const BufferInfo& buffer) {
    return buffer.contents != nullptr && buffer.contents->size() >= buffer.elements &&
           (buffer.element == DataType::int64) == (buffer.contents->element() == DataType::int64);
}

} // namespace

Mismatch launch_error(const Launch& launch) {
    for (const auto& extents : {launch.blocks, launch.threads})
        for (const Integer extent : extents)
            if (extent < 1) return fmt::format("launch with an extent of {}", extent);
    if (launch.resident < 0) return fmt::format("launch with {} resident blocks", launch.resident);
    if (launch.cluster < 1 || launch.blocks[0] % launch.cluster != 0)
        return fmt::format("launch of {} blocks in clusters of {}", launch.blocks[0], launch.cluster);
    if (launch.cooperative_group < 1 || launch.blocks[0] % launch.cooperative_group != 0 ||
        (launch.cooperative_group > 1 && launch.cluster > 1))
        return fmt::format("launch of {} blocks in groups of {} and clusters of {}", launch.blocks[0],
                           launch.cooperative_group, launch.cluster);
    return std::nullopt;
}

Mismatch buffer_error(const Program& program, const BufferInfo& buffer) {
    if (buffer.elements <= 0) return "has no elements";
    if (buffer.element == DataType::boolean) return "holds booleans";
    if (!is_scalar(buffer.element))
        return fmt::format("has elements of {}; use scalars of their components", name_of(buffer.element));
    if (buffer.alignment < 0 ||
        (buffer.alignment != 0 && !std::has_single_bit(static_cast<unsigned>(buffer.alignment))))
        return "is aligned to no power of two";
    if (buffer.space != Space::argument && buffer.first != 0) return "does not start at element 0";
    if (buffer.dsmem_elements_per_block != 0 &&
        (buffer.space != Space::shared ||
         buffer.dsmem_elements_per_block * program.launch.cluster != buffer.elements))
        return "does not have one segment per block of the cluster";
    if (buffer.nest_depth < 0) return "is in a negative number of loops";
    if (buffer.nest_depth > 0 && buffer.space != Space::scratch) return "is per iteration, but no scratch";
    if (buffer.by_value && (buffer.space != Space::argument || buffer.written || buffer.first != 0 ||
                            buffer.elements * bytes_of(buffer.element) > most_bytes_by_value))
        return "is passed by value, but is written or too large";
    if (buffer.absolute && (buffer.space != Space::argument || buffer.by_value))
        return "is at absolute addresses, but no argument in memory";
    if (buffer.zeroed && buffer.space != Space::scratch) return "is filled with zeros, but no scratch";
    if (auto error = role_error(buffer)) return error;
    if (buffer.space != Space::table) return std::nullopt;
    if (buffer.written) return "is written";
    if (!has_contents(buffer)) return "lacks contents";
    return std::nullopt;
}

Mismatch tensor_error(const Program& program, const TensorInfo& tensor) {
    if (tensor.buffer < 0 || static_cast<std::size_t>(tensor.buffer) >= program.buffers.size())
        return fmt::format("there is no buffer {}", tensor.buffer);
    const BufferInfo& buffer = program.buffers[static_cast<std::size_t>(tensor.buffer)];
    const Integer bytes = bytes_of(buffer.element);
    const auto is_aligned = [&](Integer elements) {
        return modulo(elements * bytes, swizzle_chunk_bytes) == 0;
    };
    if ((buffer.space != Space::argument && buffer.space != Space::scratch) || buffer.by_value)
        return fmt::format("'{}' is not in global memory", buffer.name);
    if (buffer.alignment == 0 || buffer.alignment % swizzle_chunk_bytes != 0 || !is_aligned(tensor.origin))
        return fmt::format("it begins at no multiple of {} bytes", swizzle_chunk_bytes);
    const std::size_t axes = tensor.extents.size();
    if (axes < 1 || axes > most_axes || tensor.strides.size() != axes || tensor.box.size() != axes)
        return fmt::format("it has {} extents, {} strides, and boxes of {}", axes, tensor.strides.size(),
                           tensor.box.size());
    Integer last = tensor.origin;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const Integer stride = tensor.strides[axis];
        if (tensor.extents[axis] < 1 || tensor.box[axis] < 1 || tensor.box[axis] > longest_box)
            return fmt::format("it has an extent of {} in boxes of {}", tensor.extents[axis],
                               tensor.box[axis]);
        if (axis == 0 ? stride != 1 : stride < 0 || !is_aligned(stride))
            return fmt::format("stride {} is {}", axis, stride);
        last += (tensor.extents[axis] - 1) * stride;
    }
    if (tensor.rounds && buffer.element != DataType::float32)
        return fmt::format("it rounds {}", name_of(buffer.element));
    if (!is_aligned(tensor.box[0])) return fmt::format("rows of boxes have {} elements", tensor.box[0]);
    if (tensor.swizzle != 0 &&
        (tensor.swizzle * 4 % swizzle_row_bytes != 0 || swizzle_row_bytes % tensor.swizzle != 0 ||
         tensor.box[0] * bytes != tensor.swizzle))
        return fmt::format("rows of boxes have {} bytes, of which {} are swizzled", tensor.box[0] * bytes,
                           tensor.swizzle);
    if (tensor.origin < buffer.first || last >= buffer.first + buffer.elements)
        return fmt::format("it has elements {} to {} of '{}', which has {} to {}", tensor.origin, last,
                           buffer.name, buffer.first, buffer.first + buffer.elements - 1);
    return std::nullopt;
}

} // namespace swirl::ir

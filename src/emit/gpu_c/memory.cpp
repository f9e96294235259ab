// Loads, stores and atomic additions in the GPU dialects.

#include "base/error.hpp"
#include "emit/gpu_c/kernel.hpp"
#include "emit/gpu_c/launch.hpp"
#include "emit/literal.hpp"
#include "problem/data_type.hpp"

#include <numeric>

namespace swirl::emit {
namespace {

constexpr int max_lanes_per_access = 4;

std::string_view short_name(DataType scalar) { return scalar == DataType::float16 ? "float16" : "bfloat16"; }

} // namespace

std::string_view gpu_memory_type(const GpuDialect& dialect, DataType scalar) {
    switch (scalar) {
    case DataType::int8: return "signed char";
    case DataType::uint8: return "unsigned char";
    case DataType::int16: return "short";
    case DataType::uint16: return "unsigned short";
    case DataType::int32: return "int";
    case DataType::float8_e4m3:
        throw UserError("{} has no conversion from float8_e4m3\n  PTX for sm_90 does", dialect.name);
    case DataType::int64: return dialect.wide_integer;
    case DataType::float16:
    case DataType::bfloat16: return "unsigned short";
    case DataType::float32: return "float";
    case DataType::float64: return "double";
    default: throw InternalError("the memory of a GPU holds no {}", name_of(scalar));
    }
}

std::string GpuKernelWriter::vector_type(DataType scalar, int lanes) const {
    if (scalar == DataType::int64) return fmt::format("{}{}", dialect_.wide_vector, lanes);
    if (scalar == DataType::int8) return fmt::format("char{}", lanes);
    if (scalar == DataType::uint8) return fmt::format("uchar{}", lanes);
    return fmt::format(
        "{}{}", is_short(scalar) || scalar == DataType::uint16 ? "ushort" : gpu_memory_type(dialect_, scalar),
        lanes);
}

Integer GpuKernelWriter::alignment(const ir::Operation& operation) const {
    const auto at = static_cast<std::size_t>(operation.address.buffer);
    const ir::BufferInfo& buffer = program_.buffers[at];
    const Integer size = bytes_of(buffer.element);
    if (buffer.by_value) return size; // each element is an argument
    if (buffer.dsmem_elements_per_block > 0) {
        const ClusterAddress reached = cluster_address(program_, ranges_, operation.address);
        const Integer start = reached.is_computed
                                  ? std::gcd(widest_access, buffer.dsmem_elements_per_block * size)
                                  : widest_access;
        return known_alignment(ranges_, reached.is_computed ? operation.address : reached.within, start,
                               size);
    }
    const bool is_own = !kernel_.is_passed(at) || buffer.space == ir::Space::table;
    const Integer start = is_own ? widest_access : std::max<Integer>(size, buffer.alignment);
    return known_alignment(ranges_, operation.address, std::gcd(start, origins_[at] * size), size);
}

/// The element, or vector of elements, `lane_offset` elements from the address.
std::string GpuKernelWriter::location(const ir::Address& address, Integer lane_offset, int lanes,
                                      bool read_only) const {
    ir::Address at = address;
    at.index += lane_offset;
    if (buffer_of(at).by_value)
        return passed_by_value_[static_cast<std::size_t>(at.buffer)]
                               [static_cast<std::size_t>(at.index.constant())];
    const bool is_in_cluster = buffer_of(at).dsmem_elements_per_block > 0;
    if (lanes == 1) return is_in_cluster ? fmt::format("*({})", cluster_pointer(at)) : element(at);
    return fmt::format("*({}{}{}*)({})", space_of(static_cast<std::size_t>(at.buffer)),
                       read_only ? "const " : "", vector_type(buffer_of(at).element, lanes),
                       is_in_cluster ? cluster_pointer(at) : pointer(at));
}

/// A pointer to the element, in whichever block of the cluster it lies.
std::string GpuKernelWriter::cluster_pointer(const ir::Address& address) const {
    ensure(address.dynamic == ir::no_value, "an index into a cluster's memory that is computed");
    const ClusterAddress reached = cluster_address(program_, ranges_, address);
    if (reached.is_own) return pointer(reached.within);
    const std::string& own = buffers_[static_cast<std::size_t>(address.buffer)];
    if (!reached.is_computed)
        return fmt::format("in_block({}, (unsigned int)({})) + ({})", own, form(reached.rank),
                           index(reached.within));
    const Integer per_block = buffer_of(address).dsmem_elements_per_block;
    const std::string at = index(address);
    return fmt::format("in_block({}, (unsigned int)(({}) / {})) + ({}) % {}", own, at, per_block, at,
                       per_block);
}

void GpuKernelWriter::load(ir::Value value) {
    const ir::Operation& operation = program_[value];
    const DataType scalar = operation.type.scalar;
    const Integer aligned = alignment(operation);
    const std::string_view type = value_type(scalar);
    Lanes& result = values_[static_cast<std::size_t>(value)];
    for (int lane = 0, count = 1; lane < operation.active; lane += count) {
        count = lanes_per_access(operation, lane, aligned, max_lanes_per_access);
        const std::string name =
            operation.type.lanes == count ? fmt::format("v{}", value) : fmt::format("v{}_{}", value, lane);
        const std::string from =
            location(operation.address, lane * operation.address.lane_stride, count, true);
        if (count > 1)
            out_.line("const {} {} = {};", vector_type(scalar, count), name, from);
        else if (is_short(scalar))
            out_.line("const {} {} = {}_value({});", type, name, short_name(scalar), from);
        else
            out_.line("const {} {} = {};", type, name, from);
        for (int k = 0; k < count; ++k) {
            const std::string component =
                count == 1 ? name : fmt::format("{}.{}", name, "xyzw"[static_cast<std::size_t>(k)]);
            result.push_back(count > 1 && is_short(scalar)
                                 ? fmt::format("{}_value({})", short_name(scalar), component)
                                 : component);
        }
    }
    result.resize(static_cast<std::size_t>(operation.type.lanes), gpu_literal(dialect_, 0, scalar));
}

void GpuKernelWriter::store(const ir::Operation& operation) {
    expect_written(operation.address);
    const DataType scalar = operation.type.scalar;
    const Integer aligned = alignment(operation);
    const Lanes& values = lanes_of(operation, 0);
    for (int lane = 0, count = 1; lane < operation.active; lane += count) {
        count = lanes_per_access(operation, lane, aligned, max_lanes_per_access);
        Lanes elements;
        for (int l = lane; l < lane + count; ++l) {
            const std::string& element = values[static_cast<std::size_t>(l)];
            elements.push_back(is_short(scalar) ? fmt::format("{}_bits({})", short_name(scalar), element)
                                                : element);
        }
        const std::string to =
            location(operation.address, lane * operation.address.lane_stride, count, false);
        if (count == 1)
            out_.line("{} = {};", to, elements.front());
        else
            out_.line("{} = {};", to,
                      fmt::format(fmt::runtime(dialect_.vector), fmt::arg("type", vector_type(scalar, count)),
                                  fmt::arg("lanes", fmt::join(elements, ", "))));
    }
}

void GpuKernelWriter::atomic_add(const ir::Operation& operation) {
    expect_written(operation.address);
    const DataType scalar = operation.type.scalar;
    const std::string_view format =
        scalar == DataType::int64 ? dialect_.atomic_add_wide : dialect_.atomic_add;
    if (buffer_of(operation.address).space == ir::Space::local && !is_short(scalar)) { // thread-private
        out_.line("{} += {};", element(operation.address), lanes_of(operation, 0).front());
        return;
    }
    if (is_short(scalar) || format.empty())
        throw UserError("kernel '{}' adds atomically to '{}', which {} cannot do for its type", program_.name,
                        buffer_of(operation.address).name, dialect_.name);
    out_.write(fmt::format(fmt::runtime(format), fmt::arg("pointer", pointer(operation.address)),
                           fmt::arg("value", lanes_of(operation, 0).front())));
}

} // namespace swirl::emit

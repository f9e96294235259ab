#include "emit/ptx/layout.hpp"

#include "base/error.hpp"
#include "emit/gpu_c/launch.hpp"
#include "ir/analysis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace swirl::emit {
namespace {

constexpr Integer widest_scalar = 8; // bytes

Integer rounded_up(Integer bytes, Integer unit) { return ceil_divide(bytes, unit) * unit; }

/// "80" of "sm_80" and "sm_90a".
int capability_of(const std::string& target) {
    int version = 0;
    constexpr std::string_view prefix = "sm_";
    if (target.starts_with(prefix)) {
        const char* end = target.data() + target.size();
        const auto [rest, error] = std::from_chars(target.data() + prefix.size(), end, version);
        if (error != std::errc() || (rest != end && std::string_view(rest, end) != "a")) version = 0;
    }
    ensure(version >= 70, "ptx: target '{}'; known are sm_70 and later", target);
    return version;
}

bool is_special(const std::string& target) { return target.ends_with('a'); }

/// The earliest PTX version that supports a target, by the release notes in NVIDIA's PTX ISA.
std::string version_of(int capability, bool special) {
    if (special && capability == 90) return "8.0";
    constexpr std::array<std::pair<int, const char*>, 10> versions = {{{121, "8.8"},
                                                                       {120, "8.7"},
                                                                       {103, "8.8"},
                                                                       {100, "8.6"},
                                                                       {89, "7.8"},
                                                                       {87, "7.4"},
                                                                       {86, "7.1"},
                                                                       {80, "7.0"},
                                                                       {75, "6.3"},
                                                                       {70, "6.1"}}};
    for (const auto& [first, version] : versions)
        if (capability >= first) return version;
    throw InternalError("ptx: no version for this target");
}

/// The integer parameters in order of position.
std::vector<Variable> parameters_of(const ir::Program& program) {
    std::vector<Variable> result;
    for (std::size_t v = 0; v < program.variables.size(); ++v)
        if (program.variables[v].kind == ir::VariableInfo::Kind::parameter)
            result.push_back(static_cast<Variable>(v));
    const auto position = [&](Variable v) { return program.variables[static_cast<std::size_t>(v)].axis; };
    std::sort(result.begin(), result.end(),
              [&](Variable a, Variable b) { return position(a) < position(b); });
    for (std::size_t i = 0; i < result.size(); ++i)
        ensure(position(result[i]) == static_cast<int>(i), "ptx: '{}' has no parameter at position {}",
               program.name, i);
    return result;
}

/// A local buffer lives in registers if all its accesses have constant indices.
std::vector<bool> buffers_in_registers(const ir::Program& program) {
    std::vector<bool> result(program.buffers.size(), true);
    ir::for_each_operation(program, [&](ir::Value value) {
        const ir::Operation& operation = program[value];
        if (!ir::has_address(operation.opcode)) return;
        const bool is_fixed = operation.address.index.is_constant() &&
                              operation.address.dynamic == ir::no_value &&
                              operation.opcode != ir::Opcode::atomic_add;
        if (!is_fixed) result[static_cast<std::size_t>(operation.address.buffer)] = false;
    });
    return result;
}

} // namespace

PtxLayout::PtxLayout(const ir::Program& program, const Usage& usage, const PtxOptions& options)
    : variables(parameters_of(program)), capability(capability_of(options.target)) {
    expect_gpu_launch(program);
    ensure(program.launch.cluster == 1 || capability >= 90,
           "ptx: '{}' runs in clusters of {} blocks, for which sm_90 is needed", program.name,
           program.launch.cluster);
    ensure(!needs_special_target(program) || is_special(options.target),
           "ptx: '{}' has instructions that target {} does not", program.name, options.target);
    version = options.version.empty() ? version_of(capability, is_special(options.target)) : options.version;
    Identifiers names;
    names.reserve("WARP_SZ");
    entry = names.unique(program.name);
    const std::vector<bool> in_registers = buffers_in_registers(program);
    for (const ir::BufferInfo& buffer : program.buffers) {
        BufferLocation& location = locations.emplace_back();
        const Integer size = bytes_of(buffer.element);
        location.name = names.unique(buffer.name);
        location.alignment = std::max<Integer>(size, buffer.alignment);
        if (buffer.space == ir::Space::shared) location.space = BufferLocation::Space::shared;
        if (buffer.space == ir::Space::local)
            location.space = in_registers[locations.size() - 1] ? BufferLocation::Space::registers
                                                                : BufferLocation::Space::local;
        declare_global(buffer, location, options);
        if (location.is_passed || buffer.absolute) continue;
        location.alignment = std::max(location.alignment, widest_access);
        location.origin = rounded_up(std::max<Integer>(0, -buffer.first * size), location.alignment);
        const Integer elements =
            buffer.dsmem_elements_per_block > 0 ? buffer.dsmem_elements_per_block : buffer.elements;
        location.bytes = location.origin + (buffer.first + elements) * size;
    }
    pass_tensors(program, usage, names);
    for (const Variable variable : variables)
        integers.push_back(names.unique(program.variables[static_cast<std::size_t>(variable)].name));
    allocate_shared(program, usage, names);
}

void PtxLayout::declare_global(const ir::BufferInfo& buffer, BufferLocation& location,
                               const PtxOptions& options) {
    switch (buffer.space) {
    case ir::Space::argument:
        location.is_passed = !buffer.absolute;
        if (buffer.absolute) location.alignment = widest_access; // absolute addresses start from 0
        location.is_constant = !buffer.written && !options.arguments_overlap && !buffer.by_value;
        if (buffer.by_value) {
            location.space = BufferLocation::Space::parameter;
            location.alignment = widest_scalar;
            location.bytes = buffer.elements * bytes_of(buffer.element);
        }
        break;
    case ir::Space::scratch: location.is_passed = true; break;
    case ir::Space::table:
        location.is_constant = true;
        location.is_passed =
            buffer.elements * bytes_of(buffer.element) > options.largest_embedded_table || buffer.first != 0;
        location.alignment = std::max(location.alignment, widest_access);
        break;
    case ir::Space::shared:
    case ir::Space::local: break;
    }
}

/// Memory accessed only through tensors needs no parameter of its own.
void PtxLayout::pass_tensors(const ir::Program& program, const Usage& usage, Identifiers& names) {
    for (std::size_t t = 0; t < program.tensors.size(); ++t) {
        tensors.push_back(usage.tensors[t] ? names.unique(program.tensors[t].name) : "");
        const auto buffer = static_cast<std::size_t>(program.tensors[t].buffer);
        if (!usage.buffers[buffer]) locations[buffer].is_passed = false;
    }
    ensure(capability >= 90 || std::all_of(tensors.begin(), tensors.end(),
                                           [](const std::string& name) { return name.empty(); }),
           "ptx: '{}' has tensors, for which sm_90 is needed", program.name);
}

/// Lays out buffers by decreasing alignment, which avoids padding.
void PtxLayout::allocate_shared(const ir::Program& program, const Usage& usage, Identifiers& names) {
    std::vector<std::size_t> shared;
    for (std::size_t b = 0; b < locations.size(); ++b)
        if (program.buffers[b].space == ir::Space::shared && usage.buffers[b]) shared.push_back(b);
    std::stable_sort(shared.begin(), shared.end(), [&](std::size_t a, std::size_t b) {
        return locations[a].alignment > locations[b].alignment;
    });
    std::vector<Integer> starts;
    Integer total = 0;
    for (const std::size_t b : shared) {
        starts.push_back(rounded_up(total, locations[b].alignment));
        total = starts.back() + locations[b].bytes;
    }
    if (total <= largest_declared_shared) return;
    dynamic_shared = names.unique("shared_memory");
    dynamic_shared_bytes = total;
    dynamic_shared_alignment = std::max<Integer>(128, locations[shared.front()].alignment);
    for (std::size_t k = 0; k < shared.size(); ++k) {
        locations[shared[k]].name = dynamic_shared;
        locations[shared[k]].origin += starts[k];
    }
}

} // namespace swirl::emit

#include "emit/ptx_layout.hpp"

#include "base/error.hpp"
#include "emit/gpu_launch.hpp"
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
    int number = 0;
    constexpr std::string_view prefix = "sm_";
    if (target.starts_with(prefix)) {
        const char* end = target.data() + target.size();
        const auto [rest, error] = std::from_chars(target.data() + prefix.size(), end, number);
        if (error != std::errc() || (rest != end && std::string_view(rest, end) != "a")) number = 0;
    }
    ensure(number >= 70, "ptx: target '{}'; known are sm_70 and later", target);
    return number;
}

bool is_special(const std::string& target) { return target.ends_with('a'); }

/// The earliest version of PTX that knows a target, by the release notes in NVIDIA's description of PTX.
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

/// The integer parameters in the order of their positions.
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

/// A local buffer all of whose accesses are at constant indices is registers.
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
        PtxPlace& place = places.emplace_back();
        const Integer size = size_in_bytes(buffer.element);
        place.name = names.unique(buffer.name);
        place.alignment = std::max<Integer>(size, buffer.alignment);
        if (buffer.space == ir::Space::shared) place.space = PtxPlace::Space::shared;
        if (buffer.space == ir::Space::local)
            place.space =
                in_registers[places.size() - 1] ? PtxPlace::Space::registers : PtxPlace::Space::local;
        place_in_global(buffer, place, options);
        if (place.is_passed || buffer.absolute) continue;
        place.alignment = std::max(place.alignment, widest_access);
        place.origin = rounded_up(std::max<Integer>(0, -buffer.first * size), place.alignment);
        const Integer elements = buffer.cluster_part > 0 ? buffer.cluster_part : buffer.elements;
        place.bytes = place.origin + (buffer.first + elements) * size;
    }
    pass_tensors(program, usage, names);
    for (const Variable variable : variables)
        numbers.push_back(names.unique(program.variables[static_cast<std::size_t>(variable)].name));
    place_shared(program, usage, names);
}

void PtxLayout::place_in_global(const ir::BufferInfo& buffer, PtxPlace& place, const PtxOptions& options) {
    switch (buffer.space) {
    case ir::Space::argument:
        place.is_passed = !buffer.absolute;
        if (buffer.absolute) place.alignment = widest_access; // as the address 0 is
        place.is_constant = !buffer.written && !options.arguments_overlap && !buffer.by_value;
        if (buffer.by_value) {
            place.space = PtxPlace::Space::parameter;
            place.alignment = widest_scalar;
            place.bytes = buffer.elements * size_in_bytes(buffer.element);
        }
        break;
    case ir::Space::scratch: place.is_passed = true; break;
    case ir::Space::table:
        place.is_constant = true;
        place.is_passed = buffer.elements * size_in_bytes(buffer.element) > options.largest_embedded_table ||
                          buffer.first != 0;
        place.alignment = std::max(place.alignment, widest_access);
        break;
    case ir::Space::shared:
    case ir::Space::local: break;
    }
}

/// Memory that is reached by tensors alone is no parameter beside them.
void PtxLayout::pass_tensors(const ir::Program& program, const Usage& usage, Identifiers& names) {
    for (std::size_t t = 0; t < program.tensors.size(); ++t) {
        tensors.push_back(usage.tensors[t] ? names.unique(program.tensors[t].name) : "");
        const auto buffer = static_cast<std::size_t>(program.tensors[t].buffer);
        if (!usage.buffers[buffer]) places[buffer].is_passed = false;
    }
    ensure(capability >= 90 || std::all_of(tensors.begin(), tensors.end(),
                                           [](const std::string& name) { return name.empty(); }),
           "ptx: '{}' has tensors, for which sm_90 is needed", program.name);
}

/// What is aligned most comes first, so that nothing is lost in between.
void PtxLayout::place_shared(const ir::Program& program, const Usage& usage, Identifiers& names) {
    std::vector<std::size_t> shared;
    for (std::size_t b = 0; b < places.size(); ++b)
        if (program.buffers[b].space == ir::Space::shared && usage.buffers[b]) shared.push_back(b);
    std::stable_sort(shared.begin(), shared.end(),
                     [&](std::size_t a, std::size_t b) { return places[a].alignment > places[b].alignment; });
    std::vector<Integer> starts;
    Integer total = 0;
    for (const std::size_t b : shared) {
        starts.push_back(rounded_up(total, places[b].alignment));
        total = starts.back() + places[b].bytes;
    }
    if (total <= largest_declared_shared) return;
    dynamic_shared = names.unique("shared_memory");
    dynamic_shared_bytes = total;
    dynamic_shared_alignment = std::max<Integer>(128, places[shared.front()].alignment);
    for (std::size_t k = 0; k < shared.size(); ++k) {
        places[shared[k]].name = dynamic_shared;
        places[shared[k]].origin += starts[k];
    }
}

} // namespace swirl::emit

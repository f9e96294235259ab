#include "emit/ptx/ptx.hpp"

#include "base/error.hpp"
#include "emit/literal.hpp"
#include "emit/ptx/kernel.hpp"
#include "emit/ptx/layout.hpp"
#include "emit/source_writer.hpp"
#include "emit/usage.hpp"
#include "ir/type_rules.hpp"
#include "problem/data_type.hpp"

namespace swirl::emit {
namespace {

constexpr Integer tensor_parameter_bytes = 128;
constexpr Integer tensor_parameter_alignment = 64;

std::string_view data_type(DataType scalar) {
    switch (scalar) {
    case DataType::int64: return ".s64";
    case DataType::float16:
    case DataType::bfloat16: return ".b16";
    case DataType::float32: return ".f32";
    case DataType::float64: return ".f64";
    default: throw InternalError("ptx: no tables hold {}", name_of(scalar));
    }
}

void write_table(SourceWriter& out, const ir::BufferInfo& buffer, const BufferLocation& location) {
    const bool is_integer = buffer.element == DataType::int64;
    const Integer held = buffer.contents ? buffer.contents->size() : 0;
    ensure(held >= buffer.elements, "ptx: table '{}' holds {} of {} entries", buffer.name, held,
           buffer.elements);
    std::vector<std::string> items;
    for (Integer i = 0; i < buffer.elements; ++i)
        if (is_integer)
            items.push_back(fmt::format("{}", buffer.contents->integers()[static_cast<std::size_t>(i)]));
        else if (is_short(buffer.element))
            items.push_back(bits_literal((*buffer.contents)[i], buffer.element));
        else
            items.push_back(ptx_literal((*buffer.contents)[i], buffer.element));
    out.list(fmt::format(".global .align {} {} {}[{}] = {{", location.alignment, data_type(buffer.element),
                         location.name, items.size()),
             items, "};");
}

void write_data(SourceWriter& out, const ir::Program& program, const Usage& usage, const PtxLayout& layout) {
    for (std::size_t b = 0; b < layout.locations.size(); ++b)
        if (program.buffers[b].space == ir::Space::table && !layout.locations[b].is_passed &&
            usage.buffers[b])
            write_table(out, program.buffers[b], layout.locations[b]);
    if (layout.dynamic_shared_bytes > 0)
        out.line(".extern .shared .align {} .b8 {}[];", layout.dynamic_shared_alignment,
                 layout.dynamic_shared);
}

/// PTX is ASCII, in comments too.
std::string ascii(std::string_view words) {
    std::string result;
    for (const char c : words)
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x80)
            result += c;
        else if (byte >= 0xC0) // first byte of a UTF-8 character
            result += '?';
    return result;
}

void describe(SourceWriter& out, const ir::Program& program, const PtxLayout& layout) {
    out.comment(ascii(program.name) + ": the elements of its buffers");
    for (std::size_t b = 0; b < layout.locations.size(); ++b) {
        const ir::BufferInfo& buffer = program.buffers[b];
        const BufferLocation& location = layout.locations[b];
        out.comment(fmt::format(
            "  {}: {} {} {}..{}{}", location.is_passed ? location.name : ascii(buffer.name),
            name_of(buffer.space), name_of(buffer.element), buffer.first, buffer.first + buffer.elements - 1,
            location.is_passed ? (location.is_constant ? ", read" : "") : ", not passed"));
    }
    out.comment(fmt::format("{} x {} x {} blocks", program.launch.blocks[0], program.launch.blocks[1],
                            program.launch.blocks[2]));
}

std::vector<std::string> formal_parameters(const PtxLayout& layout) {
    std::vector<std::string> result;
    for (const BufferLocation& location : layout.locations)
        if (location.space == BufferLocation::Space::parameter)
            result.push_back(fmt::format(".param .align {} .b8 {}[{}]", location.alignment, location.name,
                                         location.bytes));
        else if (location.is_passed)
            result.push_back(
                fmt::format(".param .u64 .ptr .global .align {} {}", location.alignment, location.name));
    for (const std::string& tensor : layout.tensors)
        if (!tensor.empty())
            result.push_back(fmt::format(".param .align {} .b8 {}[{}]", tensor_parameter_alignment, tensor,
                                         tensor_parameter_bytes));
    for (const std::string& name : layout.integers) result.push_back(fmt::format(".param .s64 {}", name));
    return result;
}

void declare_private_data(SourceWriter& out, const Usage& usage, const PtxLayout& layout) {
    for (std::size_t b = 0; b < layout.locations.size(); ++b) {
        const BufferLocation& location = layout.locations[b];
        const bool is_shared = location.space == BufferLocation::Space::shared;
        if (!usage.buffers[b] || (!is_shared && location.space != BufferLocation::Space::local)) continue;
        if (is_shared && layout.dynamic_shared_bytes > 0) continue;
        out.line("{} .align {} .b8 {}[{}];", is_shared ? ".shared" : ".local", location.alignment,
                 location.name, location.bytes);
    }
}

PtxParameter parameter_of(const BufferLocation& location, int buffer) {
    if (location.space == BufferLocation::Space::parameter)
        return {PtxParameter::Kind::value, buffer, location.bytes};
    return {PtxParameter::Kind::buffer, buffer};
}

} // namespace

std::string ptx(const ir::Program& program, const PtxOptions& options) {
    const Usage usage = usage_of(program);
    const PtxLayout layout(program, usage, options);
    PtxAssembly assembly;
    PtxKernelWriter(assembly, program, usage, layout).write();

    SourceWriter out;
    if (!options.comment.empty()) out.comment(ascii(options.comment));
    out.line(".version {}", layout.version);
    out.line(".target {}", options.target);
    out.line(".address_size 64");
    out.line();
    write_data(out, program, usage, layout);
    describe(out, program, layout);
    out.list(fmt::format(".visible .entry {}(", layout.entry), formal_parameters(layout), ")");
    const auto& threads = program.launch.threads;
    out.line(".maxntid {}, {}, {}", threads[0], threads[1], threads[2]);
    if (program.launch.cluster > 1) out.line(".reqnctapercluster {}, 1, 1", program.launch.cluster);
    if (program.launch.resident > 0) out.line(".minnctapersm {}", program.launch.resident);
    out.open("");
    declare_private_data(out, usage, layout);
    if (options.lets_next_start) out.line("griddepcontrol.launch_dependents;");
    if (options.starts_early) out.line("griddepcontrol.wait;");
    assembly.write_to(out);
    out.close();
    return std::move(out).text();
}

PtxInterface ptx_interface(const ir::Program& program, const PtxOptions& options) {
    const PtxLayout layout(program, usage_of(program), options);
    PtxInterface result;
    result.entry = layout.entry;
    result.dynamic_shared_bytes = layout.dynamic_shared_bytes;
    for (std::size_t b = 0; b < layout.locations.size(); ++b)
        if (layout.locations[b].is_passed)
            result.parameters.push_back(parameter_of(layout.locations[b], static_cast<int>(b)));
    for (std::size_t t = 0; t < layout.tensors.size(); ++t)
        if (!layout.tensors[t].empty())
            result.parameters.push_back(
                {PtxParameter::Kind::tensor, static_cast<int>(t), tensor_parameter_bytes});
    for (std::size_t n = 0; n < layout.integers.size(); ++n)
        result.parameters.push_back({PtxParameter::Kind::integer, static_cast<int>(n)});
    return result;
}

} // namespace swirl::emit

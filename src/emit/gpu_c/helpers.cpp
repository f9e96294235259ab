// Helper functions of GPU kernels.

#include "emit/gpu_c/kernel.hpp"
#include "emit/gpu_c/launch.hpp"
#include "ir/analysis.hpp"

namespace swirl::emit {
namespace {

std::string bits_of(const GpuDialect& dialect, std::string_view value) {
    return fmt::format(fmt::runtime(dialect.bits_of_float32), value);
}

std::string float_of(const GpuDialect& dialect, std::string_view bits) {
    return fmt::format(fmt::runtime(dialect.float32_of_bits), bits);
}

/// bfloat16 is the upper half of a float32.
void write_bfloat16(SourceWriter& out, const GpuDialect& dialect) {
    {
        SourceWriter::Block block(
            out, fmt::format("{}float bfloat16_value(unsigned short bits)", dialect.function));
        out.line("return {};", float_of(dialect, "(int)((unsigned int)bits << 16)"));
    }
    SourceWriter::Block block(out, fmt::format("{}unsigned short bfloat16_bits(float x)", dialect.function));
    out.line("const unsigned int bits = (unsigned int){};", bits_of(dialect, "x"));
    out.line("if (x != x) return (unsigned short)(bits >> 16 | 64u);");
    out.line("return (unsigned short)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);");
}

void write_to_odd(SourceWriter& out, const GpuDialect& dialect) {
    out.comment(
        "Rounded towards 0, and the last bit set where something was lost: rounding that to at least two "
        "bits "
        "fewer is as if rounding once (Boldo and Melquiond, 2008).");
    SourceWriter::Block block(out, fmt::format("{}float to_odd(double x)", dialect.function));
    out.line("const float nearest = (float)x;");
    out.line("const double back = (double)nearest;");
    out.line("if (back == x || x != x) return nearest;");
    out.line("const int bits = {};", bits_of(dialect, "nearest"));
    out.line("const int cut = (back > x) == (x > 0.0) ? bits - 1 : bits;");
    out.line("return {};", float_of(dialect, "cut | 1"));
}

} // namespace

void GpuHelpers::include(const GpuKernel& kernel) {
    const auto include = [&](DataType scalar) {
        float64 = float64 || scalar == DataType::float64;
        float16 = float16 || scalar == DataType::float16;
        bfloat16 = bfloat16 || scalar == DataType::bfloat16;
    };
    const ir::Program& program = *kernel.program;
    clusters = clusters || program.launch.cluster > 1;
    groups = groups || program.launch.cooperative_group > 1;
    for (std::size_t v = 0; v < program.operations.size(); ++v) {
        if (!kernel.usage.values[v]) continue;
        const ir::Operation& operation = program.operations[v];
        include(operation.type.scalar);
        if (!is_short(operation.type.scalar)) continue;
        const bool is_fused = operation.opcode == ir::Opcode::fma || operation.opcode == ir::Opcode::fms ||
                              operation.opcode == ir::Opcode::fnma;
        const DataType from = operation.opcode == ir::Opcode::convert
                                  ? program[operation.operands[0]].type.scalar
                                  : DataType::float32;
        to_odd = to_odd || is_fused || from == DataType::float64 || from == DataType::int64;
    }
    float64 = float64 || to_odd;
    for (std::size_t b = 0; b < program.buffers.size(); ++b)
        if (kernel.usage.buffers[b]) include(program.buffers[b].element);
}

void write_helpers(SourceWriter& out, const GpuDialect& dialect, const GpuHelpers& helpers) {
    out.paragraph(dialect.pragmas);
    if (helpers.float64) out.paragraph(dialect.float64_pragma);
    if (helpers.float16) out.paragraph(dialect.float16_helpers);
    if (helpers.clusters) out.paragraph(dialect.cluster_helpers);
    if (helpers.groups) out.paragraph(dialect.cooperative_helpers);
    if (helpers.bfloat16) {
        out.line();
        write_bfloat16(out, dialect);
    }
    if (helpers.to_odd) {
        out.line();
        write_to_odd(out, dialect);
    }
}

void reserve_gpu_keywords(Identifiers& names, const GpuDialect& dialect) {
    for (const std::string_view word : dialect.reserved) names.reserve(word);
    for (const char* helper :
         {"float16_value", "float16_bits", "bfloat16_value", "bfloat16_bits", "to_odd", "shared_memory",
          "workspace", "in_block", "arrive", "arrivals", "awaited", "NAN", "INFINITY", "NULL"})
        names.reserve(helper);
}

} // namespace swirl::emit

#include "gemm/extremes.hpp"

#include "ir/builder.hpp"
#include "target/x86/magnitudes.hpp"

#include <limits>

namespace swirl::gemm {

ir::Program extremes(Integer max_columns, Integer max_length, Integer max_stride) {
    constexpr ir::Type vector{DataType::float32, extremes_lanes};
    constexpr ir::Access whole_vector{.lanes = extremes_lanes};
    constexpr int unroll = 4;
    ir::Builder builder("gemm_extremes");
    const ir::Buffer from =
        builder.input("source", vector.scalar, max_length + (max_columns - 1) * max_stride);
    const ir::Buffer to = builder.output("extremes", vector.scalar, 2 * extremes_lanes);
    const ir::Buffer found = builder.local("partial_extremes", vector.scalar, 2 * extremes_lanes);
    const Affine columns = builder.parameter("columns"), whole = builder.parameter("unrolled");
    const Affine length = builder.parameter("length"), stride = builder.parameter("stride");

    const auto look = [&](const Affine& column, const Affine& at, int vectors) {
        const ir::Value start = builder.multiply(builder.index(column), builder.index(stride));
        ir::Value largest = builder.load(found, 0, whole_vector);
        ir::Value least = builder.load(found, extremes_lanes, whole_vector);
        for (int v = 0; v < vectors; ++v) {
            const ir::Value x =
                builder.load(from, at + v * extremes_lanes, {.lanes = extremes_lanes, .dynamic = start});
            largest = builder.instruction(target::x86::largest_magnitude(), {largest, x});
            least = builder.instruction(target::x86::least_magnitude(), {least, x});
        }
        builder.store(found, 0, largest, whole_vector);
        builder.store(found, extremes_lanes, least, whole_vector);
    };
    builder.store(found, 0, builder.constant(vector, 0), whole_vector);
    builder.store(found, extremes_lanes,
                  builder.constant(vector, std::numeric_limits<long double>::infinity()), whole_vector);
    builder.for_loop("column", columns, [&](const Affine& column) {
        builder.for_loop("i", 0, whole, unroll * extremes_lanes, ir::For::Kind::serial,
                         [&](const Affine& at) { look(column, at, unroll); });
        builder.for_loop("remainder", whole, length - (extremes_lanes - 1), extremes_lanes,
                         ir::For::Kind::serial, [&](const Affine& at) { look(column, at, 1); });
        look(column, length - extremes_lanes, 1); // overlaps the previous vectors
    });
    for (const Integer at : {0, extremes_lanes})
        builder.store(to, at, builder.load(found, at, whole_vector), whole_vector);
    return builder.finish();
}

} // namespace swirl::gemm

#include "gemm/extremes.hpp"

#include "ir/builder.hpp"
#include "target/x86/magnitudes.hpp"

#include <limits>

namespace swirl::gemm {

namespace {

/// What was found so far, in the lanes of a local buffer.
class ExtremesWriter {
public:
    ExtremesWriter(ir::Builder& builder, Integer elements)
        : builder_(builder),
          from_(builder.input("source", vector.scalar, elements)),
          to_(builder.output("extremes", vector.scalar, 2 * extremes_lanes)),
          found_(builder.local("partial_extremes", vector.scalar, 2 * extremes_lanes)) {}

    void begin() {
        builder_.store(found_, 0, builder_.constant(vector, 0), whole_vector);
        builder_.store(found_, extremes_lanes,
                       builder_.constant(vector, std::numeric_limits<long double>::infinity()), whole_vector);
    }
    /// Looks at some vectors, or at the first lanes of one: zeros in the others change nothing.
    void look(const Affine& at, ir::Value start, int vectors, int active) {
        ir::Value largest = builder_.load(found_, 0, whole_vector);
        ir::Value least = builder_.load(found_, extremes_lanes, whole_vector);
        for (int v = 0; v < vectors; ++v) {
            const ir::Value x = builder_.load(from_, at + v * extremes_lanes,
                                              {.lanes = extremes_lanes, .active = active, .dynamic = start});
            largest = builder_.instruction(target::x86::largest_magnitude(), {largest, x});
            least = builder_.instruction(target::x86::least_magnitude(), {least, x});
        }
        builder_.store(found_, 0, largest, whole_vector);
        builder_.store(found_, extremes_lanes, least, whole_vector);
    }
    void finish() {
        for (const Integer at : {0, extremes_lanes})
            builder_.store(to_, at, builder_.load(found_, at, whole_vector), whole_vector);
    }

private:
    static constexpr ir::Type vector{DataType::float32, extremes_lanes};
    static constexpr ir::Access whole_vector{.lanes = extremes_lanes};

    ir::Builder& builder_;
    ir::Buffer from_, to_, found_;
};

} // namespace

ir::Program extremes(Integer max_columns, Integer max_length, Integer max_stride) {
    constexpr int unroll = 4;
    ir::Builder builder("gemm_extremes");
    ExtremesWriter writer(builder, max_length + (max_columns - 1) * max_stride);
    const Affine columns = builder.parameter("columns"), whole = builder.parameter("unrolled");
    const Affine length = builder.parameter("length"), stride = builder.parameter("stride");

    const auto look = [&](const Affine& column, const Affine& at, int vectors) {
        writer.look(at, builder.multiply(builder.index(column), builder.index(stride)), vectors,
                    extremes_lanes);
    };
    writer.begin();
    builder.for_loop("column", columns, [&](const Affine& column) {
        builder.for_loop("i", 0, whole, unroll * extremes_lanes, ir::For::Kind::serial,
                         [&](const Affine& at) { look(column, at, unroll); });
        builder.for_loop("remainder", whole, length - (extremes_lanes - 1), extremes_lanes,
                         ir::For::Kind::serial, [&](const Affine& at) { look(column, at, 1); });
        look(column, length - extremes_lanes, 1); // overlaps the previous vectors
    });
    writer.finish();
    return builder.finish();
}

ir::Program extremes_one_by_one(Integer max_columns, Integer max_length, Integer max_stride) {
    ir::Builder builder("gemm_extremes_one_by_one");
    ExtremesWriter writer(builder, 1 + (max_length + max_columns) * max_stride);
    const Affine columns = builder.parameter("columns"), length = builder.parameter("length");
    const Affine element_stride = builder.parameter("element_stride"), stride = builder.parameter("stride");
    writer.begin();
    builder.for_loop("column", columns, [&](const Affine& column) {
        const ir::Value start = builder.multiply(builder.index(column), builder.index(stride));
        builder.for_loop("i", length, [&](const Affine& at) {
            const ir::Value offset = builder.multiply(builder.index(at), builder.index(element_stride));
            writer.look(0, builder.add(start, offset), 1, 1);
        });
    });
    writer.finish();
    return builder.finish();
}

} // namespace swirl::gemm

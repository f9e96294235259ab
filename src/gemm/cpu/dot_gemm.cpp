#include "gemm/cpu/dot_gemm.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "gemm/cpu/dot_writer.hpp"
#include "gemm/cpu/small_program.hpp"
#include "ir/transpose.hpp"

#include <algorithm>
#include <optional>

namespace swirl::gemm {

namespace {

/// A or B, by rows or columns that are dotted.
struct OperandVectors {
    ir::Buffer buffer = 0;
    Integer count = 0;    ///< rows of A or columns of B
    Integer stride = 0;   ///< in elements, from one to the next
    Integer k_stride = 0; ///< in elements
    bool conjugated = false;
    std::optional<Integer> packed_at = {}; ///< where its copy begins in `packed`, in scalars
};

class DotProgram : SmallProgram {
public:
    DotProgram(const SmallGemm& small, const DotGemm& schedule)
        : SmallProgram(small, "gemm_dot"), schedule_(schedule) {
        ensure(!small.a_is_given_packed, "A of a product with lanes along K is not prepacked");
        a_ = {.buffer = add_matrix(builder_, ir::ArgumentRole::a, product_.data_type, product_.a,
                                   product_.rows, product_.k, false),
              .count = product_.rows,
              .stride = product_.a.row_stride,
              .k_stride = product_.a.column_stride,
              .conjugated = product_.a.conjugated};
        b_ = {.buffer = add_matrix(builder_, ir::ArgumentRole::b, product_.data_type, product_.b, product_.k,
                                   product_.columns, false),
              .count = product_.columns,
              .stride = product_.b.column_stride,
              .k_stride = product_.b.row_stride,
              .conjugated = product_.b.conjugated};
        add_result();
        if (const Integer bytes = dot_packed_bytes(product_, schedule); bytes > 0)
            packed_ = builder_.scratch("packed", scalar_, bytes / bytes_of(scalar_));
        add_epilogue_and_accumulators(DotWriter::accumulator_scalars(product_.data_type, schedule));
    }

    ir::Program build() {
        Integer first = 0;
        if (dot_packs_a(product_)) first = pack(a_, first);
        if (dot_packs_b(product_)) pack(b_, first);
        for_each_k_block(schedule_.kc, [&](const Affine& k, Integer k_extent, Update update) {
            for_each_tile(schedule_.rows, schedule_.columns, schedule_.rows_outermost,
                          [&](const Affine& row, int rows, const Affine& column, int columns) {
                              multiply_tile(row, rows, column, columns, k, k_extent, update);
                          });
        });
        return builder_.finish();
    }

private:
    int k_of_vector() const { return schedule_.lanes / components_; }

    /// Copies the operand's rows or columns to `packed`, from scalar `first` on; returns the end of the copy.
    Integer pack(OperandVectors& operand, Integer first) {
        for_each_block(builder_, "k", product_.k, k_of_vector(), [&](const Affine& k, Integer count) {
            const Affine to = first + components_ * operand.count * k;
            if (operand.stride == 1 && components_ == 1)
                transpose_vectors(operand, k, static_cast<int>(count), to);
            else
                copy_elements(operand, k, static_cast<int>(count), to);
        });
        const Integer vectors = ceil_divide(product_.k, Integer{k_of_vector()});
        operand.packed_at = first;
        return first + vectors * operand.count * schedule_.lanes;
    }

    /// A vector along K of each row or column, where these are neighbours in memory.
    void transpose_vectors(const OperandVectors& operand, const Affine& k, int count, const Affine& to) {
        const int lanes = schedule_.lanes;
        const ir::Value zero = builder_.constant({scalar_, lanes}, 0);
        for (Integer index = 0; index < operand.count; index += lanes) {
            const int active = static_cast<int>(std::min<Integer>(lanes, operand.count - index));
            std::vector<ir::Value> rows;
            for (int step = 0; step < lanes; ++step)
                rows.push_back(step < count
                                   ? builder_.load(operand.buffer, operand.k_stride * (k + step) + index,
                                                   {.lanes = lanes, .active = active})
                                   : zero);
            const std::vector<ir::Value> columns = ir::columns_of_rows(builder_.writer(), rows, active);
            for (int at = 0; at < active; ++at)
                builder_.store(packed_, to + (index + at) * lanes, columns[static_cast<std::size_t>(at)],
                               {.lanes = lanes});
        }
    }

    void copy_elements(const OperandVectors& operand, const Affine& k, int count, const Affine& to) {
        const ir::Value zero = builder_.constant({scalar_, components_}, 0);
        const auto copy_vector = [&](const Affine& index) {
            for (int step = 0; step < k_of_vector(); ++step) {
                const Affine from = components_ * (operand.k_stride * (k + step) + operand.stride * index);
                builder_.store(
                    packed_, to + schedule_.lanes * index + components_ * step,
                    step < count ? builder_.load(operand.buffer, from, {.lanes = components_}) : zero,
                    {.lanes = components_});
            }
        };
        builder_.for_loop("index", operand.count, copy_vector);
    }

    void multiply_tile(const Affine& row, int rows, const Affine& column, int columns, const Affine& k,
                       Integer k_extent, Update update) {
        const bool is_contiguous = rows == product_.rows && product_.c.column_stride == product_.rows &&
                                   epilogue_.epilogue == nullptr;
        DotWriter writer(builder_, product_.data_type, schedule_, rows, columns, accumulators_);
        writer.multiply(operand(a_, row, k), operand(b_, column, k), k_extent);
        writer.update(result_at(row, column, k, k_extent), update, is_contiguous);
    }

    DotOperand operand(const OperandVectors& operand, const Affine& index, const Affine& k) const {
        if (operand.packed_at)
            return {.buffer = packed_,
                    .origin = *operand.packed_at + components_ * operand.count * k + schedule_.lanes * index,
                    .vector_stride = schedule_.lanes * operand.count,
                    .stride = schedule_.lanes,
                    .is_padded = true,
                    .conjugated = operand.conjugated};
        return {.buffer = operand.buffer,
                .origin = components_ * (operand.stride * index + k),
                .vector_stride = schedule_.lanes,
                .stride = components_ * operand.stride,
                .conjugated = operand.conjugated};
    }

    const DotGemm& schedule_;
    OperandVectors a_, b_;
    ir::Buffer packed_ = 0;
};

} // namespace

std::string_view dot_gemm_infeasibility(const MatrixProduct& product) {
    if (product.widens() || product.converts()) return "A, B and C are not of one data type";
    const DataType scalar = component_of(product.data_type);
    if (scalar != DataType::float32 && scalar != DataType::float64)
        return "lanes along K sum float32 and float64";
    if (product.c.row_stride != 1) return "C has no dimension of stride 1";
    return "";
}

int dot_registers(const DotGemm& schedule, DataType data_type) {
    const int components = scalars_in(data_type);
    return components * schedule.rows * schedule.columns * schedule.chains + components * schedule.columns +
           1;
}

bool dot_packs_a(const MatrixProduct& product) { return product.k > 1 && product.a.column_stride != 1; }
bool dot_packs_b(const MatrixProduct& product) { return product.k > 1 && product.b.row_stride != 1; }

Integer dot_packed_bytes(const MatrixProduct& product, const DotGemm& schedule) {
    const Integer copied =
        (dot_packs_a(product) ? product.rows : 0) + (dot_packs_b(product) ? product.columns : 0);
    const Integer vectors = ceil_divide(product.k * scalars_in(product.data_type), Integer{schedule.lanes});
    return copied * vectors * schedule.lanes * bytes_of(scalar_of(product.data_type));
}

DotGemm model_dot(const MatrixProduct& product, const target::Cpu& cpu) {
    constexpr int most_vectors = 8, least_accumulators = 8, vectors_per_iteration = 16;
    constexpr Integer deepest = 1 << 14;
    /// Fraction of the time of loads that multiply-adds do not hide.
    constexpr double load_weight = 0.25;
    /// Half of L1: where a tile has one line of the larger operand, each of its vectors needs many of the smaller one.
    constexpr Integer near_bytes = 24 << 10;
    const int components = scalars_in(product.data_type);
    DotGemm dot;
    const DataType scalar = scalar_of(product.data_type);
    dot.lanes = target::lanes(cpu, scalar);
    const int least_lanes = static_cast<int>(16 / bytes_of(scalar));
    while (dot.lanes / 2 >= product.k * components && dot.lanes / 2 >= least_lanes) dot.lanes /= 2;
    const Integer vectors = ceil_divide(product.k * components, Integer{dot.lanes});
    // Loads and multiply-adds of a vector along K, for all tiles.
    double least = 0;
    DotGemm best = dot;
    for (int rows = 1; rows <= std::min<Integer>(most_vectors, product.rows); ++rows)
        for (int columns = 1; columns <= std::min<Integer>(most_vectors, product.columns); ++columns) {
            dot.rows = rows;
            dot.columns = columns;
            if (dot_registers(dot, product.data_type) > cpu.vector_registers) continue;
            const Integer tiles =
                ceil_divide(product.rows, Integer{rows}) * ceil_divide(product.columns, Integer{columns});
            const double work = std::max({components * rows * columns, rows + columns, least_accumulators}) +
                                load_weight * (rows + columns);
            const double cost = static_cast<double>(tiles) * work;
            if (least == 0 || cost < least) {
                least = cost;
                best = dot;
            }
        }
    dot = best;
    const int accumulators = components * dot.rows * dot.columns;
    while (dot.chains * accumulators < least_accumulators && 2 * dot.chains <= vectors) {
        DotGemm more = dot;
        more.chains *= 2;
        if (dot_registers(more, product.data_type) > cpu.vector_registers) break;
        dot = more;
    }
    dot.unroll = dot.chains * std::max(1, vectors_per_iteration / (accumulators * dot.chains));
    // That much of the operand with fewer rows or columns stays in a core's own outer cache.
    const Integer bytes = bytes_of(product.data_type) * std::min(product.rows, product.columns);
    const int uses = product.columns < product.rows ? dot.rows : dot.columns;
    const bool stays_near = uses == 1 && std::max(product.rows, product.columns) > 1;
    const Integer cache = stays_near ? near_bytes : outer_cache_bytes(cpu) / 2;
    const Integer most_k = std::clamp<Integer>(cache / bytes, Integer{dot.unroll} * dot.lanes, deepest);
    dot.kc = product.k <= most_k
                 ? product.k
                 : std::min(product.k,
                            balanced_block(product.k, most_k, Integer{dot.unroll} * dot.lanes / components));
    dot.rows_outermost = product.columns < product.rows;
    return dot;
}

ir::Program dot_gemm(const SmallGemm& small, const DotGemm& schedule) {
    return DotProgram(small, schedule).build();
}

} // namespace swirl::gemm

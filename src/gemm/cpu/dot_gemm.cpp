#include "gemm/cpu/dot_gemm.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "gemm/cpu/dot_writer.hpp"
#include "gemm/whole_problem.hpp"
#include "ir/transpose.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

/// A or B, by rows or columns that are dotted.
struct Lines {
    ir::Buffer buffer = 0;
    Integer count = 0;    ///< rows of A or columns of B
    Integer stride = 0;   ///< in elements, from one to the next
    Integer k_stride = 0; ///< in elements
    bool conjugated = false;
    bool is_packed = false;
};

class DotGemmBuilder {
public:
    DotGemmBuilder(const SmallGemm& small, const DotGemm& schedule)
        : small_(small),
          schedule_(schedule),
          product_(small.product),
          components_(scalars_in(product_.data_type)),
          scalar_(scalar_of(product_.data_type)),
          builder_("gemm_dot") {
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
        c_ = add_matrix(builder_, ir::ArgumentRole::c, product_.data_type, product_.c, product_.rows,
                        product_.columns, true);
        alpha_ = builder_.input("alpha", scalar_, components_, {ir::ArgumentRole::alpha});
        beta_ = builder_.input("beta", scalar_, components_, {ir::ArgumentRole::beta});
        if (const Integer bytes = dot_packed_bytes(product_, schedule); bytes > 0)
            packed_ = builder_.scratch("packed", scalar_, bytes / bytes_of(scalar_));
        if (!small.epilogue.is_identity())
            epilogue_ = EpilogueBuffers(builder_, product_.data_type, small.epilogue, product_.rows,
                                        product_.columns);
        accumulators_ =
            builder_.local("sums", scalar_, DotWriter::accumulator_scalars(product_.data_type, schedule));
    }

    ir::Program build() {
        Integer first = 0;
        if (dot_packs_a(product_)) first = pack(a_, first);
        if (dot_packs_b(product_)) pack(b_, first);
        const Integer k_extent = product_.k, block = schedule_.kc;
        // The last block is separate if the epilogue finishes elements there.
        const Integer last = epilogue_.epilogue != nullptr || k_extent % block != 0
                                 ? (k_extent - 1) / block * block
                                 : k_extent;
        multiply_block(0, std::min(block, k_extent), small_.update);
        builder_.for_loop("block", std::min(block, last), last, block, ir::For::Kind::serial,
                          [&](const Affine& at) { multiply_block(at, block, Update::add); });
        if (last > 0 && last < k_extent) multiply_block(last, k_extent - last, Update::add);
        return builder_.finish();
    }

private:
    int k_of_vector() const { return schedule_.lanes / components_; }

    /// Copies lines to `packed`, from scalar `first` on; returns the end of the copy.
    Integer pack(Lines& lines, Integer first) {
        for_each_block(builder_, "k", product_.k, k_of_vector(), [&](const Affine& k, Integer count) {
            const Affine to = first + components_ * lines.count * k;
            if (lines.stride == 1 && components_ == 1)
                transpose_vectors(lines, k, static_cast<int>(count), to);
            else
                copy_elements(lines, k, static_cast<int>(count), to);
        });
        const Integer vectors = ceil_divide(product_.k, Integer{k_of_vector()});
        lines = {.buffer = packed_,
                 .count = lines.count,
                 .stride = schedule_.lanes,
                 .k_stride = 1,
                 .conjugated = lines.conjugated,
                 .is_packed = true};
        (&lines == &a_ ? a_first_ : b_first_) = first;
        return first + vectors * lines.count * schedule_.lanes;
    }

    /// A vector along K of each line, where lines are neighbours in memory.
    void transpose_vectors(const Lines& lines, const Affine& k, int count, const Affine& to) {
        const int lanes = schedule_.lanes;
        const ir::Value zero = builder_.constant({scalar_, lanes}, 0);
        for (Integer line = 0; line < lines.count; line += lanes) {
            const int active = static_cast<int>(std::min<Integer>(lanes, lines.count - line));
            std::vector<ir::Value> rows;
            for (int step = 0; step < lanes; ++step)
                rows.push_back(step < count ? builder_.load(lines.buffer, lines.k_stride * (k + step) + line,
                                                            {.lanes = lanes, .active = active})
                                            : zero);
            const std::vector<ir::Value> columns = ir::columns_of_rows(builder_.writer(), rows, active);
            for (int at = 0; at < active; ++at)
                builder_.store(packed_, to + (line + at) * lanes, columns[static_cast<std::size_t>(at)],
                               {.lanes = lanes});
        }
    }

    void copy_elements(const Lines& lines, const Affine& k, int count, const Affine& to) {
        const ir::Value zero = builder_.constant({scalar_, components_}, 0);
        const auto copy_line = [&](const Affine& line) {
            for (int step = 0; step < k_of_vector(); ++step) {
                const Affine from = components_ * (lines.k_stride * (k + step) + lines.stride * line);
                builder_.store(
                    packed_, to + schedule_.lanes * line + components_ * step,
                    step < count ? builder_.load(lines.buffer, from, {.lanes = components_}) : zero,
                    {.lanes = components_});
            }
        };
        builder_.for_loop("line", lines.count, copy_line);
    }

    void multiply_block(const Affine& k, Integer k_extent, Update update) {
        const auto each_row = [&](auto&& body) {
            for_each_block(builder_, "i", product_.rows, schedule_.rows, body);
        };
        const auto each_column = [&](auto&& body) {
            for_each_block(builder_, "j", product_.columns, schedule_.columns, body);
        };
        const auto tile_at = [&](const Affine& row, Integer rows, const Affine& column, Integer columns) {
            multiply_tile(row, static_cast<int>(rows), column, static_cast<int>(columns), k, k_extent,
                          update);
        };
        if (schedule_.rows_outermost)
            each_row([&](const Affine& row, Integer rows) {
                each_column(
                    [&](const Affine& column, Integer columns) { tile_at(row, rows, column, columns); });
            });
        else
            each_column([&](const Affine& column, Integer columns) {
                each_row([&](const Affine& row, Integer rows) { tile_at(row, rows, column, columns); });
            });
    }

    void multiply_tile(const Affine& row, int rows, const Affine& column, int columns, const Affine& k,
                       Integer k_extent, Update update) {
        const bool is_last = k.is_constant() && k.constant() + k_extent == product_.k;
        const TileResult c{.buffer = c_,
                           .origin = components_ * (row + product_.c.column_stride * column),
                           .column_stride = components_ * product_.c.column_stride,
                           .alpha = alpha_,
                           .beta = beta_,
                           .is_plain = small_.alpha_is_one,
                           .epilogue = is_last && epilogue_.epilogue != nullptr ? &epilogue_ : nullptr,
                           .first_row = row,
                           .first_column = column};
        const bool is_contiguous = rows == product_.rows && product_.c.column_stride == product_.rows &&
                                   epilogue_.epilogue == nullptr;
        DotWriter writer(builder_, product_.data_type, schedule_, rows, columns, accumulators_);
        writer.multiply(operand(a_, a_first_, row, k), operand(b_, b_first_, column, k), k_extent);
        writer.update(c, update, is_contiguous);
    }

    DotOperand operand(const Lines& lines, Integer first, const Affine& line, const Affine& k) const {
        if (lines.is_packed)
            return {.buffer = lines.buffer,
                    .origin = first + components_ * lines.count * k + schedule_.lanes * line,
                    .vector_stride = schedule_.lanes * lines.count,
                    .stride = schedule_.lanes,
                    .is_padded = true,
                    .conjugated = lines.conjugated};
        return {.buffer = lines.buffer,
                .origin = components_ * (lines.stride * line + k),
                .vector_stride = schedule_.lanes,
                .stride = components_ * lines.stride,
                .conjugated = lines.conjugated};
    }

    const SmallGemm& small_;
    const DotGemm& schedule_;
    const MatrixProduct& product_;
    int components_;
    DataType scalar_;
    ir::Builder builder_;
    Lines a_, b_;
    Integer a_first_ = 0, b_first_ = 0; ///< in `packed`
    ir::Buffer c_, alpha_, beta_, packed_ = 0, accumulators_;
    EpilogueBuffers epilogue_;
};

/// A core's own outer cache, if the target's table has none.
constexpr Integer least_cache = 256 << 10;

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
    const Integer lines =
        (dot_packs_a(product) ? product.rows : 0) + (dot_packs_b(product) ? product.columns : 0);
    const Integer vectors = ceil_divide(product.k * scalars_in(product.data_type), Integer{schedule.lanes});
    return lines * vectors * schedule.lanes * bytes_of(scalar_of(product.data_type));
}

DotGemm model_dot(const MatrixProduct& product, const target::Cpu& cpu) {
    constexpr int most_lines = 8, least_accumulators = 8, vectors_per_iteration = 16;
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
    for (int rows = 1; rows <= std::min<Integer>(most_lines, product.rows); ++rows)
        for (int columns = 1; columns <= std::min<Integer>(most_lines, product.columns); ++columns) {
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
    // That much of the operand with fewer lines stays in a core's own outer cache.
    const Integer bytes = bytes_of(product.data_type) * std::min(product.rows, product.columns);
    const int lines = product.columns < product.rows ? dot.rows : dot.columns;
    const bool stays_near = lines == 1 && std::max(product.rows, product.columns) > 1;
    const Integer cache = stays_near ? near_bytes : std::max<Integer>(cpu.cache_bytes, least_cache) / 2;
    const Integer most_k = std::clamp<Integer>(cache / bytes, Integer{dot.unroll} * dot.lanes, deepest);
    dot.kc = product.k <= most_k
                 ? product.k
                 : std::min(product.k,
                            balanced_block(product.k, most_k, Integer{dot.unroll} * dot.lanes / components));
    dot.rows_outermost = product.columns < product.rows;
    return dot;
}

ir::Program dot_gemm(const SmallGemm& small, const DotGemm& schedule) {
    return DotGemmBuilder(small, schedule).build();
}

} // namespace swirl::gemm

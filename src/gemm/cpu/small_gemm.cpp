#include "gemm/cpu/small_gemm.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "gemm/cpu/panel_writer.hpp"
#include "gemm/cpu/small_program.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

namespace {

/// Whether A is packed first.
bool is_packed(const MatrixProduct& product) {
    return is_complex(product.data_type) || product.a.row_stride != 1;
}
/// K indices of a packed panel of A: all of a given one, else a block of K.
Integer panel_k(const SmallGemm& small, const UnpackedGemm& schedule) {
    return small.a_is_given_packed ? small.product.k : std::min(schedule.kc, small.product.k);
}
/// Bytes of A packed in panels: one panel if rows are outermost, else all of a block of K.
Integer panels_bytes(const SmallGemm& small, const UnpackedGemm& schedule) {
    const Integer in_panel = schedule.tile.rows();
    const bool is_one = !small.a_is_given_packed && schedule.rows_outermost;
    const Integer rows = is_one ? in_panel : ceil_divide(small.product.rows, in_panel) * in_panel;
    return rows * panel_k(small, schedule) * bytes_of(small.product.data_type);
}
bool packs(const SmallGemm& small) { return !small.a_is_given_packed && is_packed(small.product); }

/// Along columns, of the transposed problem, in which A and B have exchanged their roles.
class UnpackedProgram : SmallProgram {
public:
    UnpackedProgram(const SmallGemm& small, const UnpackedGemm& schedule)
        : SmallProgram(small, "gemm_small"), schedule_(schedule) {
        if (schedule.along_columns) b_ = add_b(ir::ArgumentRole::a);
        a_ = small.a_is_given_packed
                 ? builder_.input("a", scalar_, panels_bytes(small, schedule) / bytes_of(scalar_),
                                  {ir::ArgumentRole::a})
                 : add_matrix(builder_, schedule.along_columns ? ir::ArgumentRole::b : ir::ArgumentRole::a,
                              product_.data_type, product_.a, product_.rows, product_.k, false);
        if (!schedule.along_columns) b_ = add_b(ir::ArgumentRole::b);
        add_result();
        packed_ = a_;
        if (packs(small))
            packed_ = builder_.scratch("packed", scalar_, panels_bytes(small, schedule) / bytes_of(scalar_));
        add_epilogue_and_accumulators(TileWriter::accumulator_scalars(product_.data_type, schedule.tile));
    }

    ir::Program build() {
        for_each_k_block(schedule_.kc, [&](const Affine& k, Integer k_extent, Update update) {
            if (packs(small_) && !schedule_.rows_outermost) pack_all_rows(k, k_extent);
            for_each_tile(
                schedule_.tile.rows(), schedule_.tile.columns, schedule_.rows_outermost,
                [&](const Affine& row, int rows, const Affine& column, int columns) {
                    multiply_tile(row, rows, column, columns, k, static_cast<int>(k_extent), update);
                },
                [&](const Affine& row, Integer rows) {
                    if (packs(small_)) pack_rows(row, rows, k, k_extent);
                });
        });
        return builder_.finish();
    }

private:
    ir::Buffer add_b(ir::ArgumentRole role) {
        return add_matrix(builder_, role, product_.data_type, product_.b, product_.k, product_.columns,
                          false);
    }

    void pack_all_rows(const Affine& k, Integer k_extent) {
        for_each_block(builder_, "i", product_.rows, schedule_.tile.rows(),
                       [&](const Affine& row, Integer rows) { pack_rows(row, rows, k, k_extent); });
    }

    /// The panel of these rows for a block of K.
    void pack_rows(const Affine& row, Integer rows, const Affine& k, Integer k_extent) {
        const Pack pack{.data_type = product_.data_type,
                        .lanes = schedule_.tile.lanes,
                        .width = schedule_.tile.rows(),
                        .count = static_cast<int>(rows),
                        .source = source(),
                        .conjugated = product_.a.conjugated,
                        .max_k = product_.k};
        const PanelAddresses addresses{
            .from = a_,
            .from_origin = components_ * (product_.a.row_stride * row + product_.a.column_stride * k),
            .k_stride = components_ * product_.a.column_stride,
            .stride = components_ * product_.a.row_stride,
            .to = packed_,
            .to_origin = panel_offset(row)};
        const Integer k_step = k_per_iteration(pack);
        PanelWriter(builder_, pack, addresses).write(k_extent / k_step * k_step, k_extent);
    }
    Pack::Source source() const {
        if (product_.a.row_stride == 1) return Pack::Source::across_panel;
        return product_.a.column_stride == 1 ? Pack::Source::along_k : Pack::Source::neither;
    }
    /// Offset of the packed panel of A that begins at `row`: components scalars per row and k. With rows outermost there is
    /// one panel at a time.
    Affine panel_offset(const Affine& row) const {
        if (!small_.a_is_given_packed && schedule_.rows_outermost) return 0;
        return components_ * panel_k(small_, schedule_) * row;
    }

    void multiply_tile(const Affine& row, int rows, const Affine& column, int columns, const Affine& k,
                       int k_extent, Update update) {
        const TileOperand a = operand_a(row, k);
        const TileOperand b = operand_b(column, k);
        const TileResult c = result_at(row, column, k, k_extent);
        TileWriter writer(builder_, product_.data_type, schedule_.tile.lanes, rows, columns, accumulators_);
        if (schedule_.prefetch_c) writer.prefetch(c);
        const int whole = k_extent / schedule_.unroll * schedule_.unroll;
        if (whole > schedule_.unroll) {
            writer.clear();
            writer.multiply(a, b, 0, whole, schedule_.unroll);
            if (whole < k_extent) writer.multiply_straight(a, b, whole, k_extent - whole);
        } else {
            writer.multiply_straight(a, b, 0, k_extent);
        }
        writer.update(c, update);
    }

    TileOperand operand_b(const Affine& column, const Affine& k) const {
        return {.buffer = b_,
                .origin = components_ * (product_.b.column_stride * column + product_.b.row_stride * k),
                .k_stride = components_ * product_.b.row_stride,
                .stride = components_ * product_.b.column_stride,
                .component_stride = 1,
                .conjugated = product_.b.conjugated};
    }

    TileOperand operand_a(const Affine& row, const Affine& k) const {
        if (!small_.a_is_given_packed && !is_packed(product_))
            return {.buffer = a_,
                    .origin = row + product_.a.column_stride * k,
                    .k_stride = product_.a.column_stride,
                    .prefetch_rows = schedule_.prefetch_a ? schedule_.tile.rows() : 0};
        const Integer a_k_stride = components_ * schedule_.tile.rows();
        return {.buffer = packed_,
                .origin = panel_offset(row) + a_k_stride * (small_.a_is_given_packed ? k : Affine(0)),
                .k_stride = a_k_stride,
                .component_stride = schedule_.tile.rows(),
                .is_padded = true};
    }

    const UnpackedGemm& schedule_;
    ir::Buffer a_, b_, packed_;
};

/// Length of the nearly equal blocks of an extent, at most `most`.
int even_extent(Integer extent, Integer most) {
    return static_cast<int>(ceil_divide(extent, ceil_divide(extent, most)));
}

} // namespace

std::string_view small_gemm_infeasibility(const MatrixProduct& product) {
    constexpr Integer thin = 64, most = 384;
    const auto [least, greatest] = std::minmax({product.rows, product.columns, product.k});
    if (product.widens()) return "A's and B's elements are widened when they are packed";
    if (product.c.row_stride != 1) return "C has no dimension of stride 1";
    if (least > thin && greatest > most) return "operands so large are reused enough that packing pays";
    if (is_packed(product) && product.rows * product.k > most * most)
        return "A is packed in any case, and too large for one panel buffer";
    return "";
}

Integer small_kc(const MatrixProduct& product, const target::Cpu& cpu) {
    constexpr Integer step = 8, deepest = 2048;
    const Integer bytes = bytes_of(product.data_type) * std::min(product.rows, product.columns);
    const Integer outer_cache = outer_cache_bytes(cpu);
    if (product.k <= deepest && product.k * bytes <= outer_cache / 2) return product.k;
    const Integer blocks =
        std::max(ceil_divide(product.k * bytes, outer_cache / 2), ceil_divide(product.k, deepest));
    return std::min(product.k, ceil_divide(ceil_divide(product.k, blocks), step) * step);
}

UnpackedGemm unpacked_with(const MatrixProduct& product, Integer kc, const target::Cpu& cpu, const Tile& tile,
                           bool rows_outermost) {
    constexpr Integer deepest_straight = 16, shallow = 128;
    UnpackedGemm small{.tile = tile, .kc = kc, .rows_outermost = rows_outermost};
    const Integer outer_cache = outer_cache_bytes(cpu), bytes = bytes_of(product.data_type);
    // With a large K, prefetched rows of A would evict the current ones from L1.
    small.prefetch_a = small.rows_outermost && std::min(product.k, kc) <= shallow &&
                       product.rows * product.k * bytes > outer_cache;
    small.prefetch_c = product.rows * product.columns * bytes > outer_cache;
    small.unroll = product.k <= deepest_straight ? static_cast<int>(product.k)
                                                 : static_cast<int>(std::min<Integer>(8, kc));
    return small;
}

UnpackedGemm model_unpacked(const MatrixProduct& product, Integer kc, const target::Cpu& cpu) {
    constexpr int most_vectors = 3, most_columns = 16;
    const int components = scalars_in(product.data_type);
    int lanes = target::lanes(cpu, scalar_of(product.data_type));
    while (lanes / 2 >= product.rows && lanes > 2) lanes /= 2;
    const int most = components == 2 && cpu.vector_registers < 32 ? 1 : most_vectors;
    const int vectors = even_extent(ceil_divide(product.rows, lanes), most);
    const int registers = cpu.vector_registers - 1 - components * vectors;
    const int columns = std::min(most_columns, registers / (components * vectors));
    // The smaller operand stays in cache.
    return unpacked_with(product, kc, cpu, {lanes, vectors, even_extent(product.columns, columns)},
                         product.columns < product.rows);
}

std::vector<Tile> unpacked_tiles(const MatrixProduct& product, const target::Cpu& cpu) {
    constexpr int most_vectors = 12, most_columns = 16, fewest_lanes = 2;
    const int components = scalars_in(product.data_type);
    std::vector<Tile> result;
    for (int lanes = target::lanes(cpu, scalar_of(product.data_type)); lanes >= fewest_lanes; lanes /= 2) {
        const Integer all = ceil_divide(product.rows, Integer{lanes});
        for (int vectors = 1; vectors <= std::min<Integer>(most_vectors, all); ++vectors) {
            if (even_extent(all, vectors) != vectors) continue;
            const int registers = cpu.vector_registers - 1 - components * vectors;
            const int most = std::min(most_columns, registers / (components * vectors));
            for (int columns = 1; columns <= std::min<Integer>(most, product.columns); ++columns)
                if (even_extent(product.columns, columns) == columns)
                    result.push_back({lanes, vectors, columns});
        }
        if (lanes / 2 < product.rows) break; // the rows fill such vectors
    }
    return result;
}

SmallGemm model_small_gemm(const MatrixProduct& product, Update update, bool alpha_is_one, Integer kc,
                           const target::Cpu& cpu) {
    return {.product = product,
            .update = update,
            .alpha_is_one = alpha_is_one,
            .schedule = model_unpacked(product, kc, cpu)};
}

Integer SmallGemm::kc() const {
    return std::visit([](const auto& of) { return of.kc; }, schedule);
}

std::string_view along_columns_infeasibility(const MatrixProduct& product) {
    constexpr Integer fewest_k = 4, most_bytes = 512;
    if (is_complex(product.data_type) || product.widens() || product.converts())
        return "lanes along columns are for real products of one data type";
    if (product.b.column_stride != 1) return "B's rows are not contiguous";
    if (product.rows * bytes_of(product.data_type) > most_bytes) return "C has many rows: they fill vectors";
    if (product.columns <= product.rows || product.k < fewest_k)
        return "scattered stores of C would cost more than they save";
    return "";
}

SmallSteps steps_of(const SmallGemm& small) {
    if (const DotGemm* const dot = std::get_if<DotGemm>(&small.schedule))
        return {dot->rows, dot->columns,
                Integer{dot->unroll} * dot->lanes / scalars_in(small.product.data_type)};
    const auto& unpacked = std::get<UnpackedGemm>(small.schedule);
    if (unpacked.along_columns) return {unpacked.tile.columns, unpacked.tile.rows(), unpacked.unroll};
    return {unpacked.tile.rows(), unpacked.tile.columns, unpacked.unroll};
}

namespace {

/// Along columns the kernel computes the transposed problem.
SmallGemm as_computed(const SmallGemm& small) {
    SmallGemm result = small;
    if (std::get<UnpackedGemm>(small.schedule).along_columns) result.product = transposed(small.product);
    return result;
}

} // namespace

Integer packed_bytes(const SmallGemm& small) {
    if (const DotGemm* const dot = std::get_if<DotGemm>(&small.schedule))
        return dot_packed_bytes(small.product, *dot);
    const SmallGemm problem = as_computed(small);
    return packs(problem) ? panels_bytes(problem, std::get<UnpackedGemm>(small.schedule)) : 0;
}

ir::Program small_gemm(const SmallGemm& small) {
    ensure(small.product.c.row_stride == 1 && small.product.rows >= 1 && small.product.columns >= 1 &&
               small.product.k >= 1 && small.kc() >= 1,
           "a small product of {} by {} by {}", small.product.rows, small.product.columns, small.product.k);
    if (const DotGemm* const dot = std::get_if<DotGemm>(&small.schedule)) return dot_gemm(small, *dot);
    const auto& unpacked = std::get<UnpackedGemm>(small.schedule);
    ensure(!unpacked.along_columns || (small.epilogue.is_identity() && !small.a_is_given_packed),
           "an epilogue along columns");
    const SmallGemm problem = as_computed(small);
    return UnpackedProgram(problem, unpacked).build();
}

} // namespace swirl::gemm

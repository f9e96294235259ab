#include "gemm/gpu/simt/layout.hpp"

#include "gemm/scalar.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::gemm {

namespace {

constexpr int columns_of_mma = 2;       ///< of C, per thread
constexpr int lanes_along_k = 4;        ///< threads that hold a row of A, or a column of B, for mma.sync
constexpr int max_fragment_columns = 4; ///< of B, that a thread loads at once
constexpr int values_per_register = 2;  ///< of 16-bit types

/// mma.sync with float32 accumulators multiplies 16-bit types.
bool has_half_precision_fragments(const SimtGemm& schedule, DataType data_type) {
    return schedule.is_mma() && data_type == DataType::float32;
}

} // namespace

Affine thread_digit(ir::Builder& builder, Integer divisor, Integer modulus) {
    return modulus == 1 ? Affine(0) : builder.thread(0, divisor, modulus);
}

ir::Value join_lanes(ir::Builder& builder, const std::vector<ir::Value>& lanes) {
    std::vector<ir::Value> vectors = lanes;
    for (; vectors.size() > 1; vectors.resize(vectors.size() / 2))
        for (std::size_t p = 0; p < vectors.size(); p += 2) {
            std::vector<std::int8_t> all(2 * lanes.size() / vectors.size());
            std::iota(all.begin(), all.end(), std::int8_t{0});
            vectors[p / 2] = builder.shuffle(vectors[p], vectors[p + 1], all);
        }
    return vectors.front();
}

int SimtThreadLayout::vector_of(DataType data_type, int extent) {
    return std::gcd(extent, widest_access / static_cast<int>(bytes_of(data_type)));
}

bool SimtThreadLayout::loads_k_vectors(const SimtGemm& schedule, std::size_t operand) {
    const int vector_k = operand == 0 ? schedule.a.vector_k : schedule.b.vector_k;
    return !schedule.is_mma() && (vector_k > 1 || schedule.is_tma_k_major(operand));
}

int SimtThreadLayout::k_at_once(const SimtGemm& schedule, int copy_vector_k) {
    return schedule.is_mma() ? 1 : copy_vector_k;
}

bool SimtThreadLayout::has_single_rows(const SimtGemm& schedule, DataType data_type) {
    return loads_k_vectors(schedule, 0) ||
           (has_half_precision_fragments(schedule, data_type) && schedule.a.vector_k > 1);
}

int SimtThreadLayout::column_vector_of(const SimtGemm& schedule, DataType data_type) {
    if (loads_k_vectors(schedule, 1)) return 1;
    if (schedule.is_mma()) return columns_of_mma * fragment_columns_of(schedule, data_type);
    return vector_of(data_type, schedule.thread_tile.n);
}

int SimtThreadLayout::fragment_columns_of(const SimtGemm& schedule, DataType data_type) {
    if (!has_half_precision_fragments(schedule, data_type) || schedule.b.vector_k > 1) return 1;
    return std::gcd(schedule.thread_tile.n / columns_of_mma, max_fragment_columns);
}

int SimtThreadLayout::fragment_k_run_of(const SimtGemm& schedule, DataType data_type) {
    if (!has_half_precision_fragments(schedule, data_type)) return 1;
    const bool are_k_major = schedule.a.vector_k > 1 && schedule.b.vector_k > 1;
    return are_k_major ? 2 * values_per_register : values_per_register;
}

SimtThreadLayout::SimtThreadLayout(ir::Builder& builder, const SimtGemm& schedule, DataType data_type)
    : builder_(builder),
      schedule_(schedule),
      row_vector_(has_single_rows(schedule, data_type) ? 1 : vector_of(data_type, schedule.thread_tile.m)),
      column_vector_(column_vector_of(schedule, data_type)),
      fragment_columns_(fragment_columns_of(schedule, data_type)),
      fragment_k_run_(fragment_k_run_of(schedule, data_type)) {
    const auto digit = [&](Integer divisor, Integer modulus) {
        return thread_digit(builder, divisor, modulus);
    };
    const int rows = schedule.warp_lanes().m, columns = schedule.warp_lanes().n;
    if (schedule.is_mma()) {
        lane_column_ = digit(1, columns);
        lane_row_ = digit(columns, rows);
    } else if (schedule.zigzag() && columns >= 2) {
        lane_row_ = digit(2, rows);
        lane_column_ = 2 * digit(2 * rows, columns / 2) + digit(1, 2);
    } else {
        lane_row_ = digit(1, rows);
        lane_column_ = digit(rows, columns);
    }
    const Integer lanes = schedule.lanes(), warp_rows = schedule.warps_m();
    warp_row_ = digit(lanes, warp_rows);
    warp_column_ = digit(lanes * warp_rows, schedule.k_slice_threads() / (lanes * warp_rows));
    in_k_slice_ = digit(1, schedule.threads() == schedule.k_slice_threads() ? 0 : schedule.k_slice_threads());
    slice_ = digit(schedule.k_slice_threads(), schedule.sliced_k);
    matrix_ = digit(schedule.matrix_threads(), schedule.matrices());
}

/// The lane within its warp of the thread with these digits.
Integer SimtThreadLayout::lane(Integer row, Integer column) const {
    const Integer rows = schedule_.warp_lanes().m, columns = schedule_.warp_lanes().n;
    if (schedule_.is_mma()) return column + columns * row;
    if (schedule_.zigzag() && columns >= 2) return column % 2 + 2 * row + 2 * rows * (column / 2);
    return row + rows * column;
}

std::vector<Integer> SimtThreadLayout::sharing_rows() const {
    const Integer lanes = schedule_.lanes(), warp_rows = schedule_.warps_m();
    std::vector<Integer> result;
    for (Integer warp = 0; warp < schedule_.k_slice_threads() / (lanes * warp_rows); ++warp)
        for (Integer column = 0; column < schedule_.warp_lanes().n; ++column)
            result.push_back(warp * lanes * warp_rows + lane(0, column));
    return result;
}

std::vector<Integer> SimtThreadLayout::sharing_columns() const {
    std::vector<Integer> result;
    for (Integer warp = 0; warp < schedule_.warps_m(); ++warp)
        for (Integer row = 0; row < schedule_.warp_lanes().m; ++row)
            result.push_back(warp * schedule_.lanes() + lane(row, 0));
    return result;
}

Affine SimtThreadLayout::row(int i) const {
    const Integer lanes = schedule_.warp_lanes().m;
    return warp_row_ * (lanes * schedule_.thread_tile.m) + lane_row_ * row_vector_ +
           i / row_vector_ * (lanes * row_vector_) + i % row_vector_;
}

Affine SimtThreadLayout::column(int j) const {
    const Integer lanes = schedule_.warp_lanes().n;
    return warp_column_ * (lanes * schedule_.thread_tile.n) + lane_column_ * column_vector_ +
           j / column_vector_ * (lanes * column_vector_) + j % column_vector_;
}

Affine SimtThreadLayout::fragment_k(int element) const {
    return lane_column_ * fragment_k_run_ + element / fragment_k_run_ * (lanes_along_k * fragment_k_run_) +
           element % fragment_k_run_;
}

Affine SimtThreadLayout::fragment_column(int group) const {
    const Integer lanes = schedule_.warp_lanes().n, at_once = fragment_columns_;
    return warp_column_ * (lanes * schedule_.thread_tile.n) + lane_row_ * at_once +
           group / at_once * (schedule_.warp_lanes().m * at_once) + group % at_once;
}

Affine SimtThreadLayout::lane_digit(std::size_t operand, Integer divisor, Integer modulus) const {
    return thread_digit(builder_, operand == 0 ? divisor : schedule_.warp_lanes().m * divisor, modulus);
}

Integer SmemTile::elements() const {
    if (!is_tma) return (is_smem_k_major() ? extent : k) * pitch;
    const Integer pattern = ir::swizzle_pattern_bytes / bytes_of(data_type);
    return ceil_divide(extent * k, pattern) * pattern;
}

namespace {

/// The smallest pitch of an extent that is so many elements more than a multiple.
Integer pitch_of(Integer extent, Integer more, Integer multiple) {
    return extent + modulo(more - extent, multiple);
}

/// Four lanes' k indices of some of a warp's rows or columns are in different banks: they are this many bytes apart,
/// modulo the bytes of all banks.
constexpr Integer bytes_of_banks = 128, bytes_to_next_k = 32;

/// Pitch from one k index to the next, of which a lane has `k_run` adjacent ones.
Integer pitch_along_mn(DataType data_type, Integer extent, Integer k_run) {
    const Integer bytes = bytes_of(data_type) * k_run;
    return pitch_of(extent, bytes_to_next_k / bytes, bytes_of_banks / bytes);
}

/// Pitch from one row to the next, of float64, if a warp accesses every `vector`-th row; copies stay aligned.
Integer float64_pitch_along_k(Integer k, Integer vector) {
    const Integer bytes = bytes_of(DataType::float64);
    const Integer distance = std::max<Integer>(bytes_to_next_k / vector, SimtThreadLayout::widest_access);
    return pitch_of(k, distance / bytes, bytes_of_banks / bytes);
}

/// The same for 16-bit types, of which four lanes access `k_run` adjacent k indices each in adjacent rows.
Integer half_precision_pitch_along_k(Integer k, Integer k_run) {
    return pitch_of(k, lanes_along_k * k_run, 2 * lanes_along_k * k_run);
}

/// An odd number of k vectors, so that adjacent rows or columns are in different banks.
Integer k_major_pitch(Integer k, int vector_k) { return k / vector_k % 2 == 0 ? k + vector_k : k; }

/// Row of a K-major TMA k-tile: slices have whole rows, which TMA can swizzle.
Integer k_major_row(const SimtGemm& schedule, DataType data_type) {
    return std::gcd(schedule.cta_tile.k / schedule.sliced_k, ir::swizzle_row_bytes / bytes_of(data_type));
}

std::array<SmemTile, 2> k_tiles_of(const SimtGemm& schedule, const MatrixProduct& canonical) {
    const int row_vector = SimtThreadLayout::vector_of(canonical.data_type, schedule.thread_tile.m);
    const int k_run = SimtThreadLayout::fragment_k_run_of(schedule, canonical.data_type);
    const auto k_tile = [&](DataType data_type, Integer extent, int vector_mn, int vector_k, Integer stride,
                            Integer k_stride, int fragment_vector, std::size_t operand) {
        SmemTile result{data_type, extent, schedule.cta_tile.k, vector_mn};
        result.copy_k = std::gcd(schedule.cta_tile.k, schedule.copy_k);
        result.vector_k = vector_k;
        result.components = scalars_in(data_type);
        result.is_transposed = schedule.is_transposed(operand);
        result.is_tma = schedule.is_tma(operand) && !result.is_transposed;
        if (result.is_transposed) {
            result.pitch = extent + result.chunk(); // so that adjacent k indices use other banks
            return result;
        }
        if (result.is_tma) {
            result.pitch = extent;
            if (schedule.is_tma_k_major(operand)) result.row = k_major_row(schedule, data_type);
            return result;
        }
        if (result.is_smem_k_major()) {
            result.pitch = !schedule.is_mma() ? k_major_pitch(schedule.cta_tile.k, vector_k)
                           : data_type == DataType::float64
                               ? float64_pitch_along_k(schedule.cta_tile.k, fragment_vector)
                               : half_precision_pitch_along_k(schedule.cta_tile.k, k_run);
            return result;
        }
        result.k_major = vector_mn == 1 && k_stride == 1 && stride != 1;
        // Puts the k indices of one row in different banks while vectors of rows stay aligned.
        const Integer padding =
            result.k_major ? SimtThreadLayout::widest_access / bytes_of(canonical.data_type) : 0;
        result.pitch = schedule.is_mma() ? pitch_along_mn(data_type, extent, k_run) : extent + padding;
        return result;
    };
    return {k_tile(canonical.type_of_a(), schedule.cta_tile.m, schedule.a.vector_mn, schedule.a.vector_k,
                   canonical.a.row_stride, canonical.a.column_stride, row_vector, 0),
            k_tile(canonical.type_of_b(), schedule.cta_tile.n, schedule.b.vector_mn, schedule.b.vector_k,
                   canonical.b.column_stride, canonical.b.row_stride, 1, 1)};
}

/// What TMA loads for a transposed operand: K-major rows.
SmemTile before_transpose(const SmemTile& k_tile) {
    SmemTile result = k_tile;
    if (!k_tile.is_transposed) return result;
    result.is_tma = true;
    result.is_transposed = false;
    result.pitch = k_tile.k;
    result.row = std::gcd(k_tile.k, ir::swizzle_row_bytes / bytes_of(k_tile.data_type));
    return result;
}

Integer k_padding_of(const SimtGemm& schedule, const MatrixProduct& canonical) {
    const Integer k = Integer{schedule.cta_tile.k} * schedule.splits();
    const Integer padding = ceil_divide(canonical.k, k) * k - canonical.k;
    const auto is_smem_k_major = [&](std::size_t operand) {
        return schedule.is_tma_k_major(operand) || schedule.is_transposed(operand);
    };
    const bool is_rounded =
        schedule.is_tma(0) && schedule.is_tma(1) && (is_smem_k_major(0) || is_smem_k_major(1));
    const Integer chunk = ir::swizzle_chunk_bytes / bytes_of(canonical.data_type);
    return is_rounded ? padding / chunk * chunk : padding;
}

} // namespace

CanonicalSimtGemm::CanonicalSimtGemm(const CanonicalGemm& canonical_gemm, const SimtGemm& simt)
    : canonical(canonical_gemm),
      schedule(simt),
      k_tiles(k_tiles_of(simt, canonical_gemm.product)),
      loaded{before_transpose(k_tiles[0]), before_transpose(k_tiles[1])},
      k_padding(k_padding_of(simt, canonical_gemm.product)) {}

} // namespace swirl::gemm

#include "gemm/gpu/simt/mma_fragments.hpp"

#include <span>

namespace swirl::gemm {

namespace {

constexpr int capability_of_m16_mma = 9; ///< the first with float64 mma.sync of 16 rows

} // namespace

target::MmaShape mma_shape_of(const SimtGemm& schedule, const target::Gpu& gpu, DataType operand_type) {
    if (operand_type != DataType::float64) return {16, 8, schedule.mma_k()};
    return {gpu.capability_major >= capability_of_m16_mma ? 16 : 8, 8, schedule.mma_k()};
}

std::vector<ir::Value> MmaFragments::load_a(const SmemTile& k_tile, ir::Buffer buffer, const Affine& offset,
                                            const Affine& k, ir::Value stage) const {
    return load(
        k_tile, schedule_.thread_tile.m, threads_.row_vector(),
        [&](int row, int element) {
            return offset + k_tile.offset_of(threads_.row(row), k + threads_.fragment_k(element));
        },
        buffer, stage);
}

std::vector<ir::Value> MmaFragments::load_b(const SmemTile& k_tile, ir::Buffer buffer, const Affine& offset,
                                            const Affine& k, ir::Value stage) const {
    return load(
        k_tile, groups(), threads_.fragment_columns(),
        [&](int group, int element) {
            return offset +
                   k_tile.offset_of(threads_.fragment_column(group), k + threads_.fragment_k(element));
        },
        buffer, stage);
}

/// Loads adjacent k indices at once from K-major tiles, else adjacent rows or columns.
template <class OffsetOf>
std::vector<ir::Value> MmaFragments::load(const SmemTile& k_tile, int extent, int vector_mn,
                                          OffsetOf&& offset_of, ir::Buffer buffer, ir::Value stage) const {
    const bool is_k_major = k_tile.is_smem_k_major();
    const int along_k = is_k_major ? threads_.fragment_k_run() : 1, along_mn = is_k_major ? 1 : vector_mn;
    std::vector<ir::Value> result(static_cast<std::size_t>(extent * k_per_thread()));
    for (int element = 0; element < k_per_thread(); element += along_k)
        for (int mn = 0; mn < extent; mn += along_mn) {
            const ir::Value vector = builder_.load(
                buffer, offset_of(mn, element),
                {.lanes = along_k * along_mn, .dynamic = stage, .dynamic_scale = k_tile.scalars()});
            for (int l = 0; l < along_k * along_mn; ++l) {
                const int k_index = element + l / along_mn, mn_index = mn + l % along_mn;
                result[static_cast<std::size_t>(k_index * extent + mn_index)] = lane(vector, l);
            }
        }
    return result;
}

ir::Value MmaFragments::lane(ir::Value vector, int lane) const {
    if (builder_.type(vector).lanes == 1) return vector;
    return builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)});
}

const ir::Instruction& MmaFragments::instruction() const {
    return is_of_pairs() ? target::mma_half_precision(operand_type_) : target::mma_float64(shape_);
}

/// Joins a thread's k indices of one row; registers of two elements hold adjacent ones.
ir::Value MmaFragments::joined_a(const std::vector<ir::Value>& a, int row) const {
    const int k_per_register = is_of_pairs() ? 2 : 1;
    std::vector<ir::Value> result;
    for (int first = 0; first < k_per_thread(); first += k_per_register)
        for (int row_group = 0; row_group < row_groups(); ++row_group)
            for (int four = first; four < first + k_per_register; ++four)
                result.push_back(
                    a[static_cast<std::size_t>(four * schedule_.thread_tile.m + row + row_group)]);
    return join_lanes(builder_, result);
}

void MmaFragments::multiply(std::vector<ir::Value>& accumulators, const std::vector<ir::Value>& a,
                            const std::vector<ir::Value>& b) const {
    const int rows = schedule_.thread_tile.m, row_groups_of_tile = row_groups();
    const int at_once = threads_.fragment_columns();
    for (int group = 0; group < groups(); ++group) {
        const int first_column = 2 * (group - group % at_once) + group % at_once;
        for (int t = 0; t < rows / row_groups_of_tile; ++t) {
            // Serpentine order: consecutive instructions share an operand.
            const int row = row_groups_of_tile * (group % 2 == 0 ? t : rows / row_groups_of_tile - 1 - t);
            std::vector<ir::Value> of_b, of_c;
            for (int four = 0; four < k_per_thread(); ++four)
                of_b.push_back(b[static_cast<std::size_t>(four * groups() + group)]);
            std::vector<ir::Value*> addends;
            for (int row_group = 0; row_group < row_groups_of_tile; ++row_group)
                for (const int column : {first_column, first_column + at_once})
                    addends.push_back(
                        &accumulators[static_cast<std::size_t>(column * rows + row + row_group)]);
            for (const ir::Value* addend : addends) of_c.push_back(*addend);
            const ir::Value all_a = joined_a(a, row), all_b = join_lanes(builder_, of_b),
                            all_c = join_lanes(builder_, of_c);
            const ir::Value result = builder_.instruction(instruction(), {all_a, all_b, all_c});
            for (std::size_t l = 0; l < addends.size(); ++l) *addends[l] = lane(result, static_cast<int>(l));
        }
    }
}

} // namespace swirl::gemm

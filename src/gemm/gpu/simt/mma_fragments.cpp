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
    const int lanes = k_tile.is_smem_k_major() ? 1 : threads_.row_vector();
    std::vector<ir::Value> result;
    for (int four = 0; four < fours(); ++four)
        for (int i = 0; i < schedule_.thread_tile.m; i += lanes) {
            const Affine own_k = k + threads_.fragment_k() + four * k_per_fragment;
            const ir::Value vector =
                builder_.load(buffer, offset + k_tile.offset_of(threads_.row(i), own_k),
                              {.lanes = lanes, .dynamic = stage, .dynamic_scale = k_tile.scalars()});
            for (int l = 0; l < lanes; ++l) result.push_back(lane(vector, l));
        }
    return result;
}

std::vector<ir::Value> MmaFragments::load_b(const SmemTile& k_tile, ir::Buffer buffer, const Affine& offset,
                                            const Affine& k, ir::Value stage) const {
    std::vector<ir::Value> result;
    for (int four = 0; four < fours(); ++four)
        for (int group = 0; group < groups(); ++group) {
            const Affine own_k = k + threads_.fragment_k() + four * k_per_fragment;
            result.push_back(builder_.load(buffer,
                                           offset + k_tile.offset_of(threads_.fragment_column(group), own_k),
                                           {.dynamic = stage, .dynamic_scale = k_tile.scalars()}));
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
    for (int first = 0; first < fours(); first += k_per_register)
        for (int row_group = 0; row_group < row_groups(); ++row_group)
            for (int four = first; four < first + k_per_register; ++four)
                result.push_back(
                    a[static_cast<std::size_t>(four * schedule_.thread_tile.m + row + row_group)]);
    return join_lanes(builder_, result);
}

void MmaFragments::multiply(std::vector<ir::Value>& accumulators, const std::vector<ir::Value>& a,
                            const std::vector<ir::Value>& b) const {
    const int rows = schedule_.thread_tile.m, row_groups_of_tile = row_groups();
    for (int group = 0; group < groups(); ++group)
        for (int t = 0; t < rows / row_groups_of_tile; ++t) {
            // Serpentine order: consecutive instructions share an operand.
            const int row = row_groups_of_tile * (group % 2 == 0 ? t : rows / row_groups_of_tile - 1 - t);
            std::vector<ir::Value> of_b, of_c;
            for (int four = 0; four < fours(); ++four)
                of_b.push_back(b[static_cast<std::size_t>(four * groups() + group)]);
            std::vector<ir::Value*> addends;
            for (int row_group = 0; row_group < row_groups_of_tile; ++row_group)
                for (const int column : {2 * group, 2 * group + 1})
                    addends.push_back(
                        &accumulators[static_cast<std::size_t>(column * rows + row + row_group)]);
            for (const ir::Value* addend : addends) of_c.push_back(*addend);
            const ir::Value all_a = joined_a(a, row), all_b = join_lanes(builder_, of_b),
                            all_c = join_lanes(builder_, of_c);
            const ir::Value result = builder_.instruction(instruction(), {all_a, all_b, all_c});
            for (std::size_t l = 0; l < addends.size(); ++l) *addends[l] = lane(result, static_cast<int>(l));
        }
}

} // namespace swirl::gemm

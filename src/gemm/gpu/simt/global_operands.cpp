#include "gemm/gpu/simt/global_operands.hpp"

#include "gemm/gpu/prologue/conversions.hpp"
#include "gemm/scalar.hpp"

#include <fmt/format.h>

#include <numeric>

namespace swirl::gemm {

namespace {

/// Elements of A and B that a thread holds in registers at once.
constexpr int max_operand_elements = 128;

int k_of_slice(const SimtGemm& schedule) { return schedule.cta_tile.k / schedule.sliced_k; }

} // namespace

GlobalOperands::GlobalOperands(ir::Builder& builder, const CanonicalSimtGemm& gemm,
                               const SimtThreadLayout& threads, const std::array<OperandSource, 2>& sources)
    : builder_(builder),
      schedule_(gemm.schedule),
      threads_(threads),
      k_tiles_(gemm.k_tiles),
      sources_(sources),
      accumulator_type_(scalar_of(gemm.product().data_type)) {
    for (std::size_t operand = 0; operand < 2; ++operand)
        for (int k = 0; k < k_of_slice(schedule_); k += k_tiles_[operand].vector_k)
            groups_[operand].push_back(load(operand, k));
}

/// Loads a group of k indices as vectors along M or N, or along K, whichever is contiguous.
std::vector<ir::Value> GlobalOperands::load(std::size_t operand, int k_index) const {
    const SmemTile& k_tile = k_tiles_[operand];
    const OperandSource& source = sources_[operand];
    const bool is_a = operand == 0;
    const int mn_per_thread = is_a ? schedule_.thread_tile.m : schedule_.thread_tile.n;
    const int next_to_each_other = is_a ? threads_.row_vector() : threads_.column_vector();
    const int lanes = k_tile.vector_k > 1 ? 1 : std::gcd(next_to_each_other, k_tile.vector_mn);
    const Affine at = threads_.slice() * k_of_slice(schedule_) + k_index;
    std::vector<ir::Value> result;
    for (int k = 0; k < mn_per_thread; k += lanes) {
        const Affine mn = is_a ? threads_.row(k) : threads_.column(k);
        const ir::Value vector =
            builder_.load(source.buffer, (mn * source.stride + at * source.k_stride) * k_tile.components,
                          {.lanes = lanes * k_tile.vector_k * k_tile.components,
                           .dynamic = source.start,
                           .dynamic_scale = k_tile.elements_of_copy() * k_tile.components});
        append_widened(builder_, vector, k_tile.data_type, accumulator_type_, result);
    }
    return result;
}

SimtAccumulators::Operands GlobalOperands::of(int k) const {
    const auto group = [&](std::size_t operand) {
        return groups_[operand][static_cast<std::size_t>(k / k_tiles_[operand].vector_k)];
    };
    return {{group(0), group(1)}, {}};
}

std::string global_load_infeasibility(const SimtGemm& schedule, const MatrixProduct& canonical) {
    if (!schedule.loads_from_global()) return "";
    if (schedule.a.load != schedule.b.load)
        return "a_load and b_load differ, and one is global; global is possible for both";
    if (schedule.is_mma() || !std::holds_alternative<DataParallel>(schedule.decomposition))
        return "a_load and b_load are global; mma_k=0, split_k=1 and stream_k_blocks=0 are possible";
    if (schedule.cta_tile.k != canonical.k)
        return fmt::format("a_load and b_load are global, and cta_k is {}; K, {}, is possible",
                           schedule.cta_tile.k, canonical.k);
    const int operand_elements = (schedule.thread_tile.m + schedule.thread_tile.n) * k_of_slice(schedule) *
                                 scalars_in(canonical.data_type);
    if (operand_elements > max_operand_elements)
        return fmt::format(
            "a_load and b_load are global, and a thread loads {} elements; {} at most are possible",
            operand_elements, max_operand_elements);
    return "";
}

} // namespace swirl::gemm

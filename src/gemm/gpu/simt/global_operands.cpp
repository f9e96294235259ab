#include "gemm/gpu/simt/global_operands.hpp"

#include "gemm/cpu/tile.hpp"
#include "gemm/gpu/prologue/conversions.hpp"

#include <fmt/format.h>

#include <numeric>

namespace swirl::gemm {

namespace {

/// Elements of A and B that a thread holds in registers at once.
constexpr int most_factors = 128;

int k_of_slice(const GpuSchedule& schedule) { return schedule.cta_k / schedule.sliced_k; }

} // namespace

GlobalOperands::GlobalOperands(ir::Builder& builder, const GpuSchedule& schedule,
                               const SimtThreadLayout& threads, const std::array<SmemTile, 2>& k_tiles,
                               const std::array<OperandSource, 2>& sources, DataType accumulator_type)
    : builder_(builder),
      schedule_(schedule),
      threads_(threads),
      k_tiles_(k_tiles),
      sources_(sources),
      accumulator_type_(accumulator_type) {
    for (std::size_t operand = 0; operand < 2; ++operand)
        for (int step = 0; step < k_of_slice(schedule); step += k_tiles[operand].steps)
            groups_[operand].push_back(load(operand, step));
}

/// Loads a group of k indices as vectors along M or N, or along K, whichever is contiguous.
std::vector<ir::Value> GlobalOperands::load(std::size_t operand, int step) const {
    const SmemTile& k_tile = k_tiles_[operand];
    const OperandSource& source = sources_[operand];
    const bool is_a = operand == 0;
    const int mn_per_thread = is_a ? schedule_.thread_m : schedule_.thread_n;
    const int next_to_each_other = is_a ? threads_.row_vector() : threads_.column_vector();
    const int lanes = k_tile.steps > 1 ? 1 : std::gcd(next_to_each_other, k_tile.lanes);
    const Affine at = threads_.slice() * k_of_slice(schedule_) + step;
    std::vector<ir::Value> result;
    for (int k = 0; k < mn_per_thread; k += lanes) {
        const Affine mn = is_a ? threads_.row(k) : threads_.column(k);
        const ir::Value vector =
            builder_.load(source.buffer, (mn * source.stride + at * source.depth_stride) * k_tile.components,
                          {.lanes = lanes * k_tile.steps * k_tile.components,
                           .dynamic = source.start,
                           .dynamic_scale = k_tile.elements_of_copy() * k_tile.components});
        append_widened(builder_, vector, k_tile.number, accumulator_type_, result);
    }
    return result;
}

SimtAccumulators::Operands GlobalOperands::of(int step) const {
    const auto group = [&](std::size_t operand) {
        return groups_[operand][static_cast<std::size_t>(step / k_tiles_[operand].steps)];
    };
    return {{group(0), group(1)}, {}};
}

std::string global_load_infeasibility(const GpuSchedule& schedule, const MatrixProduct& canonical) {
    if (!schedule.loads_from_global()) return "";
    if (schedule.load_from_global > 1)
        return fmt::format("direct is {}; 0 and 1 are possible", schedule.load_from_global);
    if (schedule.mma_k > 0 || schedule.has_tma() || schedule.is_stream_k() || schedule.split_k > 1)
        return "direct is 1, and warps multiply, the copy engine brings pieces, or blocks share a depth";
    if (schedule.cta_k != canonical.k)
        return fmt::format("direct is 1, and cta_k {}; the depth, {}, is possible", schedule.cta_k,
                           canonical.k);
    const int factors =
        (schedule.thread_m + schedule.thread_n) * k_of_slice(schedule) * scalars_in(canonical.data_type);
    if (factors > most_factors)
        return fmt::format(
            "load_from_global is 1, and a thread has {} elements to load; {} at most are possible", factors,
            most_factors);
    return "";
}

} // namespace swirl::gemm

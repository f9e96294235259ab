#include "gemm/gpu_direct.hpp"

#include "gemm/gpu_numbers.hpp"
#include "gemm/tile.hpp"

#include <fmt/format.h>

#include <numeric>

namespace swirl::gemm {

namespace {

/// Numbers of A and B that a thread has in registers at once.
constexpr int most_factors = 128;

int steps_of_slice(const GpuSchedule& schedule) { return schedule.block_depth / schedule.slices; }

} // namespace

GpuDirectFactors::GpuDirectFactors(ir::Builder& builder, const GpuSchedule& schedule,
                                   const GpuThreads& threads, const std::array<GpuPiece, 2>& pieces,
                                   const std::array<GpuSource, 2>& sources, ir::Scalar sums)
    : builder_(builder),
      schedule_(schedule),
      threads_(threads),
      pieces_(pieces),
      sources_(sources),
      sums_(sums) {
    for (std::size_t operand = 0; operand < 2; ++operand)
        for (int step = 0; step < steps_of_slice(schedule); step += pieces[operand].steps)
            groups_[operand].push_back(load(operand, step));
}

/// Vectors of lines or of steps, whichever are next to each other, of a group of steps.
std::vector<ir::Value> GpuDirectFactors::load(std::size_t operand, int step) const {
    const GpuPiece& piece = pieces_[operand];
    const GpuSource& source = sources_[operand];
    const bool is_a = operand == 0;
    const int lines = is_a ? schedule_.thread_rows : schedule_.thread_columns;
    const int next_to_each_other = is_a ? threads_.row_vector() : threads_.column_vector();
    const int lanes = piece.steps > 1 ? 1 : std::gcd(next_to_each_other, piece.lanes);
    const Affine at = threads_.slice() * steps_of_slice(schedule_) + step;
    std::vector<ir::Value> result;
    for (int k = 0; k < lines; k += lanes) {
        const Affine line = is_a ? threads_.row(k) : threads_.column(k);
        const ir::Value vector =
            builder_.load(source.buffer, (line * source.stride + at * source.depth_stride) * piece.parts,
                          {.lanes = lanes * piece.steps * piece.parts,
                           .dynamic = source.start,
                           .dynamic_scale = piece.elements_of_copy() * piece.parts});
        append_widened(builder_, vector, piece.number, sums_, result);
    }
    return result;
}

GpuSums::Factors GpuDirectFactors::of(int step) const {
    const auto group = [&](std::size_t operand) {
        return groups_[operand][static_cast<std::size_t>(step / pieces_[operand].steps)];
    };
    return {{group(0), group(1)}, {}};
}

std::string objection_to_direct(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    if (!schedule.is_direct()) return "";
    if (schedule.direct > 1) return fmt::format("direct is {}; 0 and 1 are possible", schedule.direct);
    if (schedule.warp_depth > 0 || schedule.has_bulk() || schedule.streams() || schedule.splits > 1)
        return "direct is 1, and warps multiply, the copy engine brings pieces, or blocks share a depth";
    if (schedule.block_depth != oriented.depth)
        return fmt::format("direct is 1, and block_depth {}; the depth, {}, is possible",
                           schedule.block_depth, oriented.depth);
    const int factors = (schedule.thread_rows + schedule.thread_columns) * steps_of_slice(schedule) *
                        scalars_in(oriented.number);
    if (factors > most_factors)
        return fmt::format("direct is 1, and a thread has {} numbers to load; {} at most are possible",
                           factors, most_factors);
    return "";
}

} // namespace swirl::gemm

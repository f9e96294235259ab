#include "gemm/gpu_slice_sums.hpp"

#include "gemm/gpu_bulk.hpp"
#include "gemm/tile.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// Of what the copies of an operand come to.
Integer bytes_of_memory(const GpuSchedule& schedule, const GpuPiece& piece) {
    return schedule.matrices * schedule.stages * (piece.is_turned ? lines_before_turn(piece) : piece).bytes();
}

} // namespace

Integer GpuSliceSums::scalars(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    if (schedule.slices == 1) return 0;
    return Integer{schedule.matrices} * schedule.slices * schedule.block_rows * schedule.block_columns *
           scalars_in(oriented.number);
}

std::optional<std::size_t> GpuSliceSums::operand_of_room(const GpuSchedule& schedule,
                                                         const MatrixProduct& oriented) {
    if (schedule.slices == 1 || schedule.is_direct()) return std::nullopt;
    const std::array<GpuPiece, 2> pieces = pieces_of(schedule, oriented);
    std::optional<std::size_t> result;
    for (std::size_t operand = 0; operand < pieces.size(); ++operand)
        if (pieces[operand].number == oriented.number &&
            (!result ||
             bytes_of_memory(schedule, pieces[operand]) > bytes_of_memory(schedule, pieces[*result])))
            result = operand;
    return result;
}

Integer GpuSliceSums::bytes_beside_pieces(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const Integer bytes = scalars(schedule, oriented) * ir::size_in_bytes(scalar_of(oriented.number));
    const std::optional<std::size_t> operand = operand_of_room(schedule, oriented);
    if (!operand) return bytes;
    return std::max<Integer>(0, bytes - bytes_of_memory(schedule, pieces_of(schedule, oriented)[*operand]));
}

GpuSliceSums::GpuSliceSums(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                           const MatrixProduct& oriented, std::optional<ir::Buffer> room)
    : builder_(builder), schedule_(schedule), threads_(threads), scalar_(scalar_of(oriented.number)) {
    if (schedule.slices > 1)
        memory_ = room ? *room : builder.shared("slice_sums", scalar_, scalars(schedule, oriented));
}

/// Neighbouring threads have neighbouring numbers: of vectors the compiler would want sums in registers that are next to each other, in
/// banks that multiply-adds do not want. A share's columns are added up slice by slice, in their order.
void GpuSliceSums::add(ir::Buffer registers, int rows, const GpuColumnShares& own) const {
    if (schedule_.slices == 1) return;
    const Integer threads = schedule_.slice_threads(), of_block = own.columns_of_block();
    const auto place = [&](const Affine& slice, const Affine& column, int row) {
        return ((threads_.matrix() * of_block + column) * rows + row) * (schedule_.slices * threads) +
               slice * threads + threads_.in_slice();
    };
    builder_.barrier(); // pieces have been read, and sums of another call
    for (int j = 0; j < of_block; ++j)
        for (int i = 0; i < rows; ++i)
            builder_.store(memory_, place(threads_.slice(), j, i),
                           builder_.load(registers, Integer{j} * rows + i));
    builder_.barrier();
    const auto add_up = [&] {
        for (int j = 0; j < own.columns(); ++j)
            for (int i = 0; i < rows; ++i) {
                Value sum = ir::no_value;
                for (int slice = 0; slice < schedule_.slices; ++slice) {
                    const Value one = builder_.load(memory_, place(slice, own.in_block(j), i));
                    sum = slice == 0 ? one : builder_.add(sum, one);
                }
                builder_.store(registers, Integer{j} * rows + i, sum);
            }
    };
    if (own.slices() == schedule_.slices) return add_up();
    builder_.if_then({{threads_.slice() - own.slices(), Relation::negative}}, add_up);
}

} // namespace swirl::gemm

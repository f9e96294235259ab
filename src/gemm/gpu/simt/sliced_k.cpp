#include "gemm/gpu/simt/sliced_k.hpp"

#include "gemm/scalar.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// Bytes of an operand's k-tiles in all stages.
Integer bytes_of_memory(const CanonicalSimtGemm& gemm, std::size_t operand) {
    return gemm.schedule.matrices() * gemm.schedule.stages * gemm.loaded[operand].bytes();
}

} // namespace

Integer SlicedKReduction::scalars(const CanonicalSimtGemm& gemm) {
    const SimtGemm& schedule = gemm.schedule;
    if (schedule.sliced_k == 1) return 0;
    return Integer{schedule.matrices()} * schedule.sliced_k * schedule.cta_tile.m * schedule.cta_tile.n *
           scalars_in(gemm.product().data_type);
}

std::optional<std::size_t> SlicedKReduction::operand_of_scratch(const CanonicalSimtGemm& gemm) {
    if (gemm.schedule.sliced_k == 1 || gemm.schedule.loads_from_global()) return std::nullopt;
    std::optional<std::size_t> result;
    for (std::size_t operand = 0; operand < gemm.k_tiles.size(); ++operand)
        if (gemm.k_tiles[operand].data_type == gemm.product().data_type &&
            (!result || bytes_of_memory(gemm, operand) > bytes_of_memory(gemm, *result)))
            result = operand;
    return result;
}

Integer SlicedKReduction::extra_bytes(const CanonicalSimtGemm& gemm) {
    const Integer bytes = scalars(gemm) * bytes_of(scalar_of(gemm.product().data_type));
    const std::optional<std::size_t> operand = operand_of_scratch(gemm);
    if (!operand) return bytes;
    return std::max<Integer>(0, bytes - bytes_of_memory(gemm, *operand));
}

SlicedKReduction::SlicedKReduction(ir::Builder& builder, const CanonicalSimtGemm& gemm,
                                   const SimtThreadLayout& threads, std::optional<ir::Buffer> scratch)
    : builder_(builder),
      schedule_(gemm.schedule),
      threads_(threads),
      scalar_(scalar_of(gemm.product().data_type)) {
    if (schedule_.sliced_k > 1)
        memory_ = scratch ? *scratch : builder.shared("sliced_k_partials", scalar_, scalars(gemm));
}

/// Adjacent threads store adjacent scalars: vector stores would make the compiler want accumulators in adjacent
/// registers, whose banks conflict in multiply-adds. A share's columns are reduced slice by slice, in order.
void SlicedKReduction::add(ir::Buffer registers, int rows, const ColumnPartition& own) const {
    if (schedule_.sliced_k == 1) return;
    const Integer threads = schedule_.k_slice_threads(), of_block = own.columns_of_block();
    const auto offset = [&](const Affine& slice, const Affine& column, int row) {
        return ((threads_.matrix() * of_block + column) * rows + row) * (schedule_.sliced_k * threads) +
               slice * threads + threads_.in_k_slice();
    };
    builder_.barrier(); // k-tiles, and accumulators of a previous call, have been read
    for (int j = 0; j < of_block; ++j)
        for (int i = 0; i < rows; ++i)
            builder_.store(memory_, offset(threads_.slice(), j, i),
                           builder_.load(registers, Integer{j} * rows + i));
    builder_.barrier();
    const auto add_up = [&] {
        for (int j = 0; j < own.columns(); ++j)
            for (int i = 0; i < rows; ++i) {
                Value sum = ir::no_value;
                for (int slice = 0; slice < schedule_.sliced_k; ++slice) {
                    const Value one = builder_.load(memory_, offset(slice, own.in_block(j), i));
                    sum = slice == 0 ? one : builder_.add(sum, one);
                }
                builder_.store(registers, Integer{j} * rows + i, sum);
            }
    };
    if (own.slices() == schedule_.sliced_k) return add_up();
    builder_.if_then({{threads_.slice() - own.slices(), Relation::negative}}, add_up);
}

} // namespace swirl::gemm

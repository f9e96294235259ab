#include "gemm/gpu/wgmma/pipeline.hpp"

#include "gemm/gpu/matrix_buffer.hpp"

#include <utility>
#include <vector>

namespace swirl::gemm {

using ir::Value;
using Relation = ir::Condition::Relation;

ir::BufferInfo buffer_of_smem_tiles(const char* name, DataType scalar, Integer elements) {
    return buffer_in_smem(name, scalar, elements, ir::swizzle_pattern_bytes);
}

WgmmaPipeline::WgmmaPipeline(ir::Builder& builder, const CanonicalWgmmaGemm& gemm)
    : builder_(builder),
      schedule_(gemm.schedule),
      operands_(gemm.operands),
      cluster_(Integer{schedule_.cluster.m} * schedule_.cluster.n) {}

void WgmmaPipeline::declare_smem_tiles(ir::Buffer b, ir::Buffer a) {
    for (std::size_t f = 0; f < operands_.size(); ++f) {
        ir::TensorInfo tensor = operands_[f].tensor;
        tensor.buffer = f == 0 ? b : a;
        tensors_[f] = builder_.tensor(tensor);
        k_tiles_[f] =
            builder_.add(buffer_of_smem_tiles(f == 0 ? "b_k_tiles" : "a_k_tiles", operands_[f].scalar,
                                              schedule_.stages * operands_[f].scalars()));
    }
}

void WgmmaPipeline::declare_mbarriers() {
    full_ = builder_.shared("full", DataType::int64, schedule_.stages);
    empty_ = builder_.shared("empty", DataType::int64, schedule_.stages);
}

void WgmmaPipeline::initialize() const {
    for (Integer stage = 0; stage < schedule_.stages; ++stage) {
        builder_.mbarrier_init({full_, stage}, 1);
        builder_.mbarrier_init({empty_, stage}, schedule_.warpgroups * cluster_);
    }
}

Affine WgmmaPipeline::rank_in_cluster() const { return builder_.block(0, 1, cluster_); }

void WgmmaPipeline::fetch(const Start& start, const Affine& k_tile, Value stage, Value empty_phase) const {
    builder_.mbarrier_wait(mbarrier(empty_, stage), empty_phase);
    Integer bytes = 0;
    for (const WgmmaOperand& operand : operands_) bytes += operand.scalars() * bytes_of(operand.scalar);
    builder_.mbarrier_arrive_expect_tx(mbarrier(full_, stage), bytes);
    for (std::size_t which = 0; which < operands_.size(); ++which) load(which, start, k_tile, stage);
}

void WgmmaPipeline::load(std::size_t which, const Start& start, const Affine& k_tile, Value stage) const {
    const WgmmaOperand& operand = operands_[which];
    const Affine share = operand.multicast > 1 ? rank_in_cluster() : Affine(0);
    const unsigned blocks = operand.multicast > 1 ? (1U << operand.multicast) - 1 : 0;
    for (const WgmmaOperand::Load& load : operand.loads()) {
        const Value mn =
            builder_.add(start.mn[which], builder_.index(share * operand.mn_of_slice() + load.mn));
        const Value k = builder_.index(k_tile * schedule_.cta_tile.k + load.k);
        std::vector<Value> at = {mn, k};
        if (operand.layout.k_major) std::swap(at[0], at[1]);
        if (operand.has_matrix) at.push_back(start.matrices[which]);
        builder_.tma_load(
            tensors_[which], at,
            {k_tiles_[which], share * operand.scalars_of_slice() + load.offset, stage, operand.scalars()},
            mbarrier(full_, stage), blocks);
    }
}

void WgmmaPipeline::wait(Value stage, Value phase) const {
    builder_.mbarrier_wait(mbarrier(full_, stage), phase);
}

void WgmmaPipeline::release(Value stage) const {
    const Affine thread = builder_.thread(0, 1, warpgroup_threads);
    if (cluster_ == 1)
        return builder_.if_then({{thread, Relation::zero}},
                                [&] { builder_.mbarrier_arrive(mbarrier(empty_, stage)); });
    builder_.if_then({{thread - cluster_, Relation::negative}},
                     [&] { builder_.mbarrier_arrive(mbarrier(empty_, stage), builder_.index(thread)); });
}

ir::Builder::WgmmaOperand WgmmaPipeline::operand(std::size_t which, Integer mn, Integer k,
                                                 Value stage) const {
    return {{k_tiles_[which], operands_[which].offset_of(mn, k), stage, operands_[which].scalars()},
            operands_[which].layout};
}

} // namespace swirl::gemm

#include "gemm/gpu_tile_pieces.hpp"

#include <utility>
#include <vector>

namespace swirl::gemm {

using ir::Value;
using Relation = ir::Condition::Relation;

ir::BufferInfo buffer_of_tiles(const char* name, ir::Scalar scalar, Integer elements) {
    ir::BufferInfo info;
    info.name = name;
    info.element = scalar;
    info.space = ir::Space::shared;
    info.elements = elements;
    info.alignment = ir::tile_pattern_bytes;
    info.written = true;
    return info;
}

GpuTilePieces::GpuTilePieces(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented)
    : builder_(builder),
      schedule_(schedule),
      factors_(tile_factors(schedule, oriented)),
      cluster_(Integer{schedule.cluster_rows} * schedule.cluster_columns) {}

void GpuTilePieces::declare_tiles(ir::Buffer b, ir::Buffer a) {
    for (std::size_t f = 0; f < factors_.size(); ++f) {
        ir::TensorInfo tensor = factors_[f].tensor;
        tensor.buffer = f == 0 ? b : a;
        tensors_[f] = builder_.tensor(tensor);
        pieces_[f] = builder_.add(buffer_of_tiles(f == 0 ? "b_pieces" : "a_pieces", factors_[f].scalar,
                                                  schedule_.stages * factors_[f].scalars()));
    }
}

void GpuTilePieces::declare_signals() {
    full_ = builder_.shared("full", ir::Scalar::int64, schedule_.stages);
    empty_ = builder_.shared("empty", ir::Scalar::int64, schedule_.stages);
}

void GpuTilePieces::initialize() const {
    for (Integer stage = 0; stage < schedule_.stages; ++stage) {
        builder_.signal_initialize({full_, stage}, 1);
        builder_.signal_initialize({empty_, stage}, schedule_.warpgroups * cluster_);
    }
}

Affine GpuTilePieces::number_in_cluster() const { return builder_.block(0, 1, cluster_); }

void GpuTilePieces::fetch(const Start& start, const Affine& piece, Value stage, Value empty_parity) const {
    builder_.signal_wait(signal(empty_, stage), empty_parity);
    Integer bytes = 0;
    for (const GpuTileFactor& factor : factors_) bytes += factor.scalars() * size_in_bytes(factor.scalar);
    builder_.signal_expect(signal(full_, stage), bytes);
    for (std::size_t which = 0; which < factors_.size(); ++which) load(which, start, piece, stage);
}

void GpuTilePieces::load(std::size_t which, const Start& start, const Affine& piece, Value stage) const {
    const GpuTileFactor& factor = factors_[which];
    const Affine share = factor.shares > 1 ? number_in_cluster() : Affine(0);
    const unsigned blocks = factor.shares > 1 ? (1U << factor.shares) - 1 : 0;
    for (const GpuTileFactor::Load& load : factor.loads()) {
        const Value line =
            builder_.add(start.lines[which], builder_.index(share * factor.lines_of_share() + load.line));
        const Value step = builder_.index(piece * schedule_.block_depth + load.step);
        std::vector<Value> at = {line, step};
        if (factor.layout.along_depth) std::swap(at[0], at[1]);
        if (factor.has_matrix) at.push_back(start.matrices[which]);
        builder_.tile_load(
            tensors_[which], at,
            {pieces_[which], share * factor.scalars_of_share() + load.place, stage, factor.scalars()},
            signal(full_, stage), blocks);
    }
}

void GpuTilePieces::wait(Value stage, Value parity) const {
    builder_.signal_wait(signal(full_, stage), parity);
}

void GpuTilePieces::release(Value stage) const {
    const Affine thread = builder_.thread(0, 1, warpgroup_threads);
    if (cluster_ == 1)
        return builder_.if_then({{thread, Relation::zero}},
                                [&] { builder_.signal_arrive(signal(empty_, stage)); });
    builder_.if_then({{thread - cluster_, Relation::negative}},
                     [&] { builder_.signal_arrive(signal(empty_, stage), builder_.index(thread)); });
}

ir::Builder::Factor GpuTilePieces::factor(std::size_t which, Integer line, Integer step, Value stage) const {
    return {{pieces_[which], factors_[which].place(line, step), stage, factors_[which].scalars()},
            factors_[which].layout};
}

} // namespace swirl::gemm

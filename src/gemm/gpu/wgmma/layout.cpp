#include "gemm/gpu/wgmma/layout.hpp"

#include "gemm/gpu/epilogue/wgmma_reductions.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/prologue/operand_transpose.hpp"
#include "gemm/gpu/tensor_map.hpp"
#include "gemm/gpu/wgmma/split_k.hpp"
#include "gemm/scalar.hpp"

#include <utility>

namespace swirl::gemm {

namespace {

constexpr Integer signal_bytes = 8;

/// An operand's matrix as TMA sees it, and its extent in a block's tile.
struct TmaSource {
    const char* name;
    MatrixLayout layout;
    DataType data_type;
    Integer rows, columns;
    bool mn_is_rows;
    Integer mn_extent;
    Integer multicast;
};

/// Layout of a matrix's split terms.
MatrixLayout with_terms(const TmaSource& source, Integer batch, int terms) {
    const Bf16SplitLayout to = bf16_split_layout(source.layout, source.rows, source.columns, batch, terms);
    return {to.along_rows ? 1 : to.pitch, to.along_rows ? to.pitch : 1, false, to.plane()};
}

WgmmaOperand operand_of(const TmaSource& source, const WgmmaGemm& schedule, Integer batch) {
    WgmmaOperand operand;
    operand.scalar = schedule.has_bf16_split() ? DataType::bfloat16 : scalar_of(source.data_type);
    operand.mn_extent = source.mn_extent;
    operand.k = schedule.cta_tile.k;
    operand.multicast = source.multicast;
    operand.terms = schedule.bf16_terms();
    operand.is_shared = source.layout.batch_stride == 0;
    MatrixLayout layout = source.layout;
    Integer matrices = batch;
    if (schedule.has_bf16_split()) {
        layout = with_terms(source, batch, schedule.bf16_terms());
        matrices = (source.layout.batch_stride == 0 ? 1 : batch) * schedule.bf16_terms();
    }
    operand.has_matrix = has_batch_coordinate(layout, matrices);
    const Integer all_mn = source.mn_is_rows ? source.rows : source.columns;
    const Integer k = source.mn_is_rows ? source.columns : source.rows;
    const Integer mn_stride = source.mn_is_rows ? layout.row_stride : layout.column_stride;
    const Integer k_stride = source.mn_is_rows ? layout.column_stride : layout.row_stride;
    operand.layout.k_major = k_stride == 1;
    if (operand.layout.k_major) {
        operand.layout.panel = source.mn_extent * operand.row();
        operand.tensor =
            tensor_map_of(source.name, {k, all_mn}, mn_stride, {operand.row(), operand.mn_of_slice()},
                          ir::swizzle_row_bytes, layout, matrices);
    } else { // boxes of whole rows, of which the tile may use a part of the last
        operand.mn_extent = ceil_divide(source.mn_extent, operand.row()) * operand.row();
        operand.layout.panel = operand.k * operand.row();
        operand.tensor = tensor_map_of(source.name, {all_mn, k}, k_stride, {operand.row(), operand.k},
                                       ir::swizzle_row_bytes, layout, matrices);
    }
    operand.tensor.rounds = schedule.is_tf32();
    return operand;
}

bool needs_k_major(const WgmmaGemm& schedule) { return schedule.is_tf32() && !schedule.has_bf16_split(); }

bool is_a_mn_major(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    return needs_k_major(schedule) && canonical.a.column_stride != 1;
}

std::array<WgmmaOperand, 2> operands_of(const CanonicalWgmmaGemm& gemm) {
    const MatrixProduct& canonical = gemm.product();
    const WgmmaGemm& schedule = gemm.schedule;
    const MatrixLayout layout_of_b =
        gemm.transposes_b ? transpose_of_b(canonical).output_layout() : canonical.b;
    MatrixLayout layout_of_a = canonical.a;
    if (gemm.transposes_a) {
        layout_of_a = transpose_of_a(canonical).output_layout();
        std::swap(layout_of_a.row_stride, layout_of_a.column_stride);
    }
    const TmaSource b = {"b_tiles",         layout_of_b, canonical.type_of_b(), canonical.k,
                         canonical.columns, false,       schedule.cta_tile.n,   schedule.cluster.m};
    const TmaSource a = {"a_tiles",   layout_of_a, canonical.type_of_a(), canonical.rows,
                         canonical.k, true,        schedule.cta_tile.m,   schedule.cluster.n};
    return {operand_of(b, schedule, canonical.batch), operand_of(a, schedule, canonical.batch)};
}

} // namespace

CanonicalWgmmaGemm::CanonicalWgmmaGemm(const CanonicalGemm& canonical_gemm, const WgmmaGemm& wgmma)
    : canonical(canonical_gemm),
      schedule(wgmma),
      has_register_a(is_a_mn_major(wgmma, product()) && !wgmma.may_transpose_a()),
      transposes_a(is_a_mn_major(wgmma, product()) && wgmma.may_transpose_a()),
      transposes_b(needs_k_major(wgmma) && product().b.row_stride != 1),
      element_bytes(bytes_of_operand_element(wgmma, product())),
      operands(operands_of(*this)) {}

Integer bytes_of_operand_element(const WgmmaGemm& schedule, const MatrixProduct& canonical) {
    return schedule.has_bf16_split() ? bytes_of(DataType::bfloat16) : bytes_of(canonical.type_of_a());
}

Integer WgmmaOperand::offset_of(Integer mn, Integer k) const {
    if (layout.k_major) return k / row() * layout.panel + mn * row() + k % row();
    return mn / row() * layout.panel + k * row();
}

std::vector<WgmmaOperand::Load> WgmmaOperand::loads() const {
    std::vector<Load> result;
    if (layout.k_major)
        for (Integer k_index = 0; k_index < k; k_index += row())
            result.push_back({0, k_index, offset_of(0, k_index)});
    else
        for (Integer mn = 0; mn < mn_of_slice(); mn += row()) result.push_back({mn, 0, offset_of(mn, 0)});
    return result;
}

Integer WgmmaOperand::scalars_of_slice() const { return offset_of(mn_of_slice(), 0); }

ir::TensorInfo tensor_map_of_c(const CanonicalWgmmaGemm& gemm) {
    const MatrixProduct& canonical = gemm.product();
    const WgmmaGemm& schedule = gemm.schedule;
    const Integer bytes = row_bytes_of_c(schedule, canonical);
    return tensor_map_of(
        "c_tiles", {canonical.rows, canonical.columns}, canonical.c.column_stride,
        {bytes / bytes_of(canonical.type_of_c()), columns_of_box_of_c(schedule, gemm.has_register_a)}, bytes,
        canonical.c, canonical.batch);
}

std::optional<ir::TensorInfo> tensor_map_of_stores(const CanonicalWgmmaGemm& gemm) {
    ir::TensorInfo result = tensor_map_of_c(gemm);
    result.name = "c_chunks";
    result.extents.front() -= residual_rows(gemm.product());
    if (result.extents.front() == 0) return std::nullopt;
    return result;
}

Integer wgmma_shared_bytes(const CanonicalWgmmaGemm& gemm) {
    const WgmmaGemm& schedule = gemm.schedule;
    Integer bytes = 0;
    for (const WgmmaOperand& operand : gemm.operands)
        bytes += schedule.stages * operand.scalars() * bytes_of(operand.scalar);
    bytes += schedule.split_k > 1 ? WgmmaSplitK::shared_bytes(schedule)
                                  : Integer{schedule.epilogue_tile_m} * schedule.cta_tile.n *
                                        bytes_of(gemm.product().type_of_c());
    bytes += WgmmaReductions::shared_bytes(gemm);
    return bytes + (2 * schedule.stages + schedule.warpgroups) * signal_bytes + ir::swizzle_pattern_bytes;
}

} // namespace swirl::gemm

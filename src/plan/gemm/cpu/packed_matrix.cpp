#include "plan/gemm/cpu/packed_matrix.hpp"

#include "plan/gemm/cpu/matrix_copy.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>

namespace swirl::planning {

void pack_panels(MatrixKernels& kernels, const PanelSource& source, const PanelRange& range, std::byte* to) {
    const gemm::OperandTypes& types = kernels.types();
    const Integer bytes = bytes_of(source.operand == MatrixKernels::Operand::a ? types.a : types.b);
    const Integer width = kernels.width(source.operand);
    const Integer panel_bytes = kernels.panel_bytes(source.operand, range.k_extent);
    const Integer k_block = kernels.k_per_iteration(source.operand, source.kind());
    const Integer group = types.k_packing.k_group(), whole = range.k_extent / group;
    const std::int64_t parameters[] = {whole / k_block * k_block, whole, source.k_stride, source.stride};
    for (Integer at = 0; at < range.extent; at += width) {
        const int count = static_cast<int>(std::min(width, range.extent - at));
        const std::byte* from =
            source.data + ((range.first + at) * source.stride + range.first_k * source.k_stride) * bytes;
        void* const buffers[] = {const_cast<std::byte*>(from), to + at / width * panel_bytes};
        kernels.pack(source.operand, source.kind(), source.conjugated, count,
                     static_cast<int>(range.k_extent % group))(buffers, parameters);
    }
}

std::string PackedForm::text() const {
    const bool is_a = operand == MatrixKernels::Operand::a;
    const std::string layout =
        width == 0 ? "copied"
                   : fmt::format("in panels of {} {} with kc={}", width, is_a ? "rows" : "columns", kc);
    return fmt::format("{} of {} by {} {}, {}, {} matrices", is_a ? "A" : "B", is_a ? extent : k_extent,
                       is_a ? k_extent : extent, name_of(data_type), layout, matrices);
}

PackedMatrix::PackedMatrix(const PackedForm& form, const void* data, const MatrixLayout& layout,
                           MatrixKernels* kernels)
    : form_(form),
      memory_(static_cast<std::size_t>(std::max<Integer>(form.bytes_of_matrix() * form.matrices, 1)),
              {.alignment = 4096, .huge_pages = true}) {
    for (Integer matrix = 0; matrix < form.matrices; ++matrix) {
        const std::byte* const from =
            static_cast<const std::byte*>(data) + matrix * layout.batch_stride * bytes_of(form.data_type);
        std::byte* const to = memory_.as<std::byte>() + matrix * form.bytes_of_matrix();
        if (form.width == 0) {
            copy(from, layout, to);
            continue;
        }
        const PanelSource source(form.operand, from, layout);
        for (Integer k = 0; k < form.k_extent; k += form.kc)
            pack_panels(*kernels, source, {0, form.extent, k, std::min(form.kc, form.k_extent - k)},
                        to + k * form.padded() * bytes_of(form.data_type));
    }
}

PanelShape panel_shape(const MatrixKernels& kernels, MatrixKernels::Operand operand, Integer kc, Integer k) {
    const Integer whole = std::min(kc, k);
    return {.width = kernels.width(operand),
            .kc = whole,
            .whole_bytes = kernels.panel_bytes(operand, whole),
            .rest_bytes = kernels.panel_bytes(operand, k % whole)};
}

PackedPanels::PackedPanels(const PackedMatrix* packed) {
    if (packed == nullptr) return;
    const PackedForm& form = packed->form();
    memory = packed->matrix(0);
    matrix_bytes = form.matrices == 1 ? 0 : form.bytes_of_matrix();
    extent = form.extent;
}

/// As columns that follow each other: of A, or of Aᵀ where its k indices have stride 1; of B.
void PackedMatrix::copy(const std::byte* from, const MatrixLayout& layout, std::byte* to) const {
    const bool is_a = form_.operand == MatrixKernels::Operand::a;
    if (is_a && form_.along_k)
        copy_matrix(form_.data_type, from, transposed(layout), form_.k_extent, form_.extent, to);
    else
        copy_matrix(form_.data_type, from, layout, is_a ? form_.extent : form_.k_extent,
                    is_a ? form_.k_extent : form_.extent, to);
}

} // namespace swirl::planning

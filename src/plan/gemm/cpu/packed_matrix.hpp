#pragma once

#include <swirl/matrix_product.hpp>

#include "plan/gemm/cpu/kernels.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <cstddef>
#include <string>

namespace swirl::planning {

/// An operand as packing sees it: strides along k and across it.
struct PanelSource {
    MatrixKernels::Operand operand;
    const std::byte* data;
    Integer k_stride;
    Integer stride;
    bool conjugated;

    PanelSource(MatrixKernels::Operand which, const void* from, const MatrixLayout& layout)
        : operand(which),
          data(static_cast<const std::byte*>(from)),
          k_stride(which == MatrixKernels::Operand::a ? layout.column_stride : layout.row_stride),
          stride(which == MatrixKernels::Operand::a ? layout.row_stride : layout.column_stride),
          conjugated(layout.conjugated) {}

    gemm::Pack::Source kind() const {
        if (stride == 1) return gemm::Pack::Source::across_panel;
        return k_stride == 1 ? gemm::Pack::Source::along_k : gemm::Pack::Source::neither;
    }
};

/// A range of A's rows or B's columns, and a range of k.
struct PanelRange {
    Integer first;
    Integer extent;
    Integer first_k;
    Integer k_extent;
};

/// Packs panels, contiguously.
void pack_panels(MatrixKernels& kernels, const PanelSource& source, const PanelRange& range, std::byte* to);

/// The layout of a prepacked operand. Operands are those of the canonical product.
struct PackedForm {
    MatrixKernels::Operand operand = MatrixKernels::Operand::a;
    DataType data_type = DataType::float64;
    Integer extent = 0; ///< rows of A, columns of B
    Integer k_extent = 0;
    Integer width = 0; ///< of a panel; 0: an unpacked copy in `layout`
    Integer kc = 0;    ///< k extent of a panel; the panels of a block are contiguous, block after block
    Integer matrices = 1;
    bool along_k = false; ///< of a copy of A: its k indices have stride 1, not its rows
    bool operator==(const PackedForm&) const = default;

    Integer padded() const { return width == 0 ? extent : (extent + width - 1) / width * width; }
    Integer bytes_of_matrix() const { return padded() * k_extent * bytes_of(data_type); }
    /// Of a copy: A's rows, unless `along_k`, or B's k indices, have stride 1.
    MatrixLayout layout() const {
        if (along_k)
            return {.row_stride = k_extent,
                    .column_stride = 1,
                    .batch_stride = matrices == 1 ? 0 : extent * k_extent};
        MatrixLayout result{.row_stride = 1,
                            .column_stride = operand == MatrixKernels::Operand::a ? extent : k_extent};
        result.batch_stride = matrices == 1 ? 0 : extent * k_extent;
        return result;
    }
    std::string text() const; ///< for messages
};

/// A prepacked operand for any number of executions.
class PackedMatrix {
public:
    /// `kernels` must have panels of the form's width; unused if the width is 0.
    PackedMatrix(const PackedForm& form, const void* data, const MatrixLayout& layout,
                 MatrixKernels* kernels);

    const PackedForm& form() const { return form_; }
    const std::byte* matrix(Integer index) const {
        const Integer at = form_.matrices == 1 ? 0 : index;
        return memory_.as<std::byte>() + at * form_.bytes_of_matrix();
    }
    std::size_t bytes() const { return memory_.bytes(); }

private:
    void copy(const std::byte* from, const MatrixLayout& layout, std::byte* to) const;

    PackedForm form_;
    runtime::AlignedBuffer memory_;
};

/// A prepacked operand in one execution.
struct PackedPanels {
    const PackedMatrix* packed = nullptr; ///< null: not prepacked
    Integer matrix = 0;                   ///< of the batch
    Integer first = 0; ///< first row or column of the subproblem, a multiple of the panel width

    explicit operator bool() const { return packed != nullptr; }
    const std::byte* block(Integer from, Integer first_k, Integer k_extent) const {
        const PackedForm& form = packed->form();
        return packed->matrix(matrix) +
               (first_k * form.padded() + (first + from) * k_extent) * bytes_of(form.data_type);
    }
};

} // namespace swirl::planning

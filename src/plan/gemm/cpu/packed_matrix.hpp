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

/// What determines the sizes of an operand's panels.
struct PanelShape {
    Integer width;       ///< rows or columns in a panel
    Integer kc;          ///< k extent of every block but the last
    Integer whole_bytes; ///< of a panel of such a block
    Integer rest_bytes;  ///< of a panel of the last block, if it is shorter

    Integer bytes_of_panel(Integer k_extent) const { return k_extent == kc ? whole_bytes : rest_bytes; }
    Integer bytes_of_block(Integer extent) const { return (extent + width - 1) / width * whole_bytes; }
};

/// Panels that these kernels pack and read, of an operand with `k` k indices in blocks of at most `kc`.
PanelShape panel_shape(const MatrixKernels& kernels, MatrixKernels::Operand operand, Integer kc, Integer k);

/// All panels of an operand's k blocks, in one execution: the blocks follow each other, and in each the panels.
struct PackedPanels {
    const std::byte* memory = nullptr; ///< of the batch's first matrix; null: the operand is not packed
    Integer matrix_bytes = 0;          ///< distance between matrices; 0: they share one
    Integer extent = 0;                ///< rows or columns of the whole operand
    Integer first = 0;   ///< first row or column of the subproblem, a multiple of the panel width
    Integer first_k = 0; ///< of the first block

    PackedPanels() = default;
    /// Null: not packed.
    explicit PackedPanels(const PackedMatrix* packed);

    explicit operator bool() const { return memory != nullptr; }
    const std::byte* matrix(Integer index) const { return memory + index * matrix_bytes; }
    void select(Integer index) {
        memory += index * matrix_bytes; // of none: 0
    }

    /// The panels from this row or column of the subproblem on, in the block of k_extent k indices
    /// that begins at k.
    const std::byte* block(Integer from, Integer k, Integer k_extent, const PanelShape& shape) const {
        return memory + (k - first_k) / shape.kc * shape.bytes_of_block(extent) +
               (first + from) / shape.width * shape.bytes_of_panel(k_extent);
    }
};

} // namespace swirl::planning

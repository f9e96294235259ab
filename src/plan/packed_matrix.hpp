#pragma once

#include <swirl/matrix_product.hpp>

#include "plan/matrix_kernels.hpp"
#include "runtime/aligned_buffer.hpp"

#include <cstddef>
#include <string>

namespace swirl::planning {

/// An operand as it is packed: along the depth and across it.
struct PanelSource {
    MatrixKernels::Operand operand;
    const std::byte* data;
    Integer depth_stride;
    Integer stride;
    bool conjugated;

    PanelSource(MatrixKernels::Operand which, const void* from, const MatrixLayout& layout)
        : operand(which),
          data(static_cast<const std::byte*>(from)),
          depth_stride(which == MatrixKernels::Operand::a ? layout.column_stride : layout.row_stride),
          stride(which == MatrixKernels::Operand::a ? layout.row_stride : layout.column_stride),
          conjugated(layout.conjugated) {}

    gemm::Pack::Source kind() const {
        if (stride == 1) return gemm::Pack::Source::across_panel;
        return depth_stride == 1 ? gemm::Pack::Source::along_depth : gemm::Pack::Source::neither;
    }
};

/// Rows of A or columns of B and steps along the depth: from `first` on so many.
struct PanelRange {
    Integer first;
    Integer extent;
    Integer first_step;
    Integer depth;
};

/// Packs panels, one behind the other.
void pack_panels(MatrixKernels& kernels, const PanelSource& source, const PanelRange& range, std::byte* to);

/// How an operand is packed as a whole. Operands are those of the product as it is oriented.
struct PackedForm {
    MatrixKernels::Operand operand = MatrixKernels::Operand::a;
    Number number = Number::float64;
    Integer extent = 0; ///< rows of A, columns of B
    Integer depth = 0;
    Integer width = 0; ///< of a panel; 0: the numbers as they are, in `layout`
    Integer block_depth =
        0; ///< panels of so many steps; these of one block stand together, block after block
    Integer matrices = 1;
    bool operator==(const PackedForm&) const = default;

    Integer padded() const { return width == 0 ? extent : (extent + width - 1) / width * width; }
    Integer bytes_of_matrix() const { return padded() * depth * bytes_of(number); }
    /// Of a copy: A's rows and B's steps along the depth are next to each other.
    MatrixLayout layout() const {
        MatrixLayout result{.row_stride = 1,
                            .column_stride = operand == MatrixKernels::Operand::a ? extent : depth};
        result.batch_stride = matrices == 1 ? 0 : extent * depth;
        return result;
    }
    std::string text() const; ///< for people
};

/// An operand that is packed, for any number of executions.
class PackedMatrix {
public:
    /// `kernels` have panels of the form's width; not needed where it is 0.
    PackedMatrix(const PackedForm& form, const void* data, const MatrixLayout& layout,
                 MatrixKernels* kernels);

    const PackedForm& form() const { return form_; }
    const std::byte* matrix(Integer number) const {
        const Integer at = form_.matrices == 1 ? 0 : number;
        return memory_.as<std::byte>() + at * form_.bytes_of_matrix();
    }
    std::size_t bytes() const { return memory_.bytes(); }

private:
    void copy(const std::byte* from, const MatrixLayout& layout, std::byte* to) const;

    PackedForm form_;
    runtime::AlignedBuffer memory_;
};

/// A packed operand in an execution.
struct PackedPanels {
    const PackedMatrix* packed = nullptr; ///< null: the operand is not
    Integer matrix = 0;                   ///< of the batch
    Integer first = 0; ///< row or column of the part at hand, a multiple of the panels' width

    explicit operator bool() const { return packed != nullptr; }
    const std::byte* block(Integer from, Integer first_step, Integer depth) const {
        const PackedForm& form = packed->form();
        return packed->matrix(matrix) +
               (first_step * form.padded() + (first + from) * depth) * bytes_of(form.number);
    }
};

} // namespace swirl::planning

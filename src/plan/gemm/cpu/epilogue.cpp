#include "plan/gemm/cpu/epilogue.hpp"

#include "plan/gemm/cpu/multiply.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// The product's type of elements after the epilogue.
DataType finished_type(const MatrixProduct& product) {
    return product.data_type == DataType::int32 ? DataType::float32 : product.data_type;
}

MatrixProduct in_canonical_orientation(const MatrixProduct& product) {
    return wants_transposition(product) ? transposed(product) : product;
}

} // namespace

MatrixEpilogue::MatrixEpilogue(const MatrixProduct& product)
    : expression_(product, scope_of(product), product.epilogue),
      elementwise_{
          .data_type = product.data_type,
          .expression = expression_.code(),
          .row_stride = in_canonical_orientation(product).c.row_stride,
          .result = gemm::StoredElements{.type = finished_type(product),
                                         .row_stride = in_canonical_orientation(product).c.row_stride,
                                         .is_in_place = true}},
      rows_(in_canonical_orientation(product).rows),
      columns_(in_canonical_orientation(product).columns),
      is_scattered_(product.c.row_stride != 1 && product.c.column_stride != 1 &&
                    !needs_conversion_buffer(product)) {}

void MatrixEpilogue::generate_for(const target::Cpu& cpu, KernelCheck check) {
    in_memory_ = ElementwiseKernels::shared(elementwise_, rows_, columns_, cpu, check);
    if (is_scattered_) scattered_ = ScatteredStores(elementwise_, rows_, columns_, cpu, check);
}

void MatrixEpilogue::use(const MatrixKernels& plain) {
    kernels_ = MatrixKernels::shared(plain.types(), plain.schedule(), plain.cpu(), code(), plain.check());
}

void MatrixEpilogue::use(const AmxKernels& plain) {
    amx_ = AmxKernels::shared(plain.schedule(), plain.types(), code(), plain.check());
}

bool MatrixEpilogue::suits(const gemm::Tile& tile) const {
    // Offsets within a tile are displacements of instructions.
    constexpr Integer most_bytes = Integer{1} << 30;
    const auto& operands = code().operands;
    return !is_scattered_ && operands.size() <= most_operands &&
           std::all_of(operands.begin(), operands.end(), [&](const auto& operand) {
               const Integer reach =
                   operand.row_stride * 4 * tile.rows() + operand.column_stride * 4 * tile.columns;
               return reach < most_bytes / 16;
           });
}

} // namespace swirl::planning

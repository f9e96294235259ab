#include "plan/matrix_epilogue.hpp"

#include "plan/matrix_multiply.hpp"
#include "plan/matrix_values.hpp"
#include "plan/portable_product.hpp"
#include "plan/shared_kernels.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

/// Tiles with this epilogue.
std::shared_ptr<MatrixKernels> kernels_with(const MatrixKernels& plain, const gemm::Epilogue& epilogue) {
    struct Description {
        gemm::Numbers numbers;
        gemm::Epilogue epilogue;
        bool operator==(const Description&) const = default;
    };
    static auto* const known =
        new SharedKernels<Description, MatrixKernels>; // never destroyed: threads may outlive main
    return known->find({plain.numbers(), epilogue}, [&] {
        return std::make_shared<MatrixKernels>(plain.numbers(), plain.schedule(), target::host_cpu(),
                                               epilogue);
    });
}

/// Tiles of tile registers with it.
std::shared_ptr<SlicedKernels> sliced_kernels_with(const SlicedKernels& plain,
                                                   const gemm::Epilogue& epilogue) {
    struct Description {
        int products;
        gemm::TileNumbers numbers;
        gemm::Epilogue epilogue;
        bool operator==(const Description&) const = default;
    };
    static auto* const known = new SharedKernels<Description, SlicedKernels>;
    return known->find({plain.product().products(), plain.numbers(), epilogue}, [&] {
        return std::make_shared<SlicedKernels>(plain.product(), plain.numbers(), epilogue);
    });
}

} // namespace

MatrixEpilogue::MatrixEpilogue(const MatrixProduct& product)
    : expression_(product, scope_of(product), product.epilogue) {
    const bool is_turned = wants_transposition(product);
    const MatrixLayout& c = product.c;
    const MatrixProduct oriented = is_turned ? transposed(product) : product;
    const bool is_scattered = c.row_stride != 1 && c.column_stride != 1 && !is_stored_apart(product);
    if (needs_portable_products() || is_scattered || code().operands.size() > most_operands) return;
    if (lies_near(MatrixKernels::of_this_machine(product).schedule().tile))
        kernels_ = kernels_with(MatrixKernels::of_this_machine(oriented), code());
    constexpr gemm::Tile sliced{.lanes = 1, .vectors = gemm::slice_tile, .columns = gemm::slice_tile};
    suits_slices_ = kernels_ != nullptr &&
                    (oriented.number == Number::float32 || oriented.number == Number::int32) &&
                    lies_near(sliced);
}

void MatrixEpilogue::make_sliced(const SlicedKernels& plain) { sliced_ = sliced_kernels_with(plain, code()); }

/// Places in a tile are displacements of instructions.
bool MatrixEpilogue::lies_near(const gemm::Tile& tile) const {
    constexpr Integer most_bytes = Integer{1} << 30;
    return std::all_of(code().operands.begin(), code().operands.end(), [&](const auto& operand) {
        const Integer reach = operand.row_stride * 4 * tile.rows() + operand.column_stride * 4 * tile.columns;
        return reach < most_bytes / 16;
    });
}

} // namespace swirl::planning

#include "plan/matrix_epilogue.hpp"

#include "plan/matrix_multiply.hpp"
#include "plan/matrix_values.hpp"
#include "plan/portable_gemm.hpp"
#include "plan/shared_kernels.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

/// Micro-kernels with this epilogue.
std::shared_ptr<MatrixKernels> kernels_with(const MatrixKernels& plain, const gemm::Epilogue& epilogue) {
    struct Description {
        gemm::OperandTypes types;
        gemm::Epilogue epilogue;
        bool operator==(const Description&) const = default;
    };
    static auto* const known =
        new SharedKernels<Description, MatrixKernels>; // never destroyed: threads may outlive main
    return known->find({plain.types(), epilogue}, [&] {
        return std::make_shared<MatrixKernels>(plain.types(), plain.schedule(), target::host_cpu(), epilogue);
    });
}

/// AMX kernels with this epilogue.
std::shared_ptr<AmxKernels> amx_kernels_with(const AmxKernels& plain, const gemm::Epilogue& epilogue) {
    struct Description {
        int products;
        gemm::AmxTypes types;
        gemm::Epilogue epilogue;
        bool operator==(const Description&) const = default;
    };
    static auto* const known = new SharedKernels<Description, AmxKernels>;
    return known->find({plain.product().term_products(), plain.types(), epilogue}, [&] {
        return std::make_shared<AmxKernels>(plain.product(), plain.types(), epilogue);
    });
}

} // namespace

MatrixEpilogue::MatrixEpilogue(const MatrixProduct& product)
    : expression_(product, scope_of(product), product.epilogue) {
    const bool is_transposed = wants_transposition(product);
    const MatrixLayout& c = product.c;
    const MatrixProduct canonical = is_transposed ? transposed(product) : product;
    const bool is_scattered = c.row_stride != 1 && c.column_stride != 1 && !needs_conversion_buffer(product);
    if (needs_portable_gemm() || is_scattered || code().operands.size() > most_operands) return;
    if (lies_near(MatrixKernels::of_host(product).schedule().tile))
        kernels_ = kernels_with(MatrixKernels::of_host(canonical), code());
    constexpr gemm::Tile amx{.lanes = 1, .vectors = gemm::amx_tile, .columns = gemm::amx_tile};
    suits_amx_ = kernels_ != nullptr &&
                 (canonical.data_type == DataType::float32 || canonical.data_type == DataType::int32) &&
                 lies_near(amx);
}

void MatrixEpilogue::make_amx(const AmxKernels& plain) { amx_ = amx_kernels_with(plain, code()); }

/// Offsets within a tile are displacements of instructions.
bool MatrixEpilogue::lies_near(const gemm::Tile& tile) const {
    constexpr Integer most_bytes = Integer{1} << 30;
    return std::all_of(code().operands.begin(), code().operands.end(), [&](const auto& operand) {
        const Integer reach = operand.row_stride * 4 * tile.rows() + operand.column_stride * 4 * tile.columns;
        return reach < most_bytes / 16;
    });
}

} // namespace swirl::planning

#include "scalapack/gemm.hpp"

#include <swirl/distributed/matrix_product.hpp>

#include "mpi/shared/ranks.hpp"
#include "scalapack/blacs.hpp"
#include "scalapack/block_cyclic.hpp"

#include <complex>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace swirl::scalapack {
namespace {

/// Of an array descriptor.
enum Entry { type, context, rows, columns, row_block, column_block, row_source, column_source, leading };
constexpr int dense = 1;

/// `height` × `width` of the stored matrix.
bool is_valid(const Argument& argument, Integer height, Integer width) {
    const int* const d = argument.descriptor;
    return d[type] == dense && d[row_block] > 0 && d[column_block] > 0 && d[row_source] >= 0 &&
           d[column_source] >= 0 && argument.first_row >= 1 && argument.first_column >= 1 &&
           argument.first_row - 1 + height <= d[rows] && argument.first_column - 1 + width <= d[columns];
}

Submatrix submatrix_of(const Argument& argument, Operation operation, Integer height, Integer width,
                       const Grid& grid) {
    const int* const d = argument.descriptor;
    const bool is_transposed = operation != Operation::none;
    const Axis down{argument.first_row - 1, is_transposed ? width : height, d[row_block], d[row_source],
                    grid.rows},
        across{argument.first_column - 1, is_transposed ? height : width, d[column_block], d[column_source],
               grid.columns};
    return {is_transposed ? across : down, is_transposed ? down : across, is_transposed, d[leading]};
}

template <class Element> void scale(const Submatrix& matrix, const Grid& grid, Element* c, Element beta) {
    for (Integer j = 0; j < matrix.columns.length; ++j) {
        if (matrix.columns.owner(j) != grid.column) continue;
        for (Integer i = 0; i < matrix.rows.length; ++i) {
            if (matrix.rows.owner(i) != grid.row) continue;
            Element& element = c[matrix.rows.local(i) + matrix.columns.local(j) * matrix.leading];
            element = beta == Element{} ? Element{} : static_cast<Element>(beta * element);
        }
    }
}

void scale(const Submatrix& matrix, const Grid& grid, const GemmCall& call) {
    const double real = call.beta.real(), imaginary = call.beta.imaginary();
    void* const c = call.c.data;
    switch (call.type) {
    case DataType::float32: return scale(matrix, grid, static_cast<float*>(c), static_cast<float>(real));
    case DataType::float64: return scale(matrix, grid, static_cast<double*>(c), real);
    case DataType::complex64:
        return scale(matrix, grid, static_cast<std::complex<float>*>(c),
                     {static_cast<float>(real), static_cast<float>(imaginary)});
    default: return scale(matrix, grid, static_cast<std::complex<double>*>(c), {real, imaginary});
    }
}

} // namespace

bool is_valid(const GemmCall& call) {
    const auto fits = [](const Argument& argument, Operation operation, Integer height, Integer width) {
        return operation == Operation::none ? is_valid(argument, height, width)
                                            : is_valid(argument, width, height);
    };
    return call.m >= 0 && call.n >= 0 && call.k >= 0 && fits(call.a, call.operation_a, call.m, call.k) &&
           fits(call.b, call.operation_b, call.k, call.n) && fits(call.c, Operation::none, call.m, call.n) &&
           call.a.descriptor[context] == call.c.descriptor[context] &&
           call.b.descriptor[context] == call.c.descriptor[context];
}

void gemm(const GemmCall& call) {
    if (call.m == 0 || call.n == 0) return;
    const Grid grid = grid_of(call.c.descriptor[context]);
    if (!grid.contains_this_process()) return;
    const Submatrix c = submatrix_of(call.c, Operation::none, call.m, call.n, grid);
    if (call.k == 0 || call.alpha == 0) return scale(c, grid, call);

    const std::shared_ptr<mpi::Ranks> ranks = mpi::ranks_of(grid.processes);
    distributed::Communicator& communicator = *ranks->engine;
    MatrixProduct product = MatrixProduct::row_major(call.type, call.m, call.n, call.k);
    const bool is_complex = call.type == DataType::complex64 || call.type == DataType::complex128;
    product.a.conjugated = is_complex && call.operation_a == Operation::conjugate_transpose;
    product.b.conjugated = is_complex && call.operation_b == Operation::conjugate_transpose;
    const std::vector<distributed::MatrixBoxes> boxes =
        distributed::product_boxes(product, communicator.size());
    const auto own = static_cast<std::size_t>(communicator.rank());
    const distributed::DistributedProduct plan = distributed::plan(product, communicator, boxes[own]);
    BoxesOfRanks of_a, of_b, of_c;
    for (const distributed::MatrixBoxes& each : boxes) {
        of_a.push_back(each.a);
        of_b.push_back(each.b);
        of_c.push_back(each.c);
    }
    const int rank = communicator.rank();
    const Integer bytes = bytes_of(call.type);
    const auto fetched = [&](const Argument& argument, const Redistribution& moves) {
        std::vector<std::byte> array(static_cast<std::size_t>(moves.box_elements() * bytes));
        moves.to_boxes(communicator, static_cast<const std::byte*>(argument.data), array.data(), bytes);
        return array;
    };
    const std::vector<std::byte> a =
        fetched(call.a, {submatrix_of(call.a, call.operation_a, call.m, call.k, grid), grid, of_a, rank});
    const std::vector<std::byte> b =
        fetched(call.b, {submatrix_of(call.b, call.operation_b, call.k, call.n, grid), grid, of_b, rank});
    const Redistribution moves_c(c, grid, of_c, rank);
    std::vector<std::byte> result(static_cast<std::size_t>(moves_c.box_elements() * bytes));
    if (!(call.beta == 0)) result = fetched(call.c, moves_c);
    plan.execute(call.alpha, static_cast<const void*>(a.data()), static_cast<const void*>(b.data()),
                 call.beta, static_cast<void*>(result.data()));
    moves_c.from_boxes(communicator, result.data(), static_cast<std::byte*>(call.c.data), bytes);
}

} // namespace swirl::scalapack

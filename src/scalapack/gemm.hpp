#pragma once

#include <swirl/arrays.hpp>
#include <swirl/data_type.hpp>
#include <swirl/kinds.hpp>

namespace swirl::scalapack {

/// A distributed matrix, as p?gemm's arguments give it: an array descriptor of nine numbers, and the submatrix's first row and
/// column, from 1.
struct Argument {
    void* data = nullptr;
    int first_row = 1, first_column = 1;
    const int* descriptor = nullptr;
};

enum class Operation { none, transpose, conjugate_transpose };

/// sub(C) = α·op(sub(A))·op(sub(B)) + β·sub(C), where C is m × n and the inner extent k.
struct GemmCall {
    DataType type = DataType::float64;
    Operation operation_a = Operation::none, operation_b = Operation::none;
    Integer m = 0, n = 0, k = 0;
    Scalar alpha = 1, beta = 0;
    Argument a, b, c;
};

/// Whether the arguments are valid, as far as all processes know alike.
bool is_valid(const GemmCall& call);
/// Collective among the processes of the context. Throws what distributed plans do.
void gemm(const GemmCall& call);

} // namespace swirl::scalapack

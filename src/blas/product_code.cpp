#include "blas/product_code.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "problem/matrix_product.hpp"
#include "search/planner.hpp"

namespace swirl::blas {

namespace {

template <DataType data_type> const planning::MatrixCode& code_of() {
    static constinit LazyValue<planning::MatrixCode> code;
    return code.get([] { return search::make_matrix_code(data_type); });
}

} // namespace

const planning::MatrixCode& code_for(DataType data_type) {
    switch (data_type) {
    case DataType::float32: return code_of<DataType::float32>();
    case DataType::float64: return code_of<DataType::float64>();
    case DataType::complex64: return code_of<DataType::complex64>();
    case DataType::complex128: return code_of<DataType::complex128>();
    default: throw InternalError("the BLAS has no {}", name_of(data_type));
    }
}

} // namespace swirl::blas

#include "peers/gpu_matrix_call.hpp"

#include "base/error.hpp"

namespace swirl::peers {
namespace {

GpuArithmetic arithmetic_of(const MatrixProduct& product, Accuracy accuracy, bool emulated) {
    // C is of the sums' type, or of that of 16-bit operands.
    const auto is_of = [&](DataType operands, DataType sums) {
        return product.data_type == sums && product.type_of_a() == operands &&
               product.type_of_b() == operands &&
               (!product.converts() || (bytes_of(operands) == 2 && product.type_of_c() == operands));
    };
    if (is_of(DataType::float64, DataType::float64) && !emulated) return GpuArithmetic::float64;
    if (is_of(DataType::float32, DataType::float32)) {
        if (emulated) return GpuArithmetic::float32_tensors;
        return accuracy >= Accuracy::eleven_bits ? GpuArithmetic::tf32 : GpuArithmetic::float32;
    }
    if (emulated) throw UserError("cuBLAS emulates float32 only");
    if (is_of(DataType::bfloat16, DataType::float32)) return GpuArithmetic::bfloat16;
    if (is_of(DataType::float16, DataType::float32)) return GpuArithmetic::float16;
    if (is_of(DataType::float8_e4m3, DataType::float32)) return GpuArithmetic::e4m3;
    throw UserError("cuBLAS is not called for the data types of '{}'", to_text(product));
}

} // namespace

GpuMatrixCall gpu_call_of(const MatrixProduct& product, Accuracy accuracy, bool emulated) {
    GpuMatrixCall call{.arithmetic = arithmetic_of(product, accuracy, emulated),
                       .narrow_c = product.converts(),
                       .rows = product.rows,
                       .columns = product.columns,
                       .k = product.k,
                       .batch = product.batch};
    const auto is_dense = [&](const MatrixLayout& layout, Integer rows, Integer columns, bool transposed) {
        const bool fits = transposed ? layout.row_stride == columns && layout.column_stride == 1
                                     : layout.row_stride == 1 && layout.column_stride == rows;
        return fits && !layout.conjugated && (product.batch == 1 || layout.batch_stride == rows * columns);
    };
    call.transposed_a = !is_dense(product.a, call.rows, call.k, false);
    call.transposed_b = !is_dense(product.b, call.k, call.columns, false);
    const bool is_plain = is_dense(product.a, call.rows, call.k, call.transposed_a) &&
                          is_dense(product.b, call.k, call.columns, call.transposed_b) &&
                          is_dense(product.c, call.rows, call.columns, false) &&
                          product.epilogue.is_identity() && product.reductions.empty() && !product.listed;
    if (!is_plain)
        throw UserError("cuBLAS is called for dense matrices stored by columns or rows, not for '{}'",
                        to_text(product));
    return call;
}

MatrixProduct product_of(const GpuMatrixCall& call) {
    MatrixProduct product = MatrixProduct::column_major(
        call.arithmetic == GpuArithmetic::float64 ? DataType::float64 : DataType::float32, call.rows,
        call.columns, call.k);
    if (call.transposed_a) product.a = {call.k, 1};
    if (call.transposed_b) product.b = {call.columns, 1};
    if (call.arithmetic == GpuArithmetic::bfloat16) product.a_type = product.b_type = DataType::bfloat16;
    if (call.arithmetic == GpuArithmetic::float16) product.a_type = product.b_type = DataType::float16;
    if (call.arithmetic == GpuArithmetic::e4m3) product.a_type = product.b_type = DataType::float8_e4m3;
    if (call.narrow_c) product.c_type = product.a_type;
    product.batch = call.batch;
    if (call.batch == 1) return product;
    product.a.batch_stride = call.rows * call.k;
    product.b.batch_stride = call.k * call.columns;
    product.c.batch_stride = call.rows * call.columns;
    return product;
}

} // namespace swirl::peers

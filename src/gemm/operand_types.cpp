#include "gemm/operand_types.hpp"

namespace swirl::gemm {

OperandTypes operand_types_of(const MatrixProduct& product, const target::Cpu& cpu,
                              const target::Extensions& extensions) {
    OperandTypes types{product.type_of_a(), product.type_of_b(), product.data_type};
    KPacking& k_packing = types.k_packing;
    const bool is_avx512 = cpu.set == target::InstructionSet::avx512;
    if (types.a == DataType::bfloat16 && is_avx512 && extensions.dot_products_of_bfloat16)
        k_packing.method = Method::bfloat16_pairs;
    if (types.c != DataType::int32) return types;
    k_packing.b_is_unsigned = types.b == DataType::uint8;
    const bool is_avx2 = cpu.set == target::InstructionSet::avx2_fma;
    const bool has_quads = (is_avx512 && extensions.dot_products_of_bytes) ||
                           (is_avx2 && extensions.dot_products_of_bytes_in_avx2);
    k_packing.method = has_quads ? Method::byte_quads : Method::int16_pairs;
    if (k_packing.method == Method::byte_quads && types.a == types.b)
        k_packing.correction = k_packing.b_is_unsigned ? 128 : -128;
    return types;
}

std::string_view words_of(const OperandTypes& types) {
    switch (types.k_packing.method) {
    case Method::multiply_add: return "widened to float32, ";
    case Method::bfloat16_pairs: return "bfloat16 in pairs, ";
    case Method::byte_quads: return "bytes in fours, ";
    case Method::int16_pairs: return "bytes as pairs of int16, ";
    }
    return "";
}

} // namespace swirl::gemm

#include "gemm/numbers.hpp"

namespace swirl::gemm {

Numbers numbers_of(const MatrixProduct& product, const target::Cpu& cpu,
                   const target::Extensions& extensions) {
    Numbers numbers{product.number_of_a(), product.number_of_b(), product.number};
    Grouping& grouping = numbers.grouping;
    const bool is_avx512 = cpu.set == target::InstructionSet::avx512;
    if (numbers.a == Number::bfloat16 && is_avx512 && extensions.dot_products_of_bfloat16)
        grouping.method = Method::bfloat16_pairs;
    if (numbers.c != Number::int32) return numbers;
    grouping.b_is_unsigned = numbers.b == Number::uint8;
    const bool is_avx2 = cpu.set == target::InstructionSet::avx2_fma;
    const bool has_quads = (is_avx512 && extensions.dot_products_of_bytes) ||
                           (is_avx2 && extensions.dot_products_of_bytes_in_avx2);
    grouping.method = has_quads ? Method::byte_quads : Method::int16_pairs;
    if (grouping.method == Method::byte_quads && numbers.a == numbers.b)
        grouping.correction = grouping.b_is_unsigned ? 128 : -128;
    return numbers;
}

std::string_view words_of(const Numbers& numbers) {
    switch (numbers.grouping.method) {
    case Method::multiply_add: return "widened to float32, ";
    case Method::bfloat16_pairs: return "bfloat16 in pairs, ";
    case Method::byte_quads: return "bytes in fours, ";
    case Method::int16_pairs: return "bytes as pairs of int16, ";
    }
    return "";
}

} // namespace swirl::gemm

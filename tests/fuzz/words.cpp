#include "fuzz/words.hpp"

#include "problem/data_type.hpp"

#include <fmt/format.h>

namespace swirl::fuzz {
namespace {

std::string in_words(const char* name, DataType data_type, const MatrixLayout& layout) {
    return fmt::format("{}={}:({},{},{}){}", name, name_of(data_type), layout.row_stride,
                       layout.column_stride, layout.batch_stride, layout.conjugated ? ",conj" : "");
}

} // namespace

std::string in_words(const MatrixProduct& product, const Factors& factors) {
    const auto factor = [](Complex value) {
        return fmt::format("{}{:+}i", static_cast<double>(value.real()), static_cast<double>(value.imag()));
    };
    std::string words = fmt::format(
        "gemm {}x{}x{} {} batch={} {} {} {} alpha={} beta={}", product.rows, product.columns, product.k,
        name_of(product.data_type), product.batch, in_words("a", product.type_of_a(), product.a),
        in_words("b", product.type_of_b(), product.b), in_words("c", product.type_of_c(), product.c),
        factor(factors.alpha), factor(factors.beta));
    if (!product.epilogue.is_identity()) words += fmt::format(" epilogue=\"{}\"", product.epilogue.text());
    for (const Reduction& reduction : product.reductions)
        words += fmt::format(" {}: operation {} over {} of \"{}\"", reduction.name,
                             static_cast<int>(reduction.operation), static_cast<int>(reduction.over),
                             reduction.of.text());
    return words;
}

} // namespace swirl::fuzz

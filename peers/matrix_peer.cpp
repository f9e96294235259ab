#include "peers/matrix_peer.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <sstream>

namespace swirl::peers {

char letter(DataType data_type) {
    switch (data_type) {
    case DataType::float32: return 's';
    case DataType::float64: return 'd';
    case DataType::complex64: return 'c';
    case DataType::complex128: return 'z';
    default: break; // not of the BLAS
    }
    return '?';
}

std::optional<MatrixCall> call_of(const MatrixProduct& product) {
    MatrixCall call{
        .data_type = product.data_type, .rows = product.rows, .columns = product.columns, .k = product.k};
    const auto dense = [](const MatrixLayout& layout, Integer rows, Integer columns, bool& transposed) {
        transposed = layout.row_stride == columns && layout.column_stride == 1 && rows > 1 && columns > 1;
        return !layout.conjugated && (transposed || (layout.row_stride == 1 && layout.column_stride == rows));
    };
    bool transposed_c = false;
    const bool is_plain = dense(product.a, product.rows, product.k, call.transposed_a) &&
                          dense(product.b, product.k, product.columns, call.transposed_b) &&
                          dense(product.c, product.rows, product.columns, transposed_c) && !transposed_c &&
                          product.batch == 1 && product.epilogue.is_identity() &&
                          product.reductions.empty() && !product.converts();
    const auto operands_are = [&](DataType type) {
        return product.type_of_a() == type && product.type_of_b() == type;
    };
    call.from_bfloat16 = product.data_type == DataType::float32 && operands_are(DataType::bfloat16);
    const bool is_known =
        call.from_bfloat16 || (call.from_int8() ? operands_are(DataType::int8) : !product.widens());
    return is_plain && is_known ? std::optional(call) : std::nullopt;
}

std::string routine_name(const MatrixCall& call) {
    if (call.from_int8()) return "s8gemm";
    return call.from_bfloat16 ? "bf16gemm" : fmt::format("{}gemm", letter(call.data_type));
}

std::string to_text(const MatrixCall& call) {
    const bool square = call.rows == call.columns && call.rows == call.k;
    std::string text = routine_name(call) + ' ';
    text += square ? fmt::format("{}", call.rows) : fmt::format("{}x{}x{}", call.rows, call.columns, call.k);
    if (call.transposed_a || call.transposed_b)
        text += fmt::format(" {}{}", call.transposed_a ? 't' : 'n', call.transposed_b ? 't' : 'n');
    return text;
}

std::span<const MatrixPeer* const> all_matrix_peers() {
    static const MatrixPeer* const peers[] = {&openblas,      &openblas_avx512, &blis,      &aocl_blas,
                                              &mkl_blas,      &mkl_jit,         &onednn,    &onednn_matmul,
                                              &onednn_packed, &libxsmm,         &swirl_blas};
    return peers;
}

std::vector<const MatrixPeer*> parse_matrix_peers(const std::string& option, const std::string& list) {
    std::vector<const MatrixPeer*> chosen;
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) {
        if (name == "none") continue;
        const MatrixPeer* found = nullptr;
        std::vector<std::string_view> names{"none"};
        for (const MatrixPeer* candidate : all_matrix_peers()) {
            names.push_back(candidate->name);
            if (name == candidate->name) found = candidate;
        }
        if (found == nullptr) throw UserError("{} has '{}'; use {}", option, name, fmt::join(names, ", "));
        chosen.push_back(found);
    }
    return chosen;
}

} // namespace swirl::peers

#include "peers/matrix_peer.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <sstream>

namespace swirl::peers {

char letter(DataType number) {
    switch (number) {
    case DataType::float32: return 's';
    case DataType::float64: return 'd';
    case DataType::complex64: return 'c';
    case DataType::complex128: return 'z';
    default: break; // not of the BLAS
    }
    return '?';
}

std::string routine_name(const MatrixCall& call) {
    constexpr std::string_view names[] = {"gemm", "symm", "syrk", "trmm", "trsm"};
    const std::string_view name = names[static_cast<std::size_t>(call.routine)];
    if (call.from_int8()) return fmt::format("s8{}", name);
    return call.from_bfloat16 ? fmt::format("bf16{}", name) : fmt::format("{}{}", letter(call.number), name);
}

std::string to_text(const MatrixCall& call) {
    const bool square = call.rows == call.columns && call.rows == call.depth;
    std::string text = routine_name(call) + ' ';
    text +=
        square ? fmt::format("{}", call.rows) : fmt::format("{}x{}x{}", call.rows, call.columns, call.depth);
    if (call.transposed_a || call.transposed_b)
        text += fmt::format(" {}{}", call.transposed_a ? 't' : 'n', call.transposed_b ? 't' : 'n');
    return text;
}

double flops(const MatrixCall& call) {
    const double m = static_cast<double>(call.rows), n = static_cast<double>(call.columns),
                 k = static_cast<double>(call.depth);
    const double each = is_complex(call.number) ? 4 : 1;
    switch (call.routine) {
    case MatrixRoutine::gemm: return each * 2 * m * n * k;
    case MatrixRoutine::symm: return each * 2 * m * m * n;
    case MatrixRoutine::syrk: return each * n * (n + 1) * k;
    case MatrixRoutine::trmm:
    case MatrixRoutine::trsm: return each * m * m * n;
    }
    return 0;
}

std::span<const MatrixPeer* const> all_matrix_peers() {
    static const MatrixPeer* const peers[] = {&openblas, &openblas_avx512, &blis,          &mkl_blas,
                                              &mkl_jit,  &onednn,          &onednn_matmul, &onednn_packed,
                                              &libxsmm,  &swirl_blas};
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

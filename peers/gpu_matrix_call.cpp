#include "peers/gpu_matrix_call.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <array>
#include <regex>
#include <vector>

namespace swirl::peers {
namespace {

struct Word {
    GpuArithmetic arithmetic;
    std::string_view text;
    Integer operand_bytes;
};
constexpr std::array words = {
    Word{GpuArithmetic::float32, "sgemm", 4},     Word{GpuArithmetic::float32_tensors, "sgemm-tensors", 4},
    Word{GpuArithmetic::tf32, "tf32gemm", 4},     Word{GpuArithmetic::float64, "dgemm", 8},
    Word{GpuArithmetic::bfloat16, "bf16gemm", 2}, Word{GpuArithmetic::float16, "fp16gemm", 2},
    Word{GpuArithmetic::e4m3, "fp8gemm", 1},
};

const Word& word_of(GpuArithmetic arithmetic) {
    for (const Word& each : words)
        if (each.arithmetic == arithmetic) return each;
    throw InternalError("no word for arithmetic {}", static_cast<int>(arithmetic));
}

} // namespace

Integer GpuMatrixCall::operand_bytes() const { return word_of(arithmetic).operand_bytes; }

double GpuMatrixCall::flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth) *
           static_cast<double>(batch);
}

double GpuMatrixCall::bytes() const {
    const Integer operands = (rows + columns) * depth * operand_bytes();
    return static_cast<double>(batch) * static_cast<double>(operands + rows * columns * result_bytes());
}

std::string_view word(GpuArithmetic arithmetic) { return word_of(arithmetic).text; }

std::string to_text(const GpuMatrixCall& call) {
    return fmt::format("{} {}{} {}x{}x{}{}", word(call.arithmetic), call.transposed_a ? 'T' : 'N',
                       call.transposed_b ? 'T' : 'N', call.rows, call.columns, call.depth,
                       call.batch == 1 ? "" : fmt::format(" batch={}", call.batch));
}

GpuMatrixCall parse_gpu_matrix_call(const std::string& text) {
    static const std::regex form(
        R"((\S+) ([NT])([NT]) ([1-9]\d{0,8})x([1-9]\d{0,8})x([1-9]\d{0,8})( batch=([1-9]\d{0,8}))?)");
    std::smatch found;
    const bool has_form = std::regex_match(text, found, form);
    for (const Word& each : words)
        if (has_form && found.str(1) == each.text)
            return {each.arithmetic,
                    found.str(2) == "T",
                    found.str(3) == "T",
                    std::stoll(found.str(4)),
                    std::stoll(found.str(5)),
                    std::stoll(found.str(6)),
                    found[8].matched ? std::stoll(found.str(8)) : 1};
    std::vector<std::string_view> known;
    for (const Word& each : words) known.push_back(each.text);
    throw UserError("'{}' is no product; write it as 'sgemm NT 500x600x700 batch=3', with {}", text,
                    fmt::join(known, ", "));
}

} // namespace swirl::peers

#include "gemm/cpu/schedule.hpp"
#include "fuzz/parsers/fixpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return swirl::fuzz::check_fixpoint(data, size, [](std::string_view text) {
        return swirl::gemm::to_string(swirl::gemm::parse_cpu_gemm(
            text, swirl::target::avx2_cpu(),
            swirl::MatrixProduct::column_major(swirl::DataType::float64, 99, 99, 99)));
    });
}

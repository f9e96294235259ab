#include "fuzz/parsers/fixpoint.hpp"
#include "gemm/gpu/schedule_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return swirl::fuzz::check_fixpoint(data, size, [](std::string_view text) {
        return swirl::gemm::to_string(swirl::gemm::parse_gpu_schedule(text));
    });
}

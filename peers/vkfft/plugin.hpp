#pragma once

#include <cstddef>
#include <cstdint>

/// What peers/vkfft.cpp asks of VkFFT: a library of its own (peers/vkfft/plugin.cpp), as VkFFT wants CUDA's headers and NVRTC,
/// which nothing else here does.
namespace swirl::peers {

/// A complex transform of contiguous data.
struct VkfftRequest {
    std::uint64_t lengths[3]; ///< the one of neighbours first
    std::uint64_t dimensions;
    std::uint64_t batch;
    bool is_double;
    bool is_inverse;
    bool is_in_place;
    int device;
    void* stream;
};

// By these names, with C linkage. The GPU's context is current. A plan is null where `error` says why.
using VkfftPlanFunction = void*(const VkfftRequest* request, char* error, std::size_t error_bytes);
using VkfftExecuteFunction = int(void* plan, void* input, void* output); ///< 0 or VkFFT's number of an error
using VkfftDestroyFunction = void(void* plan);
using VkfftVersionFunction = int();
constexpr const char* vkfft_plan_name = "swirl_vkfft_plan";
constexpr const char* vkfft_execute_name = "swirl_vkfft_execute";
constexpr const char* vkfft_destroy_name = "swirl_vkfft_destroy";
constexpr const char* vkfft_version_name = "swirl_vkfft_version";

} // namespace swirl::peers

// VkFFT as a library that is opened at run time. Its header has the whole of it.

#include "peers/vkfft/plugin.hpp"

#define VKFFT_BACKEND 1 // CUDA
#include <vkFFT.h>

#include <cstdio>
#include <memory>

namespace {

using swirl::peers::VkfftRequest;

/// VkFFT keeps pointers to what it was configured with.
struct Plan {
    CUdevice device = 0;
    cudaStream_t stream = nullptr;
    pfUINT bytes = 0;
    bool is_inverse = false;
    bool is_in_place = false;
    VkFFTApplication application = {};
};

VkFFTResult initialise(Plan& plan, const VkfftRequest& request) {
    VkFFTConfiguration configuration = {};
    configuration.FFTdim = request.dimensions;
    plan.bytes = (request.is_double ? 16U : 8U) * request.batch;
    for (std::uint64_t k = 0; k < request.dimensions; ++k) {
        configuration.size[k] = request.lengths[k];
        plan.bytes *= request.lengths[k];
    }
    configuration.numberBatches = request.batch;
    configuration.doublePrecision = request.is_double ? 1 : 0;
    configuration.device = &plan.device;
    configuration.stream = &plan.stream;
    configuration.num_streams = 1;
    configuration.bufferSize = &plan.bytes;
    configuration.makeForwardPlanOnly = request.is_inverse ? 0 : 1;
    configuration.makeInversePlanOnly = request.is_inverse ? 1 : 0;
    if (!request.is_in_place) {
        configuration.isInputFormatted = 1;
        configuration.inputBufferSize = &plan.bytes;
    }
    return initializeVkFFT(&plan.application, configuration);
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) void* swirl_vkfft_plan(const VkfftRequest* request, char* error,
                                                              std::size_t error_bytes) {
    auto plan = std::make_unique<Plan>();
    plan->stream = static_cast<cudaStream_t>(request->stream);
    plan->is_inverse = request->is_inverse;
    plan->is_in_place = request->is_in_place;
    if (cuDeviceGet(&plan->device, request->device) != CUDA_SUCCESS) {
        std::snprintf(error, error_bytes, "there is no GPU %d", request->device);
        return nullptr;
    }
    const VkFFTResult result = initialise(*plan, *request);
    if (result == VKFFT_SUCCESS) return plan.release();
    std::snprintf(error, error_bytes, "initializeVkFFT answers %d", static_cast<int>(result));
    return nullptr;
}

__attribute__((visibility("default"))) int swirl_vkfft_execute(void* handle, void* input, void* output) {
    Plan& plan = *static_cast<Plan*>(handle);
    VkFFTLaunchParams parameters = {};
    parameters.buffer = &output;
    if (!plan.is_in_place) parameters.inputBuffer = &input;
    return static_cast<int>(VkFFTAppend(&plan.application, plan.is_inverse ? 1 : -1, &parameters));
}

__attribute__((visibility("default"))) void swirl_vkfft_destroy(void* handle) {
    const std::unique_ptr<Plan> plan(static_cast<Plan*>(handle));
    deleteVkFFT(&plan->application);
}

__attribute__((visibility("default"))) int swirl_vkfft_version() { return VkFFTGetVersion(); }

} // extern "C"

#include "runtime/cuda/compile_call.hpp"

#include "base/error.hpp"

namespace swirl::runtime {
namespace {

constexpr std::size_t log_bytes = 16384;

void* option_value(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

std::string text_of(const std::vector<char>& log) {
    std::string_view text(log.data()); // the last byte is never handed out, so the text is terminated
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    return std::string(text);
}

} // namespace

CompileCall::CompileCall(const CompileOptions& options)
    : information_(log_bytes + 1), errors_(log_bytes + 1) {
    using Option = cuda::CompileOption;
    names_ = {Option::information,  Option::information_bytes, Option::errors,
              Option::errors_bytes, Option::verbose,           Option::optimization};
    values_ = {information_.data(), option_value(log_bytes),
               errors_.data(),      option_value(log_bytes),
               option_value(1),     option_value(static_cast<std::uintptr_t>(options.optimization))};
    if (options.max_registers > 0) {
        names_.push_back(Option::max_registers);
        values_.push_back(option_value(static_cast<std::uintptr_t>(options.max_registers)));
    }
}

std::string CompileCall::information() const { return text_of(information_); }
std::string CompileCall::errors() const { return text_of(errors_); }

void throw_compile_error(const GpuDevice& device, cuda::Result result, std::string_view call,
                         const std::string& log) {
    const CudaDriver& driver = device.driver();
    const std::string reason = driver.describe(result);
    const std::string shown = log.empty() ? "" : "\n" + log;
    switch (result) {
    case cuda::out_of_memory:
        throw OutOfMemory("{} has no memory for a kernel: {}", device.description(), reason);
    case cuda::unsupported_ptx_version:
        throw Unavailable(
            "the NVIDIA driver, for CUDA {}, is too old for this PTX: {}; use a later driver or the "
            "GPU 'generic' will do{}",
            cuda_version_text(driver.version()), reason, shown);
    case cuda::compiler_not_found:
    case cuda::compilation_disabled:
        throw Unavailable(
            "the NVIDIA driver cannot compile PTX: {}; its library libnvidia-ptxjitcompiler.so.1 "
            "is needed, and CUDA_DISABLE_PTX_JIT must not be set",
            reason);
    case cuda::no_binary_for_gpu:
        throw Unavailable("the code is not for {} of compute capability {}.{}: {}{}", device.description(),
                          device.properties().capability_major, device.properties().capability_minor, reason,
                          shown);
    default: CudaDriver::refused(result, fmt::format("{} failed: {}{}", call, reason, shown));
    }
}

} // namespace swirl::runtime

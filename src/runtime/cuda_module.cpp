#include "runtime/cuda_module.hpp"

#include "base/error.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace swirl::runtime {
namespace {

constexpr std::size_t log_bytes = 16384;
constexpr int cluster_version = 11080; ///< the first CUDA that launches clusters

void* option_value(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

/// What the driver's compiler writes while it works.
class CompileLog {
public:
    char* buffer() { return text_.data(); }
    std::string text() const {
        std::string_view text(text_.data()); // the last byte is never given away, so there is an end
        while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
        return std::string(text);
    }

private:
    std::vector<char> text_ = std::vector<char>(log_bytes + 1);
};

[[noreturn]] void throw_for(const GpuDevice& device, cuda::Result result, const std::string& log) {
    const CudaDriver& driver = device.driver();
    const std::string reason = driver.describe(result);
    const std::string shown = log.empty() ? "" : "\n" + log;
    switch (result) {
    case cuda::out_of_memory:
        throw UserError("{} has no room for a kernel: {}", device.description(), reason);
    case cuda::unsupported_ptx_version:
        throw UserError(
            "the NVIDIA driver, for CUDA {}, is too old for this PTX: {}; a later driver or the "
            "GPU 'generic' will do{}",
            cuda_version_text(driver.version()), reason, shown);
    case cuda::compiler_not_found:
    case cuda::compilation_disabled:
        throw UserError(
            "the NVIDIA driver cannot compile PTX: {}; its library libnvidia-ptxjitcompiler.so.1 "
            "is needed, and CUDA_DISABLE_PTX_JIT must not be set",
            reason);
    case cuda::no_binary_for_gpu:
        throw UserError("the code is not for {} of compute capability {}.{}: {}{}", device.description(),
                        device.facts().capability_major, device.facts().capability_minor, reason, shown);
    default: throw InternalError("cuModuleLoadDataEx failed: {}{}", reason, shown);
    }
}

std::string in_words(const GpuExtent& extent) {
    return fmt::format("{}×{}×{}", extent.x, extent.y, extent.z);
}

std::string in_words(const LaunchShape& shape) {
    return fmt::format("grid {}, blocks of {} threads, {} bytes of shared memory, clusters {}",
                       in_words(shape.grid), in_words(shape.block), shape.shared_bytes,
                       in_words(shape.cluster));
}

cuda::Result launch_clusters(const CudaDriver& driver, cuda::Function function, const LaunchShape& shape,
                             cuda::Stream stream, void** arguments) {
    if (driver->cuLaunchKernelEx == nullptr) driver.too_old_for("a launch of clusters", cluster_version);
    cuda::LaunchAttribute attribute{};
    attribute.id = cuda::LaunchAttribute::cluster_dimension;
    attribute.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
    const cuda::LaunchConfiguration configuration{
        shape.grid.x,  shape.grid.y,       shape.grid.z, shape.block.x, shape.block.y,
        shape.block.z, shape.shared_bytes, stream,       &attribute,    1};
    return driver->cuLaunchKernelEx(&configuration, function, arguments, nullptr);
}

} // namespace

struct GpuKernel::Code {
    Code(const GpuDevice& on, const void* image, std::span<cuda::CompileOption> names,
         std::span<void*> values, const CompileLog& errors)
        : device(on) {
        const CurrentGpu current(device);
        const cuda::Result result = device.driver()->cuModuleLoadDataEx(
            &module, image, static_cast<unsigned>(names.size()), names.data(), values.data());
        if (result != cuda::success) throw_for(device, result, errors.text());
    }
    ~Code() {
        release_on(device, [&] { device.driver()->cuModuleUnload(module); });
    }
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;

    GpuDevice device;
    cuda::Module module = nullptr;
};

GpuModule GpuModule::from_ptx(const GpuDevice& device, const std::string& text,
                              const CompileOptions& options) {
    CompileLog information;
    CompileLog errors;
    using Option = cuda::CompileOption;
    std::vector<Option> names = {Option::information,  Option::information_bytes, Option::errors,
                                 Option::errors_bytes, Option::verbose,           Option::optimization};
    std::vector<void*> values = {
        information.buffer(), option_value(log_bytes),
        errors.buffer(),      option_value(log_bytes),
        option_value(1),      option_value(static_cast<std::uintptr_t>(options.optimization))};
    if (options.registers_at_most > 0) {
        names.push_back(Option::registers_at_most);
        values.push_back(option_value(static_cast<std::uintptr_t>(options.registers_at_most)));
    }
    auto code = std::make_shared<const GpuKernel::Code>(device, text.c_str(), names, values, errors);
    return {std::move(code), information.text()};
}

GpuModule GpuModule::from_cubin(const GpuDevice& device, std::span<const std::byte> image) {
    return {std::make_shared<const GpuKernel::Code>(device, image.data(), std::span<cuda::CompileOption>(),
                                                    std::span<void*>(), CompileLog()),
            ""};
}

GpuKernel GpuModule::kernel(const std::string& name) const { return {code_, name}; }

GpuKernel::GpuKernel(std::shared_ptr<const Code> code, const std::string& name)
    : code_(std::move(code)), name_(name) {
    const CurrentGpu current(code_->device);
    const CudaDriver& driver = code_->device.driver();
    const cuda::Result result = driver->cuModuleGetFunction(&function_, code_->module, name.c_str());
    driver.check(result, fmt::format("cuModuleGetFunction for '{}'", name));
    using Attribute = cuda::FunctionAttribute;
    facts_ = {.registers = attribute(Attribute::registers),
              .local_bytes = attribute(Attribute::local_bytes),
              .static_shared_bytes = attribute(Attribute::static_shared_bytes),
              .threads_per_block = attribute(Attribute::threads_per_block),
              .binary_version = attribute(Attribute::binary_version)};
}

/// With the GPU current.
int GpuKernel::attribute(cuda::FunctionAttribute attribute) const {
    const CudaDriver& driver = code_->device.driver();
    int value = 0;
    driver.check(driver->cuFuncGetAttribute(&value, attribute, function_), "cuFuncGetAttribute");
    return value;
}

void GpuKernel::allow_shared_bytes(int bytes) const {
    const GpuDevice& device = code_->device;
    const int most = device.attribute(cuda::DeviceAttribute::shared_bytes_per_block_at_most);
    if (bytes > most - facts_.static_shared_bytes)
        throw UserError(
            "{} gives a block {} bytes of shared memory at most; kernel '{}' declares {} and "
            "wants {} more",
            device.description(), most, name_, facts_.static_shared_bytes, bytes);
    const CurrentGpu current(device);
    const CudaDriver& driver = device.driver();
    driver.check(
        driver->cuFuncSetAttribute(function_, cuda::FunctionAttribute::dynamic_shared_bytes_at_most, bytes),
        "cuFuncSetAttribute");
}

void GpuKernel::allow_any_cluster() const {
    const CudaDriver& driver = code_->device.driver();
    if (driver->cuLaunchKernelEx == nullptr) driver.too_old_for("a kernel with clusters", cluster_version);
    const CurrentGpu current(code_->device);
    driver.check(driver->cuFuncSetAttribute(function_, cuda::FunctionAttribute::any_cluster_size, 1),
                 "cuFuncSetAttribute");
}

int GpuKernel::resident_blocks(int threads, std::size_t shared_bytes) const {
    const CurrentGpu current(code_->device);
    const CudaDriver& driver = code_->device.driver();
    int blocks = 0;
    driver.check(
        driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, threads, shared_bytes),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
}

void GpuKernel::launch_with(const LaunchShape& shape, const GpuStream& stream,
                            std::span<void* const> arguments) const {
    const CudaDriver& driver = code_->device.driver();
    const CurrentGpu current(code_->device);
    auto* const pointers = const_cast<void**>(arguments.data());
    const cuda::Result result =
        shape.cluster.count() > 1
            ? launch_clusters(driver, function_, shape, stream.handle(), pointers)
            : driver->cuLaunchKernel(function_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                                     shape.block.y, shape.block.z, shape.shared_bytes, stream.handle(),
                                     pointers, nullptr);
    if (result != cuda::success)
        throw InternalError("launch of '{}' failed: {}; {}; {} registers a thread", name_,
                            driver.describe(result), in_words(shape), facts_.registers);
}

} // namespace swirl::runtime

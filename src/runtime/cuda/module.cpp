#include "runtime/cuda/module.hpp"

#include "base/error.hpp"
#include "runtime/cuda/compile_call.hpp"

#include <utility>

namespace swirl::runtime {
namespace {

constexpr int cluster_version = 11080; ///< first CUDA version with clusters

std::string in_words(const GpuExtent& extent) {
    return fmt::format("{}×{}×{}", extent.x, extent.y, extent.z);
}

std::string in_words(const LaunchShape& shape) {
    return fmt::format("grid {}, blocks of {} threads, {} bytes of shared memory, clusters {}{}",
                       in_words(shape.grid), in_words(shape.block), shape.shared_bytes,
                       in_words(shape.cluster), shape.cooperative ? ", all at once" : "");
}

/// For launch attributes that the plain launch call cannot express.
cuda::Result launch_extended(const CudaDriver& driver, cuda::Function function, const LaunchShape& shape,
                             cuda::Stream stream, void** arguments) {
    if (driver->cuLaunchKernelEx == nullptr)
        driver.too_old_for(
            shape.cooperative ? "a launch of blocks that wait for each other" : "a launch of clusters",
            cluster_version);
    std::array<cuda::LaunchAttribute, 3> attributes{};
    unsigned count = 0;
    if (shape.cluster.count() > 1) {
        cuda::LaunchAttribute& attribute = attributes[count++];
        attribute.id = cuda::LaunchAttribute::cluster_dimension;
        attribute.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
    }
    if (shape.cooperative) {
        cuda::LaunchAttribute& attribute = attributes[count++];
        attribute.id = cuda::LaunchAttribute::cooperative_launch;
        attribute.cooperative = 1;
    }
    if (shape.starts_early) {
        cuda::LaunchAttribute& attribute = attributes[count++];
        attribute.id = cuda::LaunchAttribute::programmatic_stream_serialization;
        attribute.starts_early = 1;
    }
    const cuda::LaunchConfiguration configuration{
        shape.grid.x,  shape.grid.y,       shape.grid.z, shape.block.x,     shape.block.y,
        shape.block.z, shape.shared_bytes, stream,       attributes.data(), count};
    return driver->cuLaunchKernelEx(&configuration, function, arguments, nullptr);
}

} // namespace

struct GpuKernel::Code {
    Code(const GpuDevice& on, const void* image, CompileCall* compilation) : device(on) {
        const CurrentGpu current(device);
        const auto load = device.driver()->cuModuleLoadDataEx;
        const cuda::Result result =
            compilation == nullptr
                ? load(&module, image, 0, nullptr, nullptr)
                : load(&module, image, compilation->count(), compilation->names(), compilation->values());
        if (result != cuda::success)
            throw_compile_error(device, result, "cuModuleLoadDataEx",
                                compilation == nullptr ? "" : compilation->errors());
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
    CompileCall compilation(options);
    auto code = std::make_shared<const GpuKernel::Code>(device, text.c_str(), &compilation);
    return {std::move(code), compilation.information()};
}

GpuModule GpuModule::from_cubin(const GpuDevice& device, std::span<const std::byte> image) {
    return {std::make_shared<const GpuKernel::Code>(device, image.data(), nullptr), ""};
}

GpuKernel GpuModule::kernel(const std::string& name) const { return {code_, name}; }

GpuKernel::GpuKernel(std::shared_ptr<const Code> code, const std::string& name)
    : code_(std::move(code)), name_(name) {
    const CurrentGpu current(code_->device);
    const CudaDriver& driver = code_->device.driver();
    const cuda::Result result = driver->cuModuleGetFunction(&function_, code_->module, name.c_str());
    driver.check(result, fmt::format("cuModuleGetFunction for '{}'", name));
    using Attribute = cuda::FunctionAttribute;
    attributes_ = {.registers = attribute(Attribute::registers),
                   .local_bytes = attribute(Attribute::local_bytes),
                   .static_shared_bytes = attribute(Attribute::static_shared_bytes),
                   .threads_per_block = attribute(Attribute::threads_per_block),
                   .binary_version = attribute(Attribute::binary_version)};
}

/// The GPU must be current.
int GpuKernel::attribute(cuda::FunctionAttribute attribute) const {
    const CudaDriver& driver = code_->device.driver();
    int value = 0;
    driver.check(driver->cuFuncGetAttribute(&value, attribute, function_), "cuFuncGetAttribute");
    return value;
}

void GpuKernel::allow_shared_bytes(int bytes) const {
    const GpuDevice& device = code_->device;
    const int most = device.attribute(cuda::DeviceAttribute::max_shared_bytes_per_block);
    if (bytes > most - attributes_.static_shared_bytes)
        throw UserError(
            "{} gives a block {} bytes of shared memory at most; kernel '{}' declares {} and "
            "wants {} more",
            device.description(), most, name_, attributes_.static_shared_bytes, bytes);
    const CurrentGpu current(device);
    const CudaDriver& driver = device.driver();
    driver.check(
        driver->cuFuncSetAttribute(function_, cuda::FunctionAttribute::max_dynamic_shared_bytes, bytes),
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
        shape.cluster.count() > 1 || shape.cooperative || shape.starts_early
            ? launch_extended(driver, function_, shape, stream.handle(), pointers)
            : driver->cuLaunchKernel(function_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                                     shape.block.y, shape.block.z, shape.shared_bytes, stream.handle(),
                                     pointers, nullptr);
    if (stream.handle() != nullptr && (result == cuda::invalid_handle || result == cuda::invalid_context))
        throw UserError(
            "stream = {} does not belong to {}: {}; use a stream created there, or the default "
            "stream, will do",
            static_cast<const void*>(stream.handle()), code_->device.description(), driver.describe(result));
    if (result != cuda::success)
        CudaDriver::refused(result,
                            fmt::format("launch of '{}' failed: {}; {}; {} registers a thread", name_,
                                        driver.describe(result), in_words(shape), attributes_.registers));
}

} // namespace swirl::runtime

#pragma once

#include "runtime/cuda/stream.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace swirl::runtime {

struct GpuExtent {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
    unsigned count() const { return x * y * z; }
    friend bool operator==(const GpuExtent&, const GpuExtent&) = default;
};

struct LaunchShape {
    GpuExtent grid = {};       ///< in blocks; a multiple of the cluster
    GpuExtent block = {};      ///< in threads
    unsigned shared_bytes = 0; ///< per block, beyond what the kernel declares
    GpuExtent cluster = {};    ///< in blocks
    bool cooperative = false;  ///< cooperative launch: all blocks must be co-resident
    bool starts_early = false; ///< programmatic dependent launch: see emit::PtxOptions
};

/// A kernel in a module, which stays loaded while its kernels exist.
class GpuKernel {
public:
    struct Attributes {
        int registers = 0;           ///< per thread
        int local_bytes = 0;         ///< per thread: spilled registers and arrays
        int static_shared_bytes = 0; ///< per block
        int threads_per_block = 0;   ///< maximum
        int binary_version = 0;      ///< of the machine code: 10·major + minor
    };
    const Attributes& attributes() const { return attributes_; }
    const std::string& name() const { return name_; }

    /// Allows launches to request this many bytes beyond the declared ones; needed above 48 KiB. Throws UserError if
    /// the GPU has less.
    void allow_shared_bytes(int bytes) const;
    /// Allows launches with clusters larger than the portable size.
    void allow_any_cluster() const;
    /// Resident blocks per multiprocessor, according to the driver.
    int resident_blocks(int threads, std::size_t shared_bytes) const;

    /// Enqueues the kernel on the stream and returns. Never waits, so a graph can capture it. Arguments are passed
    /// unconverted: each must have exactly the type of the kernel's parameter.
    template <class... Arguments>
    void launch(const LaunchShape& shape, const GpuStream& stream, const Arguments&... arguments) const {
        static_assert((std::is_trivially_copyable_v<Arguments> && ...));
        std::array<void*, sizeof...(arguments) + 1> pointers = {const_cast<Arguments*>(&arguments)...,
                                                                nullptr};
        launch_with(shape, stream, std::span(pointers).first(sizeof...(arguments)));
    }
    /// The same with a pointer to each argument.
    void launch_with(const LaunchShape& shape, const GpuStream& stream,
                     std::span<void* const> arguments) const;

private:
    friend class GpuModule;
    struct Code;
    GpuKernel(std::shared_ptr<const Code> code, const std::string& name);
    int attribute(cuda::FunctionAttribute attribute) const;

    std::shared_ptr<const Code> code_;
    std::string name_;
    cuda::Function function_ = nullptr;
    Attributes attributes_;
};

/// Options for the driver's PTX compiler.
struct CompileOptions {
    int max_registers = 0; ///< per thread; 0: the compiler chooses
    int optimization = 4;  ///< 0 to 4
    friend bool operator==(const CompileOptions&, const CompileOptions&) = default;
};

/// Machine code loaded on a GPU; copies share it.
class GpuModule {
public:
    /// Compiles PTX with the driver's compiler. Throws InternalError with the compiler's log if the text is wrong;
    /// UserError if the driver is too old for it or has no compiler.
    static GpuModule from_ptx(const GpuDevice& device, const std::string& text,
                              const CompileOptions& options = {});
    /// Loads machine code (ELF), as ptxas writes it. Throws UserError if it is for another GPU.
    static GpuModule from_cubin(const GpuDevice& device, std::span<const std::byte> image);

    /// Throws InternalError if the module has no kernel of this name.
    GpuKernel kernel(const std::string& name) const;
    /// The compiler's log: registers and spills of each kernel. Empty if the driver had the code in its cache.
    const std::string& log() const { return log_; }

private:
    GpuModule(std::shared_ptr<const GpuKernel::Code> code, std::string log)
        : code_(std::move(code)), log_(std::move(log)) {}

    std::shared_ptr<const GpuKernel::Code> code_;
    std::string log_;
};

} // namespace swirl::runtime

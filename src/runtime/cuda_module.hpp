#pragma once

#include "runtime/cuda_stream.hpp"

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
    unsigned shared_bytes = 0; ///< of each block, beyond what the kernel declares
    GpuExtent cluster = {};    ///< in blocks
    bool at_once = false;      ///< whether all blocks have to run at the same time
};

/// A kernel in a module, which stays loaded as long as its kernels are there.
class GpuKernel {
public:
    struct Facts {
        int registers = 0;           ///< of a thread
        int local_bytes = 0;         ///< of a thread: spilled registers and arrays
        int static_shared_bytes = 0; ///< of a block
        int threads_per_block = 0;   ///< at most
        int binary_version = 0;      ///< of the machine code: 10·major + minor
    };
    const Facts& facts() const { return facts_; }
    const std::string& name() const { return name_; }

    /// Lets launches ask for this many bytes beyond the declared ones. Needed above 48 KiB. UserError where that is more
    /// than the GPU has.
    void allow_shared_bytes(int bytes) const;
    /// Lets launches have clusters larger than those that all GPUs with clusters run.
    void allow_any_cluster() const;
    /// Blocks that a multiprocessor holds at once, by the driver's account.
    int resident_blocks(int threads, std::size_t shared_bytes) const;

    /// Puts the kernel into the stream and returns. Waits for nothing, so it may be recorded into a graph. Arguments are
    /// passed as they are: each must have exactly the type of the kernel's parameter.
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
    Facts facts_;
};

/// How the driver's compiler is to treat PTX.
struct CompileOptions {
    int registers_at_most = 0; ///< of a thread; 0: the compiler chooses
    int optimization = 4;      ///< 0 to 4
    friend bool operator==(const CompileOptions&, const CompileOptions&) = default;
};

/// Machine code loaded into a GPU; copies share it.
class GpuModule {
public:
    /// Compiles PTX with the driver's compiler. InternalError with the compiler's log where the text is wrong; UserError
    /// where the driver is too old for it or has no compiler.
    static GpuModule from_ptx(const GpuDevice& device, const std::string& text,
                              const CompileOptions& options = {});
    /// Loads machine code in ELF, as ptxas writes it. UserError where it is for another GPU.
    static GpuModule from_cubin(const GpuDevice& device, std::span<const std::byte> image);

    /// InternalError where there is none of this name.
    GpuKernel kernel(const std::string& name) const;
    /// Of the compiler: registers and spills of each kernel. Empty where the driver had the code in its cache.
    const std::string& log() const { return log_; }

private:
    GpuModule(std::shared_ptr<const GpuKernel::Code> code, std::string log)
        : code_(std::move(code)), log_(std::move(log)) {}

    std::shared_ptr<const GpuKernel::Code> code_;
    std::string log_;
};

} // namespace swirl::runtime

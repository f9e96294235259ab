#pragma once

#include "runtime/cuda_module.hpp"
#include "runtime/kernel_cache.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::runtime {

/// PTX to compile.
struct KernelText {
    std::string ptx;
    std::string name = {}; ///< for people who list the cache
    CompileOptions options = {};
    bool reorders_main_loop = false; ///< in machine code, as machine/main_loop.hpp does where it can
};

/// Compiles PTX with the driver's compiler into machine code for this GPU, in ELF. Throws what GpuModule::from_ptx does.
Bytes machine_code(const GpuDevice& device, const std::string& ptx, const CompileOptions& options = {});

/// The key of what is made of `text` for this GPU: of its compute capability, the driver's version and the options too.
/// `kind` tells apart what different makers store ("ptx" is taken: its entries are machine code, as below). Whoever keeps
/// what was made of something else than PTX, to save making the PTX, must have in `text` all that it follows from, the
/// version of swirl too.
CacheKey cache_key(const GpuDevice& device, std::string_view kind, std::string_view text,
                   const CompileOptions& options = {});

/// That of a PTX's machine code.
CacheKey code_key(const GpuDevice& device, const KernelText& kernel);

/// "sm_90": what machine code for a GPU is called.
std::string target_text(const GpuDevice& device);

/// The modules of machine code that the cache has by these keys; those that are the same share one. Nothing where one is
/// missing; what the driver refuses is dropped.
std::optional<std::vector<GpuModule>> cached(const GpuDevice& device, std::span<const CacheKey> keys,
                                             KernelCache& cache);

/// A kernel in a GPU, with the machine code that it has there.
struct CompiledText {
    GpuModule module;
    Bytes code;
    std::string loop_kept_because; ///< why its main loop stays as compiled, where another order was asked for
};

/// The module of a PTX: machine code from the cache, or else compiled and stored there. Without a cache (null) always
/// compiled. What the cache has and the driver refuses is dropped and compiled. A main loop in another order is stored beside
/// the compiled one; one that has none is looked at each time.
CompiledText compiled_with_code(const GpuDevice& device, const KernelText& kernel, KernelCache* cache);
GpuModule compiled(const GpuDevice& device, const KernelText& kernel, KernelCache* cache);

/// The modules of a list, in its order. Those that the cache lacks are compiled at once by as many threads as there are
/// processors; kernels that are the same share a module. When all have ended, the first error in the list's order is thrown.
std::vector<GpuModule> compiled(const GpuDevice& device, std::span<const KernelText> kernels,
                                KernelCache* cache);

} // namespace swirl::runtime

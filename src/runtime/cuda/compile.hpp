#pragma once

#include "runtime/cuda/module.hpp"
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
    std::string name = {}; ///< shown when the cache is listed
    CompileOptions options = {};
    bool reorders_main_loop = false; ///< in SASS, if sass/main_loop.hpp can
};

/// Compiles PTX with the driver's compiler into machine code (ELF) for this GPU. Throws what GpuModule::from_ptx does.
Bytes machine_code(const GpuDevice& device, const std::string& ptx, const CompileOptions& options = {});

/// The cache key of an artefact made from `text` for this GPU; depends also on its compute capability, the driver's
/// version and the options. `kind` distinguishes producers ("ptx" is reserved: its entries are machine code, as below).
/// A caller that caches what it derives from something other than PTX, to avoid generating the PTX, must put everything
/// that determines it into `text`, including swirl's version.
CacheKey cache_key(const GpuDevice& device, std::string_view kind, std::string_view text,
                   const CompileOptions& options = {});

/// The key of a PTX kernel's machine code.
CacheKey code_key(const GpuDevice& device, const KernelText& kernel);

/// How many different kernels the driver must compile because the cache lacks their machine code; without a cache all.
std::size_t count_missing(const GpuDevice& device, std::span<const KernelText> kernels,
                          const KernelCache* cache);

/// The target name of a GPU's machine code, such as "sm_90".
std::string target_text(const GpuDevice& device);

/// The modules of cached machine code for these keys; equal keys share one. Nothing if one is missing; entries that the
/// driver rejects are dropped.
std::optional<std::vector<GpuModule>> cached(const GpuDevice& device, std::span<const CacheKey> keys,
                                             KernelCache& cache);

/// A kernel loaded on a GPU, with its machine code.
struct CompiledText {
    GpuModule module;
    Bytes code;
    std::string not_reordered_because; ///< why the main loop was not reordered although requested
};

/// The module of a PTX kernel: machine code from the cache, else compiled and stored there. Without a cache (null) it
/// is always compiled. An entry that the driver rejects is dropped and recompiled. A reordered main loop is stored
/// beside the compiled one; a kernel whose main loop cannot be reordered is analysed each time.
CompiledText compiled_with_code(const GpuDevice& device, const KernelText& kernel, KernelCache* cache);
GpuModule compiled(const GpuDevice& device, const KernelText& kernel, KernelCache* cache);

/// The modules of a list, in its order. Kernels missing from the cache are compiled in parallel by as many threads as
/// there are processors; identical kernels share a module. After all have ended, throws the first error in list order.
std::vector<GpuModule> compiled(const GpuDevice& device, std::span<const KernelText> kernels,
                                KernelCache* cache);

} // namespace swirl::runtime

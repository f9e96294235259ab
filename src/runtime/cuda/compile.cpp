#include "runtime/cuda/compile.hpp"

#include "base/error.hpp"
#include "runtime/cpu/for_each_at_once.hpp"
#include "runtime/cuda/compile_call.hpp"
#include "sass/main_loop.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>

namespace swirl::runtime {
namespace {

/// One compilation in the driver, which owns the code until this is destroyed. The GPU must be current.
class Link {
public:
    Link(const GpuDevice& device, const CompileOptions& options) : device_(device), call_(options) {
        check(driver()->cuLinkCreate(call_.count(), call_.names(), call_.values(), &link_), "cuLinkCreate");
    }
    ~Link() {
        if (link_ != nullptr) driver()->cuLinkDestroy(link_);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    Bytes compile(const std::string& ptx) {
        // The driver only reads it, up to its terminating zero.
        auto* const text = const_cast<char*>(ptx.c_str());
        check(driver()->cuLinkAddData(link_, cuda::link_input_ptx, text, ptx.size() + 1, "kernel", 0, nullptr,
                                      nullptr),
              "cuLinkAddData");
        void* code = nullptr;
        std::size_t bytes = 0;
        check(driver()->cuLinkComplete(link_, &code, &bytes), "cuLinkComplete");
        const auto* const begin = static_cast<const std::byte*>(code);
        return {begin, begin + bytes};
    }

private:
    const CudaDriver& driver() const { return device_.driver(); }
    void check(cuda::Result result, std::string_view call) const {
        if (result != cuda::success) throw_compile_error(device_, result, call, call_.errors());
    }

    const GpuDevice& device_;
    CompileCall call_;
    cuda::Link link_ = nullptr;
};

std::optional<CompiledText> cached(const GpuDevice& device, const CacheKey& key, KernelCache* cache) {
    const auto found = cache == nullptr ? std::nullopt : cache->read(key);
    if (!found) return std::nullopt;
    try {
        GpuModule module = GpuModule::from_cubin(device, found->code);
        return CompiledText{std::move(module), {found->code.begin(), found->code.end()}, {}};
    } catch (const std::exception&) { // if the cached code is not to blame, compilation reports the error
        cache->drop(key);
        return std::nullopt;
    }
}

CompiledText load_and_store(const GpuDevice& device, const CacheKey& key, const KernelText& kernel,
                            KernelCache* cache, Bytes code) {
    GpuModule module = GpuModule::from_cubin(device, code);
    if (cache != nullptr) cache->store(key, {.target = target_text(device), .name = kernel.name}, code);
    return {std::move(module), std::move(code), {}};
}

CompiledText with_other_loop(const GpuDevice& device, const CacheKey& key, const KernelText& kernel,
                             KernelCache* cache) {
    KernelText as_compiled = kernel;
    as_compiled.reorders_main_loop = false;
    CompiledText result = compiled_with_code(device, as_compiled, cache);
    sass::ReorderedLoop loop = sass::reorder_main_loop(result.code, target_text(device));
    if (loop.not_reordered_because.empty())
        return load_and_store(device, key, kernel, cache, std::move(loop.image));
    result.not_reordered_because = std::move(loop.not_reordered_because);
    return result;
}

CompiledText compile_and_store(const GpuDevice& device, const CacheKey& key, const KernelText& kernel,
                               KernelCache* cache) {
    if (kernel.reorders_main_loop) return with_other_loop(device, key, kernel, cache);
    return load_and_store(device, key, kernel, cache, machine_code(device, kernel.ptx, kernel.options));
}

} // namespace

Bytes machine_code(const GpuDevice& device, const std::string& ptx, const CompileOptions& options) {
    const CurrentGpu current(device);
    return Link(device, options).compile(ptx);
}

std::string target_text(const GpuDevice& device) {
    return fmt::format("sm_{}{}", device.properties().capability_major, device.properties().capability_minor);
}

CacheKey code_key(const GpuDevice& device, const KernelText& kernel) {
    return cache_key(device, kernel.reorders_main_loop ? "ptx, main loop in another order" : "ptx",
                     kernel.ptx, kernel.options);
}

std::size_t count_missing(const GpuDevice& device, std::span<const KernelText> kernels,
                          const KernelCache* cache) {
    std::set<CacheKey> missing;
    for (const KernelText& kernel : kernels) {
        KernelText as_compiled = kernel; // machine code with a reordered main loop is made from it
        as_compiled.reorders_main_loop = false;
        const CacheKey key = code_key(device, as_compiled);
        const bool is_cached = cache != nullptr && (cache->contains(code_key(device, kernel)) ||
                                                    (kernel.reorders_main_loop && cache->contains(key)));
        if (!is_cached) missing.insert(key);
    }
    return missing.size();
}

CacheKey cache_key(const GpuDevice& device, std::string_view kind, std::string_view text,
                   const CompileOptions& options) {
    const std::string target = target_text(device);
    const std::string driver = fmt::format("driver {}", device.driver().version());
    const std::string how =
        fmt::format("registers {} optimization {}", options.max_registers, options.optimization);
    const std::string_view fields[] = {kind, target, driver, how, text};
    return CacheKey::of(fields);
}

std::optional<std::vector<GpuModule>> cached(const GpuDevice& device, std::span<const CacheKey> keys,
                                             KernelCache& cache) {
    std::map<CacheKey, GpuModule> known;
    std::vector<GpuModule> result;
    for (const CacheKey& key : keys) {
        auto entry = known.find(key);
        if (entry == known.end()) {
            auto module = cached(device, key, &cache);
            if (!module) return std::nullopt;
            entry = known.emplace(key, std::move(module->module)).first;
        }
        result.push_back(entry->second);
    }
    return result;
}

CompiledText compiled_with_code(const GpuDevice& device, const KernelText& kernel, KernelCache* cache) {
    const CacheKey key = code_key(device, kernel);
    if (auto known = cached(device, key, cache)) return *std::move(known);
    return compile_and_store(device, key, kernel, cache);
}

GpuModule compiled(const GpuDevice& device, const KernelText& kernel, KernelCache* cache) {
    return compiled_with_code(device, kernel, cache).module;
}

std::vector<GpuModule> compiled(const GpuDevice& device, std::span<const KernelText> kernels,
                                KernelCache* cache) {
    std::vector<std::optional<GpuModule>> modules;
    std::map<CacheKey, std::size_t> first_with_key;
    std::vector<std::pair<CacheKey, std::size_t>> missing;
    std::vector<std::size_t> same_as;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const CacheKey key = code_key(device, kernels[k]);
        const auto [first, is_new] = first_with_key.emplace(key, k);
        same_as.push_back(first->second);
        auto known = is_new ? cached(device, key, cache) : std::nullopt;
        if (is_new && !known) missing.emplace_back(key, k);
        modules.push_back(known ? std::optional(std::move(known->module)) : std::nullopt);
    }
    for_each_at_once(missing.size(), [&](std::size_t k) {
        const auto& [key, kernel] = missing[k];
        modules[kernel].emplace(compile_and_store(device, key, kernels[kernel], cache).module);
    });
    std::vector<GpuModule> result;
    for (const std::size_t first : same_as) result.push_back(*modules[first]);
    return result;
}

} // namespace swirl::runtime

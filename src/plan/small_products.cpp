#include "plan/small_products.hpp"

#include "base/hash.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/packed_blocks.hpp"

namespace swirl::planning {

namespace {

/// After so many calls a kernel of its own is made: by then making it takes about as long as they did.
constexpr int calls_before_kernel = 16;

std::size_t hash_of(const MatrixProduct& product, gemm::Update update, bool alpha_is_one) {
    std::size_t seed = static_cast<std::size_t>(product.number) * 8 + static_cast<std::size_t>(update) * 2 +
                       (alpha_is_one ? 1 : 0);
    for (const Integer value :
         {product.rows, product.columns, product.depth, product.a.row_stride, product.a.column_stride,
          product.b.row_stride, product.b.column_stride, product.c.column_stride})
        seed = mix_hash(seed, static_cast<std::uint64_t>(value));
    return seed;
}

jit::MachineCode compiled(const gemm::SmallProduct& small, const target::Cpu& cpu) {
    return jit::compile(passes::run_in_order(gemm::small_product(small), cpu), cpu);
}

} // namespace

SmallKernel::SmallKernel(const gemm::SmallProduct& small, const target::Cpu& cpu)
    : small_(small),
      code_(compiled(small, cpu)),
      packed_bytes_(static_cast<std::size_t>(gemm::packed_bytes(small))) {}

void SmallKernel::run(const MatrixArguments& arguments) const {
    alignas(16) std::byte factors[32];
    const auto bytes = static_cast<std::size_t>(bytes_of(small_.product.number));
    std::memcpy(factors, arguments.alpha, bytes);
    std::memcpy(factors + bytes, arguments.beta, bytes);
    void* const buffers[] = {const_cast<void*>(arguments.a), const_cast<void*>(arguments.b), arguments.c,
                             factors, packed_bytes_ == 0 ? nullptr : packed_block(0, packed_bytes_)};
    code_(buffers);
}

const SmallKernel* SmallProducts::find(const MatrixProduct& product, gemm::Update update,
                                       bool alpha_is_one) {
    const std::size_t first = hash_of(product, update, alpha_is_one) % slots;
    for (std::size_t probe = 0; probe < probes; ++probe) {
        Entry* const entry = table_[(first + probe) % slots].load(std::memory_order_acquire);
        if (entry == nullptr) break;
        if (!entry->is(product, update, alpha_is_one)) continue;
        if (const SmallKernel* kernel = entry->kernel.load(std::memory_order_acquire)) return kernel;
        return entry->calls.fetch_add(1, std::memory_order_relaxed) < calls_before_kernel ? nullptr
                                                                                          : make(*entry);
    }
    add(first, product, update, alpha_is_one);
    return nullptr;
}

const SmallKernel* SmallProducts::make(Entry& entry) {
    const std::lock_guard lock(making_);
    if (const SmallKernel* kernel = entry.kernel.load(std::memory_order_acquire)) return kernel;
    const target::Cpu& cpu = target::host_cpu();
    // Entries are never taken out: other threads may be running what they found.
    const auto* kernel = new SmallKernel(
        gemm::model_small_product(entry.product, entry.update, entry.alpha_is_one, cpu), cpu);
    entry.kernel.store(kernel, std::memory_order_release);
    return kernel;
}

/// Where all places are taken the product goes without a kernel.
void SmallProducts::add(std::size_t first, const MatrixProduct& product, gemm::Update update,
                        bool alpha_is_one) {
    const std::lock_guard lock(making_);
    for (std::size_t probe = 0; probe < probes; ++probe) {
        std::atomic<Entry*>& slot = table_[(first + probe) % slots];
        if (const Entry* there = slot.load(std::memory_order_relaxed)) {
            if (there->is(product, update, alpha_is_one)) return;
            continue;
        }
        auto* const entry = new Entry;
        entry->product = product;
        entry->update = update;
        entry->alpha_is_one = alpha_is_one;
        slot.store(entry, std::memory_order_release);
        return;
    }
}

SmallProducts& SmallProducts::of_this_machine() {
    static auto* const all = new SmallProducts; // never destroyed: threads may outlive main
    return *all;
}

bool is_small(const MatrixProduct& product) {
    constexpr Integer most = 128;
    return product.rows <= most && product.columns <= most && product.depth <= most &&
           product.c.row_stride == 1;
}

} // namespace swirl::planning

#include "plan/small_products.hpp"

#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/packed_blocks.hpp"

namespace swirl::planning {

namespace {

/// After so many calls a kernel of its own is made: by then making it takes about as long as they did.
constexpr int calls_before_kernel = 16;

/// A sum of products by odd numbers, none of which waits for another; its upper bits are well mixed.
std::size_t hash_of(const MatrixProduct& product, gemm::Update update, bool alpha_is_one) {
    const auto of = [](auto value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t kind = of(product.number) * 8 + of(update) * 2 + (alpha_is_one ? 1 : 0);
    const std::uint64_t sum =
        (kind + (of(product.rows) << 5) + (of(product.columns) << 25) + (of(product.depth) << 45)) *
            0x9e3779b97f4a7c15U +
        (of(product.a.row_stride) + (of(product.a.column_stride) << 32)) * 0xbf58476d1ce4e5b9U +
        (of(product.b.row_stride) + (of(product.b.column_stride) << 32)) * 0x94d049bb133111ebU +
        of(product.c.column_stride) * 0xd6e8feb86659fd93U;
    return static_cast<std::size_t>(sum >> 40);
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

#include "plan/small_products.hpp"

#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// A kernel of its own is made when the calls without one took about as long as that: after so many multiply-adds, but not
/// for fewer or more calls than these.
constexpr double worth_a_kernel = 5e6;
constexpr double fewest_calls = 2, most_calls = 64;

/// A sum of products by odd numbers, none of which waits for another; its upper bits are well mixed.
std::uint64_t hash_of(const SmallRequest& request) {
    const MatrixProduct& product = request.product;
    const auto of = [](auto value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t kind =
        of(product.number) * 8 + of(request.update) * 2 + (request.alpha_is_one ? 1 : 0);
    const std::uint64_t sum =
        (kind + (of(product.rows) << 5) + (of(product.columns) << 25) + (of(product.depth) << 45)) *
            0x9e3779b97f4a7c15U +
        (of(product.a.row_stride) + (of(product.a.column_stride) << 32)) * 0xbf58476d1ce4e5b9U +
        (of(product.b.row_stride) + (of(product.b.column_stride) << 32)) * 0x94d049bb133111ebU +
        of(product.c.column_stride) * 0xd6e8feb86659fd93U;
    return sum >> 32;
}

jit::MachineCode compiled(const gemm::SmallProduct& small, const target::Cpu& cpu) {
    return jit::compile(passes::run_in_order(gemm::small_product(small), cpu), cpu);
}

} // namespace

SmallKernel::SmallKernel(const gemm::SmallProduct& small, const target::Cpu& cpu)
    : small_(small),
      code_(compiled(small, cpu)),
      function_(code_.function()),
      packed_bytes_(static_cast<std::size_t>(gemm::packed_bytes(small))) {}

const SmallKernel* SmallProducts::find(const SmallRequest& request) {
    const std::uint64_t hash = hash_of(request);
    for (std::size_t probe = 0; probe < probes; ++probe) {
        const Entry* const entry = table_[(hash + probe) % slots].load(std::memory_order_acquire);
        if (entry == nullptr) break;
        if (entry->is(request)) return &entry->kernel;
    }
    return is_frequent(hash, request.product) ? make(hash, request) : nullptr;
}

/// Counts the call. Threads that count at once may lose one.
bool SmallProducts::is_frequent(std::uint64_t hash, const MatrixProduct& product) {
    const double work = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                        static_cast<double>(product.depth);
    const auto needed =
        static_cast<std::uint64_t>(std::clamp(worth_a_kernel / work, fewest_calls, most_calls));
    std::atomic<std::uint64_t>& slot = calls_[hash % slots];
    const std::uint64_t known = slot.load(std::memory_order_relaxed);
    const std::uint64_t tag = known >> 8;
    std::uint64_t calls = known & 0xff;
    if (tag == hash) {
        slot.store(hash << 8 | std::min<std::uint64_t>(calls + 1, needed), std::memory_order_relaxed);
        return calls + 1 >= needed;
    }
    slot.store(calls > 1 ? tag << 8 | (calls - 1) : hash << 8 | 1, std::memory_order_relaxed);
    return needed <= 1;
}

const SmallKernel* SmallProducts::make(std::uint64_t hash, const SmallRequest& request) {
    const std::lock_guard lock(making_);
    for (std::size_t probe = 0; probe < probes; ++probe) {
        std::atomic<const Entry*>& slot = table_[(hash + probe) % slots];
        if (const Entry* there = slot.load(std::memory_order_relaxed)) {
            if (there->is(request)) return &there->kernel;
            continue;
        }
        const target::Cpu& cpu = target::host_cpu();
        const gemm::SmallProduct small = gemm::model_small_product(
            request.product, request.update, request.alpha_is_one, request.block_depth, cpu);
        // Never taken out: other threads may be running it.
        const Entry* const entry = new Entry{small, SmallKernel(small, cpu)};
        slot.store(entry, std::memory_order_release);
        return &entry->kernel;
    }
    return nullptr;
}

SmallProducts& SmallProducts::of_this_machine() {
    static auto* const all = new SmallProducts; // never destroyed: threads may outlive main
    return *all;
}

} // namespace swirl::planning

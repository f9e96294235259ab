#pragma once

#include "base/fork_gate.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/check/cpu_gemm.hpp"
#include "plan/gemm/cpu/extras.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/packing_buffers.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace swirl::planning {

/// The kernel of one small product, checked when it is made.
class SmallKernel {
public:
    SmallKernel(const gemm::SmallGemm& small, const target::Cpu& cpu, KernelCheck check);

    void run(const MatrixArguments& arguments) const {
        void* const buffers[] = {const_cast<void*>(arguments.a),
                                 const_cast<void*>(arguments.b),
                                 arguments.c,
                                 const_cast<void*>(arguments.alpha),
                                 const_cast<void*>(arguments.beta),
                                 packed_bytes_ == 0 ? nullptr : packing_buffer(0, packed_bytes_)};
        function_(buffers, nullptr);
    }
    /// A product with an epilogue.
    void run(const MatrixArguments& arguments, const EpilogueCall& epilogue) const;
    const gemm::SmallGemm& small() const { return small_; }

private:
    gemm::SmallGemm small_;
    runtime::ExecutableCode code_;
    runtime::KernelFunction function_;
    std::size_t packed_bytes_;
};

/// A compact key of a small product, for fast lookup. Each matrix has a unit stride.
struct SmallKey {
    std::int32_t rows, columns, k_extent;
    std::int32_t a_stride, b_stride, c_stride; ///< the stride other than 1
    std::int32_t kc;
    std::uint32_t kind;

    /// Products with extents up to this are small: one block covers all of k, and one thread suffices.
    static constexpr Integer most_extent = 80;

    /// `a` and `b` are BLAS transposition letters: 'N', 'T' or 'C'.
    static std::uint32_t kind_of(DataType data_type, char a, char b, gemm::Update update, bool alpha_is_one) {
        const auto bits = [](auto value) { return static_cast<std::uint32_t>(value); };
        const auto letter = [&](char c) { return c == 'N' ? 0U : c == 'T' ? 1U : 2U; };
        return bits(data_type) | letter(a) << 8 | letter(b) << 10 | bits(update) << 12 |
               bits(alpha_is_one) << 14;
    }
    /// Empty if no stride is 1 or a stride is too large.
    static std::optional<SmallKey> of(const MatrixProduct& product, gemm::Update update, bool alpha_is_one,
                                      Integer kc);

    bool operator==(const SmallKey& other) const {
        const Words mine = words(), others = other.words();
        return ((mine[0] ^ others[0]) | (mine[1] ^ others[1]) | (mine[2] ^ others[2]) |
                (mine[3] ^ others[3])) == 0;
    }
    /// A sum of independent multiplications by odd constants; its upper bits are well mixed.
    std::uint64_t hash() const {
        const Words w = words();
        return (w[0] * 0x9e3779b97f4a7c15U + w[1] * 0xbf58476d1ce4e5b9U + w[2] * 0x94d049bb133111ebU +
                w[3] * 0xd6e8feb86659fd93U) >>
               32;
    }
    gemm::SmallGemm described(const target::Cpu& cpu) const;

private:
    using Words = std::array<std::uint64_t, 4>;
    Words words() const { return std::bit_cast<Words>(*this); }
};

/// Kernels of frequent small products. Lookup takes no lock.
class SmallGemmCache {
public:
    /// The kernel for this product, or null. A kernel is compiled once the product has been requested often enough to
    /// repay compilation; never, if its slots are taken.
    const SmallKernel* find(const SmallKey& key) {
        const std::uint64_t hash = key.hash();
        for (std::size_t probe = 0; probe < probes; ++probe) {
            const Entry* const entry = table_[(hash + probe) % slots].load(std::memory_order_acquire);
            if (entry == nullptr) break;
            if (entry->key == key) return &entry->kernel;
        }
        return is_frequent(hash, key) ? make(hash, key) : nullptr;
    }

    static SmallGemmCache& of_host();

private:
    struct Entry {
        SmallKey key;
        SmallKernel kernel;
    };
    static constexpr std::size_t slots = 4096;
    static constexpr std::size_t probes = 4; ///< neighbouring slots that may hold an entry

    bool is_frequent(std::uint64_t hash, const SmallKey& key);
    const SmallKernel* make(std::uint64_t hash, const SmallKey& key);

    std::vector<std::unique_ptr<const Entry>> entries_;
    std::vector<std::atomic<const Entry*>> table_ = std::vector<std::atomic<const Entry*>>(slots);
    /// Calls without a kernel: some bits of the hash, and a count. Other products in the same slot decrement the count.
    std::vector<std::atomic<std::uint64_t>> calls_ = std::vector<std::atomic<std::uint64_t>>(slots);
    ForkSafeMutex making_;
};

} // namespace swirl::planning

#pragma once

#include "base/fork_gate.hpp"
#include "gemm/small_product.hpp"
#include "plan/matrix_extras.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/packed_blocks.hpp"
#include "runtime/executable_memory.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace swirl::planning {

/// The kernel of one small product.
class SmallKernel {
public:
    SmallKernel(const gemm::SmallProduct& small, const target::Cpu& cpu);

    void run(const MatrixArguments& arguments) const {
        void* const buffers[] = {const_cast<void*>(arguments.a),
                                 const_cast<void*>(arguments.b),
                                 arguments.c,
                                 const_cast<void*>(arguments.alpha),
                                 const_cast<void*>(arguments.beta),
                                 packed_bytes_ == 0 ? nullptr : packed_block(0, packed_bytes_)};
        function_(buffers, nullptr);
    }
    /// One with an epilogue.
    void run(const MatrixArguments& arguments, const EpilogueCall& epilogue) const;
    const gemm::SmallProduct& small() const { return small_; }

private:
    gemm::SmallProduct small_;
    runtime::ExecutableCode code_;
    runtime::KernelFunction function_;
    std::size_t packed_bytes_;
};

/// A small product in few bytes, to be recognised quickly: columns or rows of each matrix are next to each other.
struct SmallKey {
    std::int32_t rows, columns, depth;
    std::int32_t a_stride, b_stride, c_stride; ///< the stride that is not 1
    std::int32_t block_depth;
    std::uint32_t kind;

    /// Products of at most so many rows, columns and steps are small, their block of the depth is all of it, and one thread
    /// is enough for them.
    static constexpr Integer most_extent = 80;

    /// `a` and `b` are what BLAS call 'N', 'T' or 'C'.
    static std::uint32_t kind_of(Number number, char a, char b, gemm::Update update, bool alpha_is_one) {
        const auto bits = [](auto value) { return static_cast<std::uint32_t>(value); };
        const auto letter = [&](char c) { return c == 'N' ? 0U : c == 'T' ? 1U : 2U; };
        return bits(number) | letter(a) << 2 | letter(b) << 4 | bits(update) << 6 | bits(alpha_is_one) << 8;
    }
    /// Nothing where strides are others or too large.
    static std::optional<SmallKey> of(const MatrixProduct& product, gemm::Update update, bool alpha_is_one,
                                      Integer block_depth);

    bool operator==(const SmallKey& other) const {
        const Words mine = words(), others = other.words();
        return ((mine[0] ^ others[0]) | (mine[1] ^ others[1]) | (mine[2] ^ others[2]) |
                (mine[3] ^ others[3])) == 0;
    }
    /// A sum of products by odd numbers, none of which waits for another; its upper bits are well mixed.
    std::uint64_t hash() const {
        const Words w = words();
        return (w[0] * 0x9e3779b97f4a7c15U + w[1] * 0xbf58476d1ce4e5b9U + w[2] * 0x94d049bb133111ebU +
                w[3] * 0xd6e8feb86659fd93U) >>
               32;
    }
    gemm::SmallProduct described(const target::Cpu& cpu) const;

private:
    using Words = std::array<std::uint64_t, 4>;
    Words words() const { return std::bit_cast<Words>(*this); }
};

/// Kernels of small products that were asked for often. Looking one up takes no lock.
class SmallProducts {
public:
    /// The kernel for a product like this, or nothing: before the same product has been asked for a number of times a kernel
    /// of its own would cost more than it saves. Where there is no place left it never gets one.
    const SmallKernel* find(const SmallKey& key) {
        const std::uint64_t hash = key.hash();
        for (std::size_t probe = 0; probe < probes; ++probe) {
            const Entry* const entry = table_[(hash + probe) % slots].load(std::memory_order_acquire);
            if (entry == nullptr) break;
            if (entry->key == key) return &entry->kernel;
        }
        return is_frequent(hash, key) ? make(hash, key) : nullptr;
    }

    static SmallProducts& of_this_machine();

private:
    struct Entry {
        SmallKey key;
        SmallKernel kernel;
    };
    static constexpr std::size_t slots = 4096;
    static constexpr std::size_t probes = 4; ///< neighbouring slots that an entry may be in

    bool is_frequent(std::uint64_t hash, const SmallKey& key);
    const SmallKernel* make(std::uint64_t hash, const SmallKey& key);

    std::vector<std::unique_ptr<const Entry>> entries_;
    std::vector<std::atomic<const Entry*>> table_ = std::vector<std::atomic<const Entry*>>(slots);
    /// Calls of what has no kernel: part of a hash and how many. Others with the same slot take calls away.
    std::vector<std::atomic<std::uint64_t>> calls_ = std::vector<std::atomic<std::uint64_t>>(slots);
    ForkSafeMutex making_;
};

} // namespace swirl::planning

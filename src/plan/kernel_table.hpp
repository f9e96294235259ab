#pragma once

#include "runtime/cpu/executable_memory.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace swirl::planning {

/// Compiled kernels by a key of 64 bits. Finding one takes no lock; adding one takes the caller's. None is removed.
class KernelTable {
public:
    /// The kernel, or null.
    runtime::KernelFunction find(std::uint64_t key) const {
        const Entry* entry = buckets_[bucket_of(key)].load(std::memory_order_acquire);
        while (entry != nullptr && entry->key != key) entry = entry->next;
        return entry == nullptr ? nullptr : entry->function;
    }
    /// One thread at a time, for a key that is not there.
    void add(std::uint64_t key, runtime::KernelFunction function) {
        std::atomic<const Entry*>& bucket = buckets_[bucket_of(key)];
        const Entry& entry =
            entries_.emplace_back(Entry{key, function, bucket.load(std::memory_order_relaxed)});
        bucket.store(&entry, std::memory_order_release);
    }

private:
    struct Entry {
        std::uint64_t key;
        runtime::KernelFunction function;
        const Entry* next; ///< in the bucket
    };
    static constexpr int bucket_bits = 7;
    static std::size_t bucket_of(std::uint64_t key) {
        return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> (64 - bucket_bits));
    }

    std::array<std::atomic<const Entry*>, std::size_t{1} << bucket_bits> buckets_{};
    std::deque<Entry> entries_;
};

} // namespace swirl::planning

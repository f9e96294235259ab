#pragma once

#include "runtime/kernel_entry.hpp"
#include "runtime/large_bytes.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::runtime {

/// Machine code of kernels on disk, by keys that say all it follows from: one file a kernel in one folder, which any number
/// of processes and threads may use at once. A file appears by its name only when it is whole, and holds a checksum. The
/// cache only ever saves work, so it never stands in the way: what cannot be read is missing, what is damaged or
/// another's is removed, what cannot be written is not kept.
class KernelCache {
public:
    static constexpr std::uint64_t usual_bytes = std::uint64_t{256} << 20;

    /// The folder is made when the first kernel is stored. Of more than `limit` bytes, those used least lately go.
    explicit KernelCache(std::filesystem::path folder, std::uint64_t limit = usual_bytes);

    /// That of this user, shared by the whole process: $SWIRL_KERNEL_CACHE, else $XDG_CACHE_HOME/swirl/kernels, else
    /// ~/.cache/swirl/kernels, of $SWIRL_KERNEL_CACHE_MIB at most. Null where SWIRL_KERNEL_CACHE is "off", where that size
    /// is 0, or where there is no home. UserError where the size is no number.
    static KernelCache* of_user();

    /// What was stored under a key, in memory of its own.
    struct Found {
        LargeBytes image;                ///< of the entry
        std::span<const std::byte> code; ///< in it
    };
    /// Counts as a use of it.
    std::optional<Found> read(const CacheKey& key) const;
    /// The same, copied.
    std::optional<Bytes> find(const CacheKey& key) const;
    /// Replaces what is there. Whether it was kept; the label is for people alone.
    bool store(const CacheKey& key, const KernelLabel& label, std::span<const std::byte> code);
    /// Removes an entry that turned out to be useless. Whether it is gone.
    bool drop(const CacheKey& key) const;

    /// A file of the cache.
    struct Stored {
        std::filesystem::path file;
        CacheKey key = {};                    ///< by the file's name
        KernelLabel label = {};               ///< empty where damaged
        std::uint64_t bytes = 0;              ///< of the file
        std::filesystem::file_time_type used; ///< last
        std::string damage = {};              ///< why it is no entry of this cache; empty where it is one
    };
    using Visitor = std::function<void(const Stored& entry, std::span<const std::byte> image)>;
    /// Shows each entry, whole or not, with all bytes of its file. Counts as no use of them.
    void visit(const Visitor& visitor) const;
    /// All of them, the one used last first.
    std::vector<Stored> entries() const;

    struct Cleared {
        std::size_t removed = 0;
        std::size_t left = 0; ///< which may not be removed
    };
    /// Removes all entries, and what writers that were stopped have left.
    Cleared clear() const;

    const std::filesystem::path& folder() const { return folder_; }
    std::uint64_t limit() const { return limit_; }

private:
    std::filesystem::path file_of(const CacheKey& key) const;
    bool write(const CacheKey& key, std::span<const std::byte> image) const;
    void bound();

    std::filesystem::path folder_;
    std::uint64_t limit_;
    std::atomic<std::int64_t> room_{0}; ///< bytes that may be written before the folder is looked at again
};

} // namespace swirl::runtime

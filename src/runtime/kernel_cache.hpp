#pragma once

#include "runtime/cpu/large_bytes.hpp"
#include "runtime/kernel_entry.hpp"

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

/// Disk cache of kernels' machine code, keyed by everything that determines it. Each kernel is one file in one folder,
/// which any number of processes and threads may use at once. A file appears under its name only when complete, and
/// holds a checksum. The cache only saves work and never causes failure: an unreadable entry counts as missing, a
/// damaged or foreign one is removed, and so is one that others than this user and the superuser may have written. An
/// entry that cannot be written is not stored.
class KernelCache {
public:
    static constexpr std::uint64_t default_bytes = std::uint64_t{256} << 20;

    /// Creates the folder when the first kernel is stored. Above `limit` bytes, evicts the least recently used entries.
    explicit KernelCache(std::filesystem::path folder, std::uint64_t limit = default_bytes);

    /// This user's cache, shared by the process: $SWIRL_KERNEL_CACHE, else $XDG_CACHE_HOME/swirl/kernels, else
    /// ~/.cache/swirl/kernels, of at most $SWIRL_KERNEL_CACHE_MIB. Null if SWIRL_KERNEL_CACHE is "off", if that size is
    /// 0, or if there is no home directory. Throws UserError if the size is not a number.
    static KernelCache* of_user();

    /// A stored entry, in memory of its own.
    struct Found {
        LargeBytes image;                ///< of the entry
        std::span<const std::byte> code; ///< points into the image
    };
    /// Whether there is an entry, which may turn out damaged. Does not count as a use.
    bool contains(const CacheKey& key) const;
    /// Counts as a use of the entry.
    std::optional<Found> read(const CacheKey& key) const;
    /// The same, copied.
    std::optional<Bytes> find(const CacheKey& key) const;
    /// Replaces an existing entry. Returns whether it was stored. The label is informative only.
    bool store(const CacheKey& key, const KernelLabel& label, std::span<const std::byte> code);
    /// Removes an entry that proved useless. Returns whether it is gone.
    bool drop(const CacheKey& key) const;

    /// A file of the cache.
    struct Stored {
        std::filesystem::path file;
        CacheKey key = {};                    ///< from the file name
        KernelLabel label = {};               ///< empty if damaged
        std::uint64_t bytes = 0;              ///< of the file
        std::filesystem::file_time_type used; ///< last use
        std::string damage = {};              ///< why it is not a valid entry of this cache; empty if it is
    };
    using Visitor = std::function<void(const Stored& entry, std::span<const std::byte> image)>;
    /// Visits each entry, valid or not, with all bytes of its file. Does not count as a use.
    void visit(const Visitor& visitor) const;
    /// All entries, most recently used first.
    std::vector<Stored> entries() const;

    struct Cleared {
        std::size_t removed = 0;
        std::size_t left = 0; ///< files that could not be removed
    };
    /// Removes all entries, and temporary files of processes that were stopped.
    Cleared clear() const;

    const std::filesystem::path& folder() const { return folder_; }
    std::uint64_t limit() const { return limit_; }

private:
    std::filesystem::path file_of(const CacheKey& key) const;
    bool write(const CacheKey& key, std::span<const std::byte> image) const;
    void bound();

    std::filesystem::path folder_;
    std::uint64_t limit_;
    std::atomic<std::int64_t> budget_{0}; ///< bytes that may be written before the folder is scanned again
};

} // namespace swirl::runtime

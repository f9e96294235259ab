#pragma once

#include "base/fork_gate.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>

namespace swirl::planning {

/// The bytes of a kernel's table, which live as long as some kernel holds them.
using TableBytes = std::shared_ptr<const std::byte>;

/// Shares equal tables among the kernels of all plans: transforms of different lengths have subtransforms in common.
class SharedTables {
public:
    static SharedTables& of_process();

    /// The table with this content that some kernel holds, else what `make` returns, which has this content.
    TableBytes shared(std::span<const std::byte> content, const std::function<TableBytes()>& make);

private:
    struct Known {
        std::weak_ptr<const std::byte> bytes;
        std::size_t size;
    };

    ForkSafeMutex mutex_;
    std::unordered_multimap<std::uint64_t, Known> known_; ///< by the checksum of the content
    std::size_t most_known_ = 256; ///< then those that nobody holds any more are erased
};

/// Memory of exactly this size, aligned to a cache line, with this content.
TableBytes copied_table(std::span<const std::byte> content);

} // namespace swirl::planning

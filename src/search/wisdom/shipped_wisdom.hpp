#pragma once

#include <swirl/problem.hpp>

#include "search/wisdom/wisdom.hpp"

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Wisdom that comes with the library: schedules timed on devices of the same kind as the user's. The files of data/wisdom
/// are text in the library's read-only data, so that a library that is copied alone has them.
namespace swirl::search {

/// The kind of a device in a key of wisdom: for GPUs all but the driver ("NVIDIA H200, compute 9.0, 132 multiprocessors"), for
/// CPUs the generation, or an earlier one with the same cores, and the instruction set ("family 6 model 143, avx512"). Empty
/// for other text.
std::string device_kind(std::string_view device);

struct ShippedEntry {
    std::string_view problem, schedule;
    double seconds; ///< on the machine that timed it
};

/// The entries for one kind of device, as a file of data/wisdom has them: a line that names the format, one that names the
/// device, then a line an entry, sorted by bytes: problem, schedule and microseconds, with tabs between.
class ShippedWisdom {
public:
    /// Refers to the text. Throws UserError for another format.
    explicit ShippedWisdom(std::string_view text);

    std::string_view device() const { return device_; }
    std::vector<ShippedEntry> entries() const;
    /// The entry of a problem's text; nothing if there is none.
    std::optional<ShippedEntry> find(std::string_view problem) const;
    /// The entries of the problems nearest to this one, at most so many, nearest first. Near a transform are those that
    /// differ in direction, placement, scale or batches; near a product those of the same data types whose extents and batch
    /// are at most twice or half as large.
    std::vector<ShippedEntry> neighbours(const Problem& problem, std::size_t most) const;

private:
    std::string_view device_;
    std::string_view lines_; ///< sorted
};

/// What the library ships; with $SWIRL_SHIPPED_WISDOM the file of that name instead, or nothing if it is "off".
std::span<const ShippedWisdom> shipped_wisdom();

/// Writes the timed entries of this version for one kind of device as a file of data/wisdom. Entries of conditions, such as
/// a number of threads, are left out. Returns how many it wrote.
Integer write_shipped(std::ostream& out, std::string_view kind,
                      std::span<const std::pair<WisdomKey, WisdomEntry>> entries);

} // namespace swirl::search

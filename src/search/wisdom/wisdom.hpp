#pragma once

#include <swirl/options.hpp>

#include "base/integer.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::search {

enum class FoundBy : std::uint8_t {
    estimate, ///< `seconds` is a prediction
    shortlist, ///< timed when a problem was planned for the first time: the few that the model predicts fastest
    measure,   ///< timed, within a budget
    exhaustive, ///< timed, every applicable choice
};

constexpr FoundBy found_by(Effort effort) {
    switch (effort) {
    case Effort::estimate: return FoundBy::estimate;
    case Effort::measure:
    case Effort::background: return FoundBy::measure;
    case Effort::exhaustive: return FoundBy::exhaustive;
    }
    return FoundBy::estimate;
}

/// Stored result for one problem on one device.
struct WisdomEntry {
    std::string schedule; ///< the winner, as text
    double seconds = 0;   ///< per execution, ≥ 0
    FoundBy found_by = FoundBy::estimate;
    std::int64_t created = 0; ///< seconds since 1970; 0: now
    std::string version = {}; ///< of swirl; empty: this version
    bool operator==(const WisdomEntry&) const = default;
};

struct WisdomKey {
    std::string device;  ///< the CPU or GPU that timed it: cpu_key, GpuIdentity::key
    std::string problem; ///< its text; then conditions on which the schedule depends, each after ", "
    auto operator<=>(const WisdomKey&) const = default;
};

/// Whether `store` can have written this: no text is empty, the time is finite and not negative, the date is after 1970.
/// Damage to a file that the database does not notice leaves other rows, which nobody reads.
bool is_valid(const WisdomKey& key, const WisdomEntry& entry);

/// A timed entry is better than an estimated one; then this version's than another's; then that of more effort; then that of
/// the shorter time.
bool is_better(const WisdomEntry& a, const WisdomEntry& b);

/// The best known schedule for each (device, problem), stored in a file that any number of processes and threads may use
/// at once. Wisdom only saves work and never causes failure: if the file cannot be used, results are held in memory
/// after one warning. A damaged file is renamed to *.damaged-… and recreated; a file that belongs to another program or
/// to a newer swirl is left alone.
class Wisdom {
public:
    using Warn = std::function<void(std::string_view message)>;

    /// ":memory:" keeps everything in memory. Warnings go to `warn`, or to standard error.
    explicit Wisdom(std::filesystem::path file, Warn warn = {});
    ~Wisdom();
    Wisdom(Wisdom&&) noexcept;
    Wisdom& operator=(Wisdom&&) noexcept;

    /// $SWIRL_WISDOM, else $XDG_CACHE_HOME/swirl/wisdom.sqlite, else ~/.cache/swirl/wisdom.sqlite, else memory.
    static std::filesystem::path default_file();

    /// The file in use; ":memory:" also when the requested file could not be used.
    std::filesystem::path file() const;

    std::optional<WisdomEntry> find(const WisdomKey& key);
    /// Stores the entry if it is better than the existing one. Returns whether it was stored.
    bool store(const WisdomKey& key, const WisdomEntry& entry);
    /// Stores the entry unconditionally: the existing one proved useless.
    bool replace(const WisdomKey& key, const WisdomEntry& entry);

    /// All entries, ordered by device and problem.
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries();
    /// Entries for one problem, on any device.
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries_for(std::string_view problem);
    /// Erases one entry; all of one problem, under any conditions on any device; all of one device; or all. Returns how
    /// many.
    Integer erase(const WisdomKey& key);
    Integer erase_problem(std::string_view problem);
    Integer erase_device(std::string_view device);
    Integer erase_all();

    /// Other measurements of a device, such as its probe: text by name.
    std::optional<std::string> fact(std::string_view device, std::string_view name);
    void store_fact(std::string_view device, std::string_view name, std::string_view text);

    /// Writes one JSON object per line: device, problem, schedule, seconds, found_by, created, version. Returns how
    /// many.
    Integer export_lines(std::ostream& out);

    struct Imported {
        Integer stored = 0;              ///< new or better
        Integer unchanged = 0;           ///< the existing entry is at least as good
        std::vector<Integer> unreadable; ///< line numbers, from 1; the other lines are imported nevertheless
    };
    Imported import_lines(std::istream& in);

private:
    class Store;
    std::unique_ptr<Store> store_;
};

} // namespace swirl::search

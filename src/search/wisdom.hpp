#pragma once

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
    estimate,   ///< `seconds` is a prediction
    measure,    ///< timed, under a budget
    exhaustive, ///< timed, everything applicable
};

/// What is known about one problem on one machine.
struct WisdomEntry {
    std::string recipe; ///< the winner, as text
    double seconds = 0; ///< of one application, ≥ 0
    FoundBy found_by = FoundBy::estimate;
    std::int64_t created = 0; ///< seconds since 1970; 0: now
    std::string version = {}; ///< of swirl; empty: this one's
    bool operator==(const WisdomEntry&) const = default;
};

struct WisdomKey {
    std::string machine;
    std::string problem;
    auto operator<=>(const WisdomKey&) const = default;
};

/// A timed entry is better than an estimated one, then the shorter time is.
bool is_better(const WisdomEntry& a, const WisdomEntry& b);

/// The best known recipe for each (machine, problem), kept in a file that any number of processes and threads may use
/// at once. It only ever saves work, so it never stands in the way: when the file cannot be used, what is learned
/// lives in memory, and one warning says so. A damaged file is moved aside (renamed to *.damaged-…) and begun anew;
/// a file that belongs to another program or to a newer swirl is left alone.
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

    /// Where entries go now; ":memory:" also when the file asked for could not be used.
    std::filesystem::path file() const;

    std::optional<WisdomEntry> find(const WisdomKey& key);
    /// Stores the entry when it is better than the one that is there. Whether it was stored.
    bool remember(const WisdomKey& key, const WisdomEntry& entry);
    /// Stores it in any case: what is there turned out to be useless.
    bool replace(const WisdomKey& key, const WisdomEntry& entry);

    /// All entries, by machine and problem.
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries();
    /// Those for one problem, on any machine.
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries_for(std::string_view problem);
    /// Removes one entry, all of one machine, or all. How many there were.
    Integer forget(const WisdomKey& key);
    Integer forget_machine(std::string_view machine);
    Integer forget_all();

    /// Other things measured about a machine, such as its probe: text by name.
    std::optional<std::string> fact(std::string_view machine, std::string_view name);
    void remember_fact(std::string_view machine, std::string_view name, std::string_view text);

    /// One JSON object a line: machine, problem, recipe, seconds, found_by, created, version. How many.
    Integer export_lines(std::ostream& out);

    struct Imported {
        Integer stored = 0;              ///< new or better
        Integer kept = 0;                ///< what was there is at least as good
        std::vector<Integer> unreadable; ///< line numbers, from 1; the other lines count nevertheless
    };
    Imported import_lines(std::istream& in);

private:
    class Store;
    std::unique_ptr<Store> store_;
};

} // namespace swirl::search

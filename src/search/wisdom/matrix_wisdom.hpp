#pragma once

#include "search/matrix_search.hpp"
#include "search/wisdom/wisdom.hpp"

#include <optional>

/// Wisdom lookup and storage of schedules of packed blocks. They are tuned per data type, on one thread, and used at any
/// number of threads, so that the arithmetic, and with it the bits, do not depend on that number.
namespace swirl::search {

/// The extents of the square GEMMs that a schedule search times.
std::vector<Integer> searched_extents();

struct StoredSchedule {
    gemm::BlockedGemm schedule;
    double seconds;
    FoundBy found_by;
    bool is_current; ///< found by this version of swirl; another version's code may perform differently
};

/// Schedules for this machine and one CPU from the wisdom that the environment names.
class MatrixWisdom {
public:
    /// Unless `in_use`, lookups find nothing and stores have no effect.
    MatrixWisdom(const target::Cpu& cpu, bool in_use) : cpu_(cpu), in_use_(in_use) {}

    /// The schedule for this machine. Erases an entry that does not parse or does not suit the CPU.
    std::optional<StoredSchedule> lookup(DataType data_type);
    /// The schedule if it is trusted: timed by this version of swirl.
    std::optional<gemm::BlockedGemm> trusted(DataType data_type);

    /// Replaces the existing entry; stores the model's own schedule with its time, too.
    void store(DataType data_type, const MatrixSearchResult& result, FoundBy how = FoundBy::measure);

private:
    /// Null if no wisdom exists and `to_write` is false.
    Wisdom* open(bool to_write) const;
    WisdomKey key_of(DataType data_type, const char* kind) const;

    const target::Cpu& cpu_;
    bool in_use_;
};

} // namespace swirl::search

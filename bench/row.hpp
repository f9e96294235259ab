#pragma once

#include "bench/measurement.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Results: one row for each problem.
namespace swirl::bench {

/// A peer: swirl with a plan found by measuring, whose time over swirl's is below 1 where the plan by the model is not the
/// best.
constexpr std::string_view measured_swirl = "swirl-measured";

/// One library's results.
struct Entry {
    std::string library; ///< "swirl", "swirl 2" and so on for further schedules, or a peer's name
    std::string made_by;
    double planning_seconds = 0;
    double distance = 0;
    bool is_wrong = false; ///< a wrong result is not timed
    Times times = {};
};

struct Row {
    Problem problem;
    double flops = 0;
    Floors floors = {};
    std::vector<Entry> entries = {};                ///< in the order of the libraries
    std::map<std::string, std::string> absent = {}; ///< library → why it has no times

    /// The entry of a library that was timed, or null.
    const Entry* timed(const std::string& library) const;
};

/// Plans with each library, compares the results with the definition, and times. A library that cannot compute the
/// problem is absent; so is swirl if the problem itself cannot be measured.
Row measure(const Problem& problem, Device& device, const std::vector<std::string>& peers,
            const Options& options);

/// Rows as JSON, one after the other. Of a peer, `made_by` and the reason of its absence are left out where they are as
/// in an earlier row.
class RowWriter {
public:
    cli::Json operator()(const Row& row);

private:
    std::map<std::string, std::string> made_by_, absent_; ///< by library
};

/// One line: swirl's time and speed, each peer's time over swirl's.
std::string to_line(const Row& row);
/// A table with one line for each peer: problems, share slower than 0.95, fifth percentile, median, least and geometric
/// mean of its time over swirl's.
std::string summary(const std::vector<Row>& rows);

} // namespace swirl::bench

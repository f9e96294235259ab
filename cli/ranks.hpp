#pragma once

#include "problem/problem.hpp"

#include <string>

namespace CLI {
class App;
}

namespace swirl::cli {

/// Options of commands that look at plans for ranks which are not there.
struct RankOptions {
    std::string ranks; ///< "8x8": nodes and ranks of a node; "64": ranks of one node
    std::string machine;
    std::string input = "pencils";
    std::string output = "pencils";

    void add_to(CLI::App& command);
    bool is_given() const { return !ranks.empty(); }
};

/// Prints what each rank of a transform would do. `schedule`: empty to choose. `derivation`: how rewriting led to it.
void report_ranks(const Transform& problem, const RankOptions& options, const std::string& schedule,
                  bool as_json, bool derivation);

} // namespace swirl::cli

#pragma once

#include <swirl/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace swirl::cli {

/// A problem of a list, and what a log of planned problems says of its plan (search/record.hpp); empty or 0: nothing.
struct ListedProblem {
    Problem problem;
    std::string device = {};
    int threads = 0;
    bool operator==(const ListedProblem&) const = default;
};

/// Problems that are given, in a file, or drawn at random (draw.hpp).
struct ProblemOptions {
    std::vector<std::string> given = {};
    std::string file = {}; ///< one a line; "-": standard input
    std::string draw = {}; ///< transforms, products; empty: none
    std::string types = {};
    std::uint64_t seed = 1;
    std::size_t count = 40;
    Integer largest = 0;

    void add_to(CLI::App& program);
    /// Throws UserError if there is none.
    std::vector<Problem> problems(bool on_gpu) const;
    /// The same, with the settings of a log, each once.
    std::vector<ListedProblem> listed(bool on_gpu) const;
    std::vector<DataType> data_types() const;

private:
    std::vector<ListedProblem> all(bool on_gpu) const;
};

/// One line of a file of problems: the problem and, after a tab, settings such as "device=gpu threads=2". Throws UserError.
ListedProblem parse_listed(const std::string& line);

/// The words of a list such as "float32,float64".
std::vector<std::string> words_of(const std::string& list);

} // namespace swirl::cli

#pragma once

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Options and output shared by the benchmarks.
namespace swirl::bench {

/// The groups of a list such as "square,small". Throws UserError naming the option.
template <class Group>
std::vector<const Group*> groups_of(const std::vector<Group>& all, const std::string& option,
                                    const std::string& list) {
    std::vector<const Group*> chosen;
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) {
        const Group* found = nullptr;
        std::vector<std::string_view> names;
        for (const Group& candidate : all) {
            names.push_back(candidate.name);
            if (name == candidate.name) found = &candidate;
        }
        if (found == nullptr) throw UserError("{} has '{}'; use {}", option, name, fmt::join(names, ", "));
        chosen.push_back(found);
    }
    return chosen;
}

/// The requirement as text, or that there is none.
inline std::string at_least(double asked) { return asked > 0 ? fmt::format("{:.2f}", asked) : "-"; }

/// Five significant digits: measurements are not more accurate.
inline double rounded(double value) { return std::stod(fmt::format("{:.5g}", value)); }

/// One line per absent peer and reason.
template <class Result> std::string absence_lines(const std::vector<Result>& results) {
    std::vector<std::string> lines;
    for (const Result& result : results)
        for (const auto& row : result.rows)
            for (const auto& absence : row.absences) {
                const std::string line = fmt::format("{}: {}\n", absence.peer, absence.reason);
                if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
            }
    return fmt::format("{}", fmt::join(lines, ""));
}

} // namespace swirl::bench

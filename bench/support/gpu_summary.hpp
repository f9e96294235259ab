#pragma once

#include "bench/support/gpu_implementations.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

#include <algorithm>
#include <string>
#include <vector>

/// Shared by the reports of GPU benchmarks; a Result has its group and its entries.
namespace swirl::bench {

/// Counts of one group of rows.
struct GroupCounts {
    int planned = 0, reached = 0, faster = 0, wrong = 0;
};

/// A table with one line per group; count(result, counts) adds a result. `rows`: what the rows are called.
template <class Result, class Count>
std::string summary_of(const std::vector<Result>& results, const char* rows, Count&& count) {
    cli::Table table({"group", rows, "planned by swirl", "goals reached", "swirl is faster", "wrong"});
    for (std::size_t begin = 0, end = 0; begin < results.size(); begin = end) {
        GroupCounts counts;
        for (; end < results.size() && results[end].group == results[begin].group; ++end)
            count(results[end], counts);
        table.add({results[begin].group->name, std::to_string(end - begin), std::to_string(counts.planned),
                   std::to_string(counts.reached), std::to_string(counts.faster),
                   std::to_string(counts.wrong)});
    }
    return "\n" + table.text();
}

/// Results by groups; row(result) formats one of them, head(result) the heading of its group.
template <class Result, class Head, class Row>
cli::Json groups_of(const std::vector<Result>& results, Head&& head, Row&& row) {
    cli::Json groups = cli::Json::array();
    const void* last = nullptr;
    for (const Result& result : results) {
        if (result.group != last) {
            groups.push_back(head(result));
            groups.back()["rows"] = cli::Json::array();
        }
        last = result.group;
        groups.back()["rows"].push_back(row(result));
    }
    return groups;
}

/// swirl's entries, fastest first; empty if there is only one.
template <class Result> std::vector<const Entry*> ranked_entries(const Result& result) {
    std::vector<const Entry*> entries;
    for (const auto& entry : result.entries)
        if (is_swirls(entry)) entries.push_back(&entry);
    if (entries.size() < 2) return {};
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry* a, const Entry* b) { return a->seconds() < b->seconds(); });
    return entries;
}

} // namespace swirl::bench

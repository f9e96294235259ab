#pragma once

#include "cli/output.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace swirl::cli {

/// Results of benchmarks and of ladders, as the page of `swirl report` shows them. Arrays of objects:
///   runs     as in the files, with `file` and `is_before`
///   rows     problem, run (index), line, kind, type, n, flops, bytes, floors, libraries, absent; `made_by` of every
///            library; `before`: index of the row that it is compared with
///   ladders  as `swirl ladder --json` has them, with `file` and `is_before`
struct Results {
    Json runs = Json::array();
    Json rows = Json::array();
    Json ladders = Json::array();
};

/// Results to show, or earlier ones to compare them with.
enum class Age : std::uint8_t { current, earlier };

/// Adds the results of a file that `bench --json`, `swirl bench --json` or `swirl ladder --json` wrote. Throws
/// UserError, naming the file and the line, if it is another file or not all of one.
void read_results(const std::string& file, Age age, Results& results);

/// Adds the results of a document that `swirl bench --json` or `swirl ladder --json` prints.
void add_document(const Json& document, const std::string& file, Age age, Results& results);

/// Gives the rows that are shown their `before`: of the same problem, device, threads, accuracy and label; of several
/// of these, the first to the first, and so on. Returns the number of pairs.
std::size_t pair_with_before(Results& results);

} // namespace swirl::cli

#pragma once

#include "cli/output.hpp"

#include <vector>

namespace swirl::cli {

/// Whether a document is one of `swirl bench --json`.
bool is_bench_document(const Json& document);

/// The run and the rows of such a document, as `bench --json` writes them, one a line.
std::vector<Json> lines_of_bench(const Json& document);

} // namespace swirl::cli

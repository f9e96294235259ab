#pragma once

#include "cli/output.hpp"

#include <string>

namespace swirl::cli {

/// Where the results of `swirl bench` go besides the table.
struct BenchOutput {
    bool json = false;
    std::string plot = {}; ///< a page, as `swirl report` makes it; empty: none
    Json run = {};         ///< the command and its setting, as `bench --json` has them

    /// Whether the document is used; otherwise it need not be complete.
    bool wants_document() const { return json || !plot.empty(); }

    /// Adds the run to a document of results, writes its page for --plot, and prints it for --json. Returns whether it
    /// was printed, so that no table is wanted.
    bool take(const Json& document) const;
};

/// Throws UserError unless a page can be written there.
void require_page(const std::string& plot);

} // namespace swirl::cli

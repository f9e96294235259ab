#pragma once

#include "plan/problem_data.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace swirl::planning {

/// Finds what an execution writes beside its output. Between construction and `require_…` the data is executed on once.
class WriteWatch {
public:
    /// `plan` names it in messages. The data is as `fill_input` left it, but for elements that were set since.
    WriteWatch(ProblemData& data, const Problem& problem, std::string plan);

    /// InternalError, naming the array and the byte, where zones around arrays were written or an array that is only
    /// read has changed.
    void require_surroundings() const;
    /// The same of gaps between elements, and of outputs that an expression leaves alone. Destroys the output.
    void require_gaps();

private:
    [[noreturn]] void fail(std::size_t buffer, std::ptrdiff_t offset) const;

    ProblemData& data_;
    const Problem& problem_;
    std::string plan_;
    std::vector<std::size_t> hashes_; ///< of each buffer; 0 of those that are written
};

/// Calls `run` with memory of exactly so many bytes, 64-byte aligned, between zones; nullptr for none. InternalError where it
/// writes into the zones.
void run_in_guarded_workspace(std::size_t bytes, const std::string& plan,
                              const std::function<void(void*)>& run);

/// InternalError where the zones around a workspace of so many bytes were written at this byte.
void require_untouched_zones(const std::optional<std::ptrdiff_t>& touched, std::size_t bytes,
                             const std::string& plan);

} // namespace swirl::planning

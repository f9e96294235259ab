#pragma once

#include "plan/check/problem_data.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace swirl::planning {

/// Detects writes outside the output. Exactly one execution on the data must run between construction and `require_…`.
class WriteWatch {
public:
    /// `plan` names the plan in messages. Apart from elements set since, the data must be as `fill_input` left it.
    WriteWatch(ProblemData& data, const Transform& problem, std::string plan);

    /// Throws InternalError, naming the array and the byte, if redzones were written or a read-only array has changed.
    void require_surroundings() const;
    /// The same for gaps between elements, and for outputs that the store expression skips. Destroys the output.
    void require_gaps();

private:
    ProblemData& data_;
    const Transform& problem_;
    std::string plan_;
    std::vector<std::size_t> hashes_; ///< by buffer; 0 for buffers that are written
};

/// Throws InternalError: the plan wrote this byte of an array, counted from the first, where it must not.
[[noreturn]] void report_write(const ProblemArray& array, std::ptrdiff_t byte, const std::string& plan);

/// Calls `run` with memory of exactly this size, 64-byte aligned, between redzones; null if the size is 0. Throws
/// InternalError if it writes into the redzones.
void run_in_guarded_workspace(std::size_t bytes, const std::string& plan,
                              const std::function<void(void*)>& run);

/// Throws InternalError if the redzones of a workspace of this size were written at this byte.
void require_intact_redzones(const std::optional<std::ptrdiff_t>& touched, std::size_t bytes,
                             const std::string& plan);

} // namespace swirl::planning

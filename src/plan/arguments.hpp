#pragma once

#include "plan/plan.hpp"

namespace swirl::planning {

/// What the pointers of a call must satisfy, worked out once for a problem.
class ArgumentCheck {
public:
    explicit ArgumentCheck(const Problem& problem);

    /// Throws UserError naming the argument for null or misaligned pointers, in-place plans called with two
    /// different ones, and out-of-place plans whose input and output overlap.
    void operator()(const Arguments& arguments) const;

private:
    struct Range {
        std::ptrdiff_t low;  ///< bytes from the pointer to the first touched byte
        std::ptrdiff_t high; ///< … and past the last
    };
    void check_pointer(const char* name, const void* pointer) const;
    void check_apart(const char* a_name, const void* a, const Range& a_range, const char* b_name,
                     const void* b, const Range& b_range) const;

    bool planar_input_;
    bool planar_output_;
    bool in_place_;
    std::size_t alignment_;
    Range input_;
    Range output_;
};

} // namespace swirl::planning

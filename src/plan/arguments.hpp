#pragma once

#include "plan/plan.hpp"

#include <cstddef>
#include <cstdint>

namespace swirl::planning {

/// What the pointers of a call must satisfy, worked out once for a problem.
class ArgumentCheck {
public:
    explicit ArgumentCheck(const Problem& problem);

    /// Throws UserError naming the argument for null or misaligned pointers, in-place plans called with two
    /// different ones, and out-of-place plans whose input and output overlap.
    void operator()(const Arguments& arguments) const {
        if (!admits(arguments)) explain(arguments);
    }

    /// Throws UserError where a workspace of so many bytes meets an array of the caller's.
    void require_apart(const void* workspace, std::size_t bytes, const Arguments& arguments) const;

    /// Whether nothing is wrong, in a few instructions. Planar arguments are always left to operator().
    bool admits(const Arguments& arguments) const {
        const auto input = reinterpret_cast<std::uintptr_t>(arguments.input);
        const auto output = reinterpret_cast<std::uintptr_t>(arguments.output);
        const bool null = static_cast<int>(input == 0) | static_cast<int>(output == 0);
        const bool misaligned = ((input | output) & (alignment_ - 1)) != 0;
        const bool too_near = output - input - nearest_ < forbidden_;
        return !(static_cast<int>(null) | static_cast<int>(misaligned) | static_cast<int>(too_near) |
                 static_cast<int>(planar_));
    }

private:
    struct Range {
        std::ptrdiff_t low;  ///< bytes from the pointer to the first touched byte
        std::ptrdiff_t high; ///< … and past the last
    };
    void explain(const Arguments& arguments) const;
    void check_pointer(const char* name, const void* pointer) const;
    void check_apart(const char* a_name, const void* a, const Range& a_range, const char* b_name,
                     const void* b, const Range& b_range) const;

    bool planar_; ///< on any side
    /// Modulo 2^64, output − input must not be nearest_ … nearest_ + forbidden_ − 1: out of place where the arrays meet,
    /// in place anything but 0.
    std::uintptr_t nearest_;
    std::uintptr_t forbidden_;
    bool planar_input_;
    bool planar_output_;
    bool in_place_;
    std::size_t alignment_;
    Range input_;
    Range output_;
};

} // namespace swirl::planning

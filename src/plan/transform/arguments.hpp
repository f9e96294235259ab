#pragma once

#include "plan/transform/cpu/plan.hpp"
#include "problem/overlap.hpp"
#include "problem/problem.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace swirl::planning {

/// The elements that a side touches, without those that its callback leaves out at the ends of an axis; at least one.
Elements touched_elements(const Transform& problem, Side side);

/// Requirements on input and output of a call. One without a problem admits nothing.
class PointerCheck {
public:
    PointerCheck() = default;
    /// Alignment is a power of two. Wrong are outputs `nearest` … nearest + forbidden − 1 bytes past the input, modulo 2^64.
    PointerCheck(std::size_t alignment, std::uintptr_t nearest, std::uintptr_t forbidden)
        : misaligned_(alignment - 1), nearest_(nearest), forbidden_(forbidden) {}

    /// True if nothing is wrong. False for arrays that interleave without sharing an element, too.
    bool admits(const void* in, const void* out) const {
        const auto input = reinterpret_cast<std::uintptr_t>(in),
                   output = reinterpret_cast<std::uintptr_t>(out);
        return input != 0 && output != 0 && ((input | output) & misaligned_) == 0 &&
               output - input - nearest_ >= forbidden_;
    }

private:
    std::uintptr_t misaligned_ = ~std::uintptr_t{0}; ///< bits that are 0 in aligned addresses
    std::uintptr_t nearest_ = 0, forbidden_ = 0;
};

/// Requirements on the pointers of a call, precomputed for a problem.
class ArgumentCheck {
public:
    explicit ArgumentCheck(const Transform& problem);

    /// Throws UserError, naming the argument, for null or misaligned pointers, for different pointers in place, for
    /// overlapping input and output out of place, and for auxiliary arrays that are missing or overwritten.
    void operator()(const Arguments& arguments) const {
        if (!admits(arguments)) explain(arguments);
    }

    /// Throws UserError if a workspace of this size overlaps one of the caller's arrays.
    void require_disjoint(const void* workspace, std::size_t bytes, const Arguments& arguments) const;

    /// Fast check: true if nothing is wrong. False for arrays that interleave without sharing an element, which
    /// operator() checks in full.
    bool admits(const Arguments& arguments) const {
        return pointers_.admits(arguments.input, arguments.output) &&
               (!has_more_ || (admits_imaginary(arguments) && admits_arrays(arguments)));
    }

    /// Of a call on two arrays and no more; of others one that admits nothing.
    PointerCheck of_two_arrays() const { return has_more_ ? PointerCheck() : pointers_; }

private:
    struct Range {
        std::ptrdiff_t low;  ///< bytes from the pointer to the first touched byte
        std::ptrdiff_t high; ///< bytes from the pointer to one past the last touched byte
    };
    /// Memory of an execution: its elements, or all bytes of a range if it has no axes.
    struct Named {
        std::string name;
        const void* pointer;
        Range range;
        Elements elements = {};
    };
    /// Whether no byte of one range lies in the other.
    static bool are_disjoint(const void* a, const Range& a_range, const void* b, const Range& b_range);
    void explain(const Arguments& arguments) const;
    std::vector<Named> arrays_of_call(const Arguments& arguments) const;
    std::vector<Named> outputs_of_call(const Arguments& arguments) const;
    /// Whether the imaginary components are there, aligned, and where `input` and `output` may be.
    bool admits_imaginary(const Arguments& arguments) const;
    /// Whether all auxiliary arrays are there, aligned, and outside the bytes around the output.
    bool admits_arrays(const Arguments& arguments) const;
    void check_arrays(const Arguments& arguments) const;
    void check_pointer(const char* name, const void* pointer) const;
    void check_disjoint(const char* a_name, const void* a, Side a_side, const char* b_name, const void* b,
                        Side b_side) const;
    const Range& range_of(Side side) const { return side == Side::input ? input_ : output_; }

    bool has_more_; ///< than input and output: separate imaginary components, or auxiliary arrays
    /// Forbidden are, out of place, the distances at which the ranges of both arrays overlap; in place, all but 0.
    PointerCheck pointers_;
    bool planar_input_;
    bool planar_output_;
    bool in_place_;
    std::size_t alignment_;
    Range input_;
    Range output_;
    std::array<Elements, 2> elements_; ///< of each side
    std::vector<AuxiliaryArray> arrays_;
    /// What each auxiliary array takes: bytes of one of its memories, and of one scalar.
    struct ArrayBytes {
        std::ptrdiff_t all;
        std::uintptr_t scalar;
        bool separate; ///< imaginary components are in an array of their own
    };
    std::vector<ArrayBytes> array_bytes_;
    ComplexLayout layout_;
};

} // namespace swirl::planning

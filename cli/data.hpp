#pragma once

#include "cli/reference.hpp"
#include "plan/check/problem_data.hpp"
#include "problem/expression_at.hpp"
#include "problem/problem.hpp"

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace swirl::cli {

/// A problem's arrays, accessed by element.
class Data {
public:
    explicit Data(const Transform& problem) : problem_(problem), memory_(problem) {}

    /// Random input, uniform in [−1, 1); for a half spectrum that of random real data. Gaps between the elements, and
    /// the output, are set to NaN to catch any use of them.
    void fill(std::uint32_t seed);
    /// Elements of a side, row-major, batches first; real elements have imaginary component 0. Input elements are those
    /// after the load expression; output elements that are never written are 0.
    std::vector<Complex> elements(Side side) const;
    /// Applies the store expression to results.
    std::vector<Complex> stored(std::vector<Complex> results) const;

    planning::ProblemData& memory() { return memory_; }
    planning::Arguments arguments() const { return memory_.arguments(); }

private:
    std::vector<Complex> random_elements(std::mt19937& generator) const;
    ExpressionAt expression_at(Side side) const;

    Transform problem_;
    planning::ProblemData memory_;
};

/// Calls f(offset, indices) for the elements of a side, row-major, batches first.
template <class F> void for_each_element(const Transform& problem, Side side, F&& f) {
    const std::vector<Axis> loops = axes(problem, side);
    std::vector<Integer> indices(loops.size(), 0);
    Integer offset = 0;
    for (;;) {
        f(offset, std::as_const(indices));
        std::size_t axis = loops.size();
        for (; axis > 0; --axis) {
            const Axis& loop = loops[axis - 1];
            offset += loop.stride;
            if (++indices[axis - 1] < loop.length) break;
            offset -= loop.stride * loop.length;
            indices[axis - 1] = 0;
        }
        if (axis == 0) return;
    }
}

/// The expected transform of these elements (all batches), with its scale.
std::vector<Complex> expected_output(const Transform& problem, std::span<const Complex> input);

} // namespace swirl::cli

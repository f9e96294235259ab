#include "cli/ladder/ladder.hpp"
#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "runtime/cpu/affinity.hpp"
#include "search/timer/cpu/timing.hpp"

#include <algorithm>
#include <bit>

namespace swirl::cli {
namespace {

using planning::Schedule;
using rules::BreakdownTree;

std::size_t exponent_of(Integer n) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(n)) - 1);
}

/// WHT_mn = (WHT_m ⊗ I_n)(I_m ⊗ WHT_n); equal transforms share one child.
BreakdownTree split(Integer m, Integer n, BreakdownTree left, BreakdownTree right) {
    BreakdownTree tree{"wht-split", {m, n}, {std::move(left)}};
    if (m != n) tree.children.push_back(std::move(right));
    return tree;
}

BreakdownTree iterative(Integer n) {
    return n < 4 ? BreakdownTree{} : BreakdownTree{"wht-iterative", {}, {}};
}

/// The tutorial's eq. 18.
BreakdownTree recursive(Integer n) {
    return n < 4 ? BreakdownTree{} : BreakdownTree{"wht-recursive", {}, {recursive(n / 2)}};
}

/// Exercise 2d: codelets of `radix` points; the last one takes the remaining factor.
BreakdownTree of_radix(Integer radix, Integer n) {
    return n <= radix ? BreakdownTree{} : split(radix, n / radix, {}, of_radix(radix, n / radix));
}

/// Exercise 2e: the fastest tree of a size is a codelet or a split into the fastest trees of its factors.
class FastestTrees {
public:
    FastestTrees(const target::Cpu& cpu, bool scalar) : cpu_(cpu), scalar_(scalar) {}

    const BreakdownTree& of(Integer n) {
        for (std::size_t k = found_.size(); k <= exponent_of(n); ++k) found_.push_back(search(k));
        return found_[exponent_of(n)];
    }
    Schedule schedule(Integer n) { return {cpu_.name, planning::TransformSchedule{{{0, of(n)}}, scalar_}}; }

private:
    static constexpr std::size_t largest_codelet = 6; ///< exponent: more unrolled code spills registers
    static constexpr double seconds_each = 0.01;      ///< for timing a tree

    BreakdownTree search(std::size_t k) const {
        std::vector<BreakdownTree> candidates;
        if (k <= largest_codelet) candidates.emplace_back();
        for (std::size_t i = 1; i < k; ++i)
            candidates.push_back(split(Integer{1} << i, Integer{1} << (k - i), found_[i], found_[k - i]));
        if (candidates.size() == 1) return candidates[0];
        return candidates[fastest(Transform::wht({Integer{1} << k}), candidates)];
    }

    std::size_t fastest(const Transform& problem, const std::vector<BreakdownTree>& candidates) const {
        planning::ProblemData data(problem);
        data.fill(1);
        std::vector<runtime::TimedWork> works;
        for (const BreakdownTree& tree : candidates) {
            const auto plan = planning::Plan::build(
                problem, {cpu_.name, planning::TransformSchedule{{{0, tree}}, scalar_}}, {.check = false});
            works.push_back(data.timed([plan, arguments = data.arguments()] { plan->execute(arguments); }));
        }
        const runtime::PinnedThread pinned;
        const runtime::FlushDenormals flush;
        runtime::TimingOptions timing;
        timing.budget = seconds_each;
        timing.warm_up = seconds_each / 10;
        const auto times = search::measure_interleaved(works, timing);
        const auto best = std::min_element(
            times.begin(), times.end(), [](const auto& a, const auto& b) { return a.minimum < b.minimum; });
        return static_cast<std::size_t>(best - times.begin());
    }

    const target::Cpu& cpu_;
    bool scalar_;
    std::vector<BreakdownTree> found_{{}}; ///< by exponent
};

class WhtLadder : public LadderRungs {
public:
    Transform problem(Integer n) const override { return Transform::wht({n}); }
    Integer min_size() const override { return 2; }

    std::vector<LadderRung> steps(Integer n) override {
        std::vector<LadderRung> result;
        const auto scalar = [&](const char* name, const char* what, BreakdownTree tree) {
            result.push_back({name, what,
                              planning::Schedule(plainest_cpu().name,
                                                 planning::TransformSchedule{{{0, std::move(tree)}}, true})});
        };
        scalar("iterative", "a pass for each factor 2; scalar code", iterative(n));
        scalar("recursive", "two transforms of half the size, then a pass", recursive(n));
        scalar("radix 4", "the recursion with unrolled codelets of 4 points", of_radix(4, n));
        scalar("radix 8", "the recursion with unrolled codelets of 8 points", of_radix(8, n));
        result.push_back({"searched",
                          "the fastest tree of splits, each size from the fastest of smaller ones",
                          plain_.schedule(n)});
        result.push_back({std::string(target::host_cpu().name),
                          "the same search in vectors of this instruction set", vectors_.schedule(n)});
        return result;
    }

private:
    FastestTrees plain_{plainest_cpu(), true};
    FastestTrees vectors_{target::host_cpu(), false};
};

} // namespace

std::unique_ptr<LadderRungs> wht_ladder() { return std::make_unique<WhtLadder>(); }

} // namespace swirl::cli

#include "problem/overlap.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace swirl {

namespace {

// Two index tuples share an offset if and only if their difference d ≠ 0 with |d_i| < length_i has Σ d_i·stride_i = 0.
// Signs do not matter, because the range of d_i is symmetric. The search looks for such a d.

constexpr int step_limit = 100'000; // at most some hundredths of a second

struct Loop {
    Integer reach;  ///< length − 1: the largest |d|
    Integer stride; ///< > 0
    std::size_t axis;
    int sign;
};

/// Whether d_i must be 0: the stride exceeds the largest sum of the other terms, or no multiple of it within reach is a
/// multiple of the others' greatest common divisor.
bool must_stay(const std::vector<Loop>& loops, std::size_t i) {
    Integer others_reach = 0;
    Integer others_gcd = 0;
    for (std::size_t j = 0; j < loops.size(); ++j) {
        if (j == i) continue;
        others_reach += loops[j].reach * loops[j].stride;
        others_gcd = std::gcd(others_gcd, loops[j].stride);
    }
    return loops[i].stride > others_reach ||
           others_gcd / std::gcd(others_gcd, loops[i].stride) > loops[i].reach;
}

void drop_independent(std::vector<Loop>& loops) {
    for (std::size_t i = 0; i < loops.size();) {
        if (must_stay(loops, i)) {
            loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
            i = 0;
        } else {
            ++i;
        }
    }
}

/// x with a·x ≡ 1 mod m, for coprime a and m.
Integer inverse_modulo(Integer a, Integer m) {
    Integer r0 = m, r1 = modulo(a, m), x0 = 0, x1 = 1;
    while (r1 != 0) {
        const Integer quotient = r0 / r1;
        r0 = std::exchange(r1, r0 - quotient * r1);
        x0 = std::exchange(x1, x0 - quotient * x1);
    }
    return modulo(x0, m);
}

/// a·b mod m for a, b in 0…m−1 and m below 2⁶², without a wider type.
Integer multiply_modulo(Integer a, Integer b, Integer m) {
    if (const auto product = checked_multiply(a, b)) return *product % m;
    Integer result = 0;
    for (; b > 0; b /= 2, a = (a + a) % m)
        if (b % 2 == 1) result = (result + a) % m;
    return result;
}

/// Depth-first search for d, largest stride first. Below each loop, bounds and gcd prune what cannot cancel.
class Search {
public:
    explicit Search(std::vector<Loop> loops) : loops_(std::move(loops)), difference_(loops_.size(), 0) {
        std::sort(loops_.begin(), loops_.end(),
                  [](const Loop& a, const Loop& b) { return a.stride > b.stride; });
        below_.resize(loops_.size() + 1);
        for (std::size_t i = loops_.size(); i-- > 0;)
            below_[i] = {below_[i + 1].reach + loops_[i].reach * loops_[i].stride,
                         std::gcd(below_[i + 1].gcd, loops_[i].stride)};
    }

    bool finds() { return cancels(0, 0, false); }
    bool gave_up() const { return steps_ > step_limit; }
    const std::vector<Loop>& loops() const { return loops_; }
    const std::vector<Integer>& difference() const { return difference_; }

private:
    struct Below {
        Integer reach = 0;
        Integer gcd = 0;
    };

    /// Whether loops `level`… can sum to `target`, with some d ≠ 0 unless `moved` says that one is fixed above.
    bool cancels(std::size_t level, Integer target, bool moved) {
        if (++steps_ > step_limit) return false;
        if (level == loops_.size()) return target == 0 && moved;
        const auto [reach, stride, axis, sign] = loops_[level];
        const Below& below = below_[level + 1];

        // |target − d·stride| ≤ below.reach; by symmetry the first d ≠ 0 may be assumed positive
        Integer lowest = std::max(-reach, ceil_divide(target - below.reach, stride));
        if (!moved) lowest = std::max<Integer>(lowest, 0);
        const Integer highest = std::min(reach, floor_divide(target + below.reach, stride));
        Integer step = 1;
        if (below.gcd > 0) { // d·stride ≡ target mod gcd
            const Integer common = std::gcd(stride, below.gcd);
            if (target % common != 0) return false;
            step = below.gcd / common;
            const Integer residue =
                multiply_modulo(modulo(target / common, step), inverse_modulo(stride / common, step), step);
            lowest += modulo(residue - lowest, step);
        }
        for (Integer d = lowest; d <= highest; d += step) {
            difference_[level] = d;
            if (cancels(level + 1, target - d * stride, moved || d != 0)) return true;
            if (gave_up()) return false;
        }
        difference_[level] = 0;
        return false;
    }

    std::vector<Loop> loops_;
    std::vector<Below> below_;
    std::vector<Integer> difference_;
    int steps_ = 0;
};

/// Depth-first search for counts x_i in 0 … reach_i with Σ x_i·stride_i = target, largest stride first, pruned like
/// Search.
class SumSearch {
public:
    /// Strides are positive and distinct.
    explicit SumSearch(const std::map<Integer, Integer, std::greater<>>& reach_by_stride) {
        for (const auto& [stride, reach] : reach_by_stride) terms_.push_back({stride, reach});
        below_.resize(terms_.size() + 1);
        for (std::size_t i = terms_.size(); i-- > 0;)
            below_[i] = {below_[i + 1].reach + terms_[i].reach * terms_[i].stride,
                         std::gcd(below_[i + 1].gcd, terms_[i].stride)};
    }
    bool finds(Integer target) { return sums(0, target); }
    bool gave_up() const { return steps_ > step_limit; }

private:
    struct Term {
        Integer stride;
        Integer reach;
    };
    struct Below {
        Integer reach = 0;
        Integer gcd = 0;
    };

    bool sums(std::size_t level, Integer target) {
        if (++steps_ > step_limit || target < 0 || target > below_[level].reach) return false;
        if (level == terms_.size()) return true; // the bounds leave 0
        const auto [stride, reach] = terms_[level];
        const Below& below = below_[level + 1];
        Integer lowest = std::max<Integer>(0, ceil_divide(target - below.reach, stride));
        const Integer highest = std::min(reach, floor_divide(target, stride));
        Integer step = 1;
        if (below.gcd > 0) { // x·stride ≡ target mod gcd
            const Integer common = std::gcd(stride, below.gcd);
            if (target % common != 0) return false;
            step = below.gcd / common;
            const Integer residue =
                multiply_modulo(modulo(target / common, step), inverse_modulo(stride / common, step), step);
            lowest += modulo(residue - lowest, step);
        }
        for (Integer x = lowest; x <= highest; x += step) {
            if (sums(level + 1, target - x * stride)) return true;
            if (gave_up()) return false;
        }
        return false;
    }

    std::vector<Term> terms_;
    std::vector<Below> below_;
    int steps_ = 0;
};

bool more_elements_than_places(const std::vector<Loop>& loops) {
    Integer span_end = 1;
    for (const Loop& loop : loops) span_end += loop.reach * loop.stride;
    Integer elements = 1;
    for (const Loop& loop : loops) {
        const auto more = checked_multiply(elements, loop.reach + 1);
        if (!more || *more > span_end) return true;
        elements = *more;
    }
    return false;
}

} // namespace

OverlapResult find_overlap(const std::vector<Axis>& axes) {
    using Verdict = OverlapResult::Verdict;
    Overlap witness{std::vector<Integer>(axes.size(), 0), std::vector<Integer>(axes.size(), 0)};
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].length == 1) continue;
        if (axes[i].stride == 0) {
            witness.second[i] = 1;
            return {Verdict::overlapping, witness};
        }
        const int sign = axes[i].stride < 0 ? -1 : 1;
        loops.push_back({axes[i].length - 1, axes[i].stride * sign, i, sign});
    }

    drop_independent(loops);
    if (loops.empty()) return {};

    Search search(loops);
    if (search.finds()) {
        for (std::size_t i = 0; i < search.loops().size(); ++i) {
            const Loop& loop = search.loops()[i];
            const Integer d = search.difference()[i] * loop.sign;
            (d > 0 ? witness.first : witness.second)[loop.axis] = d > 0 ? d : -d;
        }
        return {Verdict::overlapping, witness};
    }
    if (!search.gave_up()) return {};
    return {more_elements_than_places(loops) ? Verdict::overlapping : Verdict::undecided, std::nullopt};
}

OverlapResult::Verdict find_shared_byte(const Elements& first, const Elements& second, Integer distance) {
    using Verdict = OverlapResult::Verdict;
    // Offsets of the first minus those of the second must add up to the distance. Negative terms are counted from their
    // other end, and terms of one stride are one term.
    std::map<Integer, Integer, std::greater<>> reach_by_stride;
    Integer target = distance + second.first - first.first;
    const auto add = [&](Integer length, Integer stride) {
        if (length == 1 || stride == 0) return;
        if (stride < 0) target += (length - 1) * -stride;
        reach_by_stride[stride < 0 ? -stride : stride] += length - 1;
    };
    for (const Axis& axis : first.axes) add(axis.length, axis.stride * first.bytes);
    for (const Axis& axis : second.axes) add(axis.length, -axis.stride * second.bytes);
    add(first.bytes, 1);
    add(second.bytes, -1);
    SumSearch search(reach_by_stride);
    if (search.finds(target)) return Verdict::overlapping;
    return search.gave_up() ? Verdict::undecided : Verdict::disjoint;
}

bool share_a_byte(const Elements& first, const void* first_pointer, const Elements& second,
                  const void* second_pointer) {
    const auto distance =
        reinterpret_cast<std::intptr_t>(second_pointer) - reinterpret_cast<std::intptr_t>(first_pointer);
    return find_shared_byte(first, second, distance) != OverlapResult::Verdict::disjoint;
}

} // namespace swirl

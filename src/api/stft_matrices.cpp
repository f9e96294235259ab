#include "api/stft_matrices.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace swirl::api {

using namespace formula;

namespace {

/// The sample at a position at most as far beyond an end as there are samples but one.
Integer mirrored_position(Integer position, Integer samples) {
    return position < 0 ? -position : position >= samples ? 2 * (samples - 1) - position : position;
}

Formula without_trivial_factors(std::vector<Formula> factors) {
    std::erase_if(factors, [](const Formula& factor) { return factor.is<Identity>(); });
    return product(std::move(factors));
}

/// Samples that the same number of frames covers, in each of `blocks` hops.
struct Run {
    Integer begin;  ///< of the signal from the frames' first used sample on
    Integer length; ///< samples
    Integer first;  ///< frame that covers them
    Integer covers; ///< frames that do
    Integer blocks = 1;
};

std::vector<Run> runs_of(const Frames& frames, Integer begin, Integer end) {
    const Integer hop = frames.hop, used = frames.used;
    std::vector<Run> runs;
    const auto append = [&](const Run& run) {
        if (run.covers <= 0) return;
        // The run one hop before it is that before the last one, if each hop has two runs.
        for (std::size_t back = 1; back <= std::min<std::size_t>(2, runs.size()); ++back) {
            Run& before = runs[runs.size() - back];
            if (before.length == run.length && before.covers == run.covers &&
                before.begin + before.blocks * hop == run.begin &&
                before.first + before.blocks == run.first) {
                ++before.blocks;
                return;
            }
        }
        runs.push_back(run);
    };
    for (Integer at = begin; at < end;) {
        const Integer block = floor_divide(at, hop), change = block * hop + modulo(used - 1, hop) + 1;
        const Integer next = std::min({at < change ? change : end, (block + 1) * hop, end});
        const Integer first = std::max<Integer>(0, ceil_divide(at - used + 1, hop)),
                      last = std::min(frames.count - 1, block);
        append({at, next - at, first, last - first + 1});
        at = next;
    }
    return runs;
}

} // namespace

ExtendedRange extended_range(Integer samples, Integer begin, Integer count, bool mirrored) {
    const Integer first_inside = std::max<Integer>(begin, 0), end_inside = std::min(begin + count, samples);
    if (!mirrored) {
        const Integer inside = end_inside - first_inside;
        ensure(inside >= 1, "an extended range of {} samples from {} on without a sample of the signal",
               count, begin);
        return {first_inside, inside == count
                                  ? I(count)
                                  : scatter(IndexMap::strided(inside, count, first_inside - begin, 1))};
    }
    Integer lowest = samples, highest = 0;
    for (const Integer position : {begin, begin + count - 1, first_inside, end_inside - 1}) {
        lowest = std::min(lowest, mirrored_position(position, samples));
        highest = std::max(highest, mirrored_position(position, samples));
    }
    const Integer range = highest - lowest + 1;
    std::vector<DigitMap> pieces;
    const auto add = [&](Integer from, Integer to, Integer stride) {
        if (from < to)
            pieces.push_back({{to - from}, {stride}, mirrored_position(from, samples) - lowest, 0});
    };
    add(begin, std::min<Integer>(0, begin + count), -1);
    add(first_inside, end_inside, 1);
    add(std::max(begin, samples), begin + count, -1);
    return {lowest, gather(IndexMap::piecewise(std::move(pieces), range))};
}

Formula overlap_add(const Frames& frames, Integer begin, Integer samples) {
    const Integer used_begin = begin - frames.first_used; // relative to the frames' first used sample
    const std::vector<Run> runs = runs_of(frames, std::max<Integer>(0, used_begin), used_begin + samples);
    const Integer columns = frames.count * frames.length;
    ensure(!runs.empty(), "{} frames that cover no sample", frames.count);
    std::vector<Formula> sums;
    std::vector<DigitMap> sources, targets;
    for (const Run& run : runs) {
        const Formula sum =
            kron(matrix(1, run.covers, std::vector<Complex>(static_cast<std::size_t>(run.covers), 1)),
                 I(run.length));
        sums.push_back(run.covers == 1   ? I(run.blocks * run.length)
                       : run.blocks == 1 ? sum
                                         : kron(I(run.blocks), sum));
        const Integer source =
            run.first * frames.length + frames.first_used + run.begin - run.first * frames.hop;
        sources.push_back({{run.blocks, run.covers, run.length},
                           {frames.length, frames.length - frames.hop, 1},
                           source,
                           0});
        targets.push_back({{run.blocks, run.length}, {frames.hop, 1}, run.begin - used_begin, 0});
    }
    return without_trivial_factors({scatter(IndexMap::piecewise(std::move(targets), samples)),
                                    direct_sum(std::move(sums)),
                                    gather(IndexMap::piecewise(std::move(sources), columns))});
}

} // namespace swirl::api

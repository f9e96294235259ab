#include "plan/check/batch_sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace swirl::planning {

namespace {

constexpr Side sides[] = {Side::input, Side::output};

/// A range of byte offsets from index 0.
struct ByteRange {
    Integer first = 0, end = 0;
};

/// The bytes of a side that these axes span; others stay at index 0.
ByteRange span_of(const Transform& problem, Side side, const std::vector<char>& is_fixed) {
    const std::vector<Axis> loops = axes(problem, side);
    const std::vector<IndexRange> touched = touched_ranges(problem, side);
    Integer low = 0, high = 0;
    for (std::size_t k = 0; k < loops.size(); ++k) {
        if (is_fixed[k] != 0) continue;
        const Integer first = touched[k].first * loops[k].stride,
                      last = (std::max(touched[k].end, touched[k].first + 1) - 1) * loops[k].stride;
        low += std::min(first, last);
        high += std::max(first, last);
    }
    const Integer element = element_bytes(problem, side);
    return {low * element, (high + 1) * element};
}

/// In place, the bytes of both sides.
ByteRange span_of_array(const Transform& problem, Side side, const std::vector<char>& is_fixed) {
    const ByteRange own = span_of(problem, side, is_fixed);
    if (problem.placement != Placement::in_place) return own;
    const ByteRange other = span_of(problem, side == Side::input ? Side::output : Side::input, is_fixed);
    return {std::min(own.first, other.first), std::max(own.end, other.end)};
}

Integer stride_bytes(const Transform& problem, std::size_t loop, Side side) {
    return stride_of(problem.batches[loop], side) * element_bytes(problem, side);
}

/// Whether each iteration of the loop has its own contiguous range of memory.
bool is_separate(const Transform& problem, std::size_t loop, std::vector<char> is_fixed) {
    is_fixed[loop] = 1;
    for (const Side side : sides) {
        const ByteRange inside = span_of_array(problem, side, is_fixed);
        if (std::abs(stride_bytes(problem, loop, side)) < inside.end - inside.first) return false;
    }
    return problem.placement != Placement::in_place ||
           stride_bytes(problem, loop, Side::input) == stride_bytes(problem, loop, Side::output);
}

constexpr Integer runs_of_a_loop = 3;

} // namespace

/// The first, the last and some iterations between; of up to three, each is a run, because loops inside may be sampled.
std::vector<BatchSample::Run> BatchSample::runs_of(Integer length, Integer count) {
    std::vector<Run> runs;
    if (count == length) {
        const Integer of_one = length <= runs_of_a_loop ? 1 : length;
        for (Integer k = 0; k < length; k += of_one) runs.push_back({k, k, of_one});
        return runs;
    }
    const Integer third = count / runs_of_a_loop, middle = count - 2 * third;
    return {{0, 0, third},
            {third, third + (length - count) / 2, middle},
            {third + middle, length - third, third}};
}

std::optional<BatchSample> BatchSample::of(const Transform& batch, Integer bytes) {
    if (depends_on_batch(batch)) return std::nullopt;
    std::vector<std::size_t> order(batch.batches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::abs(batch.batches[a].input_stride) > std::abs(batch.batches[b].input_stride);
    });
    BatchSample sample(batch);
    std::vector<SampledLoop> sampled;
    std::vector<char> is_fixed(batch.batches.size() + batch.dimensions.size(), 0);
    Integer budget = bytes;
    for (const std::size_t loop : order) {
        const Integer length = batch.batches[loop].length;
        const Integer of_one = std::max(std::abs(stride_bytes(batch, loop, Side::input)),
                                        std::abs(stride_bytes(batch, loop, Side::output)));
        if (!is_separate(batch, loop, is_fixed)) break;
        const Integer count =
            std::min(length, std::max(runs_of_a_loop, budget / std::max<Integer>(of_one, 1)));
        sampled.push_back({loop, runs_of(length, count)});
        sample.problem_.batches[loop].length = count;
        is_fixed[loop] = 1;
        if (count * of_one <= budget) break;
        budget /= count;
    }
    if (sample.problem_.batches == batch.batches) return std::nullopt;
    sample.add_windows(sampled);
    return sample;
}

void BatchSample::add_windows(const std::vector<SampledLoop>& loops) {
    std::vector<char> is_fixed(batch_.batches.size() + batch_.dimensions.size(), 0);
    std::vector<Axis> choices; // one run of each loop
    for (const SampledLoop& sampled : loops) {
        is_fixed[sampled.loop] = 1;
        choices.push_back({static_cast<Integer>(sampled.runs.size()), 0});
    }
    const std::vector<ProblemArray> in_sample = problem_arrays(problem_), in_batch = problem_arrays(batch_);
    for (std::size_t k = 0; k < in_sample.size(); ++k) {
        if (in_sample[k].role == ProblemArray::Role::auxiliary) {
            windows_.push_back({k, 0, 0, in_sample[k].bytes});
            continue;
        }
        const Side side = in_sample[k].role == ProblemArray::Role::input ? Side::input : Side::output;
        const ByteRange inside = span_of_array(batch_, side, is_fixed);
        for_each_index(choices, [&](const std::vector<Integer>& chosen) {
            ByteRange range = inside;
            Integer shift = 0;
            for (std::size_t l = 0; l < loops.size(); ++l) {
                const Run& run = loops[l].runs[static_cast<std::size_t>(chosen[l])];
                const Integer stride = stride_bytes(batch_, loops[l].loop, side);
                const Integer first = run.in_sample * stride, last = (run.in_sample + run.count - 1) * stride;
                range.first += std::min(first, last);
                range.end += std::max(first, last);
                shift += (run.in_batch - run.in_sample) * stride;
            }
            windows_.push_back({k, in_sample[k].before + range.first,
                                in_batch[k].before + range.first + shift, range.end - range.first});
        });
    }
}

} // namespace swirl::planning

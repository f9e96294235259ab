#pragma once

#include "plan/check/problem_data.hpp"
#include "problem/problem.hpp"

#include <optional>
#include <vector>

namespace swirl::planning {

/// Transforms that stand for a whole batch in the check of its plan: the first, the last and some between. The plan runs
/// on arrays of the whole batch, so that the kernels and launches are its own; only the sample's data are set and read.
class BatchSample {
public:
    /// Up to about `bytes` of each side. Empty if the batch has no more, if its transforms differ in more than their
    /// data, or if their elements interleave in memory.
    static std::optional<BatchSample> of(const Transform& problem, Integer bytes);

    /// The sampled transforms as a problem of their own, with the strides of the batch.
    const Transform& problem() const { return problem_; }
    const Transform& batch() const { return batch_; }

    /// Bytes that the arrays of the sample and of the batch share.
    struct Window {
        std::size_t array; ///< in the order of problem_arrays
        Integer in_sample; ///< byte of the sample's array
        Integer in_batch;  ///< byte of the batch's array
        Integer bytes;
    };
    const std::vector<Window>& windows() const { return windows_; }

private:
    explicit BatchSample(const Transform& batch) : batch_(batch), problem_(batch) {}

    /// Consecutive iterations of a loop.
    struct Run {
        Integer in_sample; ///< the first iteration's index in the sample
        Integer in_batch;
        Integer count;
    };
    /// A loop of the batch, sampled at some ranges.
    struct SampledLoop {
        std::size_t loop;
        std::vector<Run> runs;
    };
    static std::vector<Run> runs_of(Integer length, Integer count);
    void add_windows(const std::vector<SampledLoop>& loops);

    Transform batch_, problem_;
    std::vector<Window> windows_;
};

} // namespace swirl::planning

#include "plan/transform/gpu/chunks.hpp"

#include "base/error.hpp"
#include "plan/transform/cpu/advanced_pointer.hpp"
#include "problem/problem.hpp"

namespace swirl::planning {

GpuChunks::GpuChunks(const Transform& problem, Integer chunk) : problem_(problem) {
    const Integer count = problem.batches.empty() ? 1 : problem.batches.front().length;
    if (chunk > count)
        throw UserError("the schedule has chunks of {} transforms, but the batch has {}", chunk, count);
    chunk_ = chunk == 0 ? count : chunk;
    whole_ = count / chunk_;
    rest_ = count % chunk_;
    if (whole_ == 1 && rest_ == 0) return;
    if (depends_on_batch(problem))
        throw UserError(
            "the schedule has chunks of {} transforms, but arrays or expressions differ from "
            "transform to transform; leave out 'chunk'",
            chunk);
    const Dimension& batch = problem.batches.front();
    input_stride_ = chunk_ * batch.input_stride * element_bytes(problem, Side::input);
    output_stride_ = chunk_ * batch.output_stride * element_bytes(problem, Side::output);
}

Transform GpuChunks::problem_of(Integer iterations) const {
    Transform chunk = problem_;
    if (!chunk.batches.empty()) chunk.batches.front().length = iterations;
    return chunk;
}

Arguments GpuChunks::arguments_of(const Arguments& all, Integer k) const {
    const Integer input = k * input_stride_, output = k * output_stride_;
    return {advanced(all.input, input), advanced(all.output, output), advanced(all.input_imaginary, input),
            advanced(all.output_imaginary, output), all.arrays};
}

} // namespace swirl::planning

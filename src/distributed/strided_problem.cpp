#include "distributed/strided_problem.hpp"

#include <algorithm>
#include <utility>

namespace swirl::distributed {

namespace {

/// Strides that a problem can have: axes of one index have none of their own.
Integer stride_or_1(Integer stride) { return stride == 0 ? 1 : stride; }

Transform make(const std::vector<TransformKind>& kinds, const std::vector<Integer>& lengths,
               const TransformOptions& options) {
    if (kinds.back() == TransformKind::real_dft || kinds.back() == TransformKind::dft)
        return Transform::make(kinds.back(), lengths, options);
    TransformOptions real = options;
    real.direction = Direction::forward;
    return Transform::mixed(kinds, lengths, real);
}

} // namespace

Transform strided_problem(const Factors& factors, std::vector<std::size_t> transforms, const Box& before,
                          const std::vector<Integer>& in, const std::vector<Integer>& out, double scale) {
    std::sort(transforms.begin(), transforms.end());
    std::vector<TransformKind> kinds;
    std::vector<Integer> lengths;
    TransformOptions options{
        .direction = factors.problem.direction, .precision = factors.problem.precision, .scale = scale};
    for (const std::size_t axis : transforms) {
        kinds.push_back(*factors.kinds[axis]);
        lengths.push_back(factors.points(axis));
        options.input_strides.push_back(stride_or_1(in[axis]));
        options.output_strides.push_back(stride_or_1(out[axis]));
    }
    std::vector<Dimension> loops;
    for (std::size_t axis = 0; axis < factors.axes(); ++axis)
        if (!std::binary_search(transforms.begin(), transforms.end(), axis) && length(before, axis) > 1)
            loops.push_back({length(before, axis), in[axis], out[axis]});
    std::sort(loops.begin(), loops.end(), [](const Dimension& a, const Dimension& b) {
        return std::pair(a.output_stride, a.input_stride) > std::pair(b.output_stride, b.input_stride);
    });
    for (const Dimension& loop : loops)
        options.batches.push_back({loop.length, loop.input_stride, loop.output_stride});
    return make(kinds, lengths, options);
}

} // namespace swirl::distributed

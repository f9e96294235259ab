#include "bench/gpu_transforms/filter.hpp"

#include "base/error.hpp"
#include "formula/formula.hpp"
#include "problem/syntax.hpp"

namespace swirl::bench {
namespace {

const Transform& accepted(const Transform& problem) {
    const bool suits = problem.dimensions.size() == 1 && problem.precision == DataType::float32 &&
                       problem.layout == ComplexLayout::interleaved &&
                       problem.dimensions[0].input_stride == 1 && problem.dimensions[0].output_stride == 1 &&
                       problem.spectrum == Sharing::shared;
    if (!suits)
        throw UserError(
            "the benchmark convolves along one dimension, contiguous, in float32, with one spectrum: {}",
            to_text(problem));
    return problem;
}

} // namespace

Filter::Filter(const Transform& problem, const runtime::GpuDevice& device)
    : impulses_{{{0, {0.5L, 0.25L}},
                 {1, {-0.25L, 0.5L}},
                 {transform_size(accepted(problem)) / 3, {0.5L, -0.75L}}}},
      spectrum_(device, static_cast<std::size_t>(transform_size(problem)) * sizeof(std::complex<float>)) {
    const Integer n = transform_size(problem);
    std::vector<std::complex<float>> values;
    for (Integer k = 0; k < n; ++k) {
        std::complex<long double> sum = 0;
        for (const Impulse& impulse : impulses_)
            sum += impulse.height * formula::root_of_unity(n, impulse.at * k % n, Direction::forward);
        values.emplace_back(sum);
    }
    runtime::copy_to_gpu(device, spectrum_.address(), values.data(), spectrum_.bytes());
    device.synchronize();
    arguments_[0].data = reinterpret_cast<const void*>(spectrum_.address());
}

std::vector<std::complex<long double>> Filter::results(const Transform& problem, const RandomNumbers& input,
                                                       std::span<const OutputIndex> outputs) const {
    const Integer n = transform_size(problem);
    std::vector<std::complex<long double>> all;
    for (const OutputIndex& output : outputs) {
        Integer from = 0;
        for (std::size_t d = 0; d < problem.batches.size(); ++d)
            from += output.transform[d] * problem.batches[d].input_stride;
        std::complex<long double> sum = 0;
        for (const Impulse& impulse : impulses_)
            sum += impulse.height * input.pair(2 * (from + modulo(output.index[0] - impulse.at, n)));
        all.push_back(sum);
    }
    return all;
}

} // namespace swirl::bench

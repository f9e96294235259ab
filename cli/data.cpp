#include "cli/data.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <limits>

namespace swirl::cli {
namespace {

template <class T> void fill_with(const runtime::AlignedBuffer& buffer, T value) {
    const std::span<T> numbers = buffer.span_of<T>();
    std::fill(numbers.begin(), numbers.end(), value);
}

} // namespace

std::vector<Complex> Data::random_elements(std::mt19937& generator) const {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto count = static_cast<std::size_t>(transform_size(problem_) * batch_count(problem_));
    std::vector<Complex> elements(count);
    const bool spectrum =
        problem_.kind == TransformKind::real_dft && problem_.direction == Direction::backward;
    const bool complex = is_complex(problem_, Side::input) && !spectrum;
    for (Complex& element : elements) {
        const double real = uniform(generator);
        element = {real, complex ? uniform(generator) : 0.0};
    }
    if (!spectrum) return elements;
    Problem forward = problem_;
    forward.direction = Direction::forward;
    forward.scale = 1;
    return expected_output(forward, elements);
}

void Data::fill(std::uint32_t seed) {
    for (const runtime::AlignedBuffer& buffer : memory_.buffers()) {
        switch (problem_.precision) {
        case Precision::float32: fill_with(buffer, std::numeric_limits<float>::quiet_NaN()); break;
        case Precision::float64: fill_with(buffer, std::numeric_limits<double>::quiet_NaN()); break;
        case Precision::float16: fill_with(buffer, float16(std::numeric_limits<float>::quiet_NaN())); break;
        case Precision::bfloat16: fill_with(buffer, bfloat16(std::numeric_limits<float>::quiet_NaN())); break;
        }
    }
    std::mt19937 generator(seed);
    const std::vector<Complex> elements = random_elements(generator);
    std::size_t next = 0;
    for_each_offset(problem_, Side::input, [&](Integer offset) {
        memory_.set(Side::input, offset, std::complex<double>(elements[next++]));
    });
    const std::vector<ProblemArray> arrays = arrays_of(problem_);
    for (std::size_t k = 0; k < arrays.size(); ++k)
        for (Integer i = 0; i < arrays[k].elements; ++i)
            memory_.set_beside(k, i, std::complex<double>(array_element(i)));
}

std::vector<Complex> Data::elements(Side side) const {
    std::vector<Complex> result;
    for_each_offset(problem_, side, [&](Integer offset) { result.emplace_back(memory_.get(side, offset)); });
    return result;
}

std::vector<Complex> expected_output(const Problem& problem, std::span<const Complex> input) {
    const auto batches = static_cast<std::size_t>(batch_count(problem));
    const std::size_t each = input.size() / batches;
    std::vector<Complex> output;
    for (std::size_t i = 0; i < batches; ++i)
        for (const Complex& value :
             reference(problem, input.subspan(i * each, each), static_cast<Integer>(i)))
            output.push_back(value * static_cast<long double>(problem.scale));
    return output;
}

} // namespace swirl::cli

#include "cli/data.hpp"
#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <limits>

namespace swirl::cli {
namespace {

template <class T> void fill_with(const planning::GuardedBuffer& buffer, T value) {
    const std::span<T> values = buffer.span_of<T>();
    std::fill(values.begin(), values.end(), value);
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
    Transform forward = problem_;
    forward.direction = Direction::forward;
    forward.scale = 1;
    return expected_output(forward, elements);
}

void Data::fill(std::uint32_t seed) {
    for (std::size_t k = 0; k < memory_.buffers().size(); ++k) {
        const planning::GuardedBuffer& buffer = memory_.buffers()[k];
        switch (memory_.arrays()[k].precision) {
        case DataType::float32: fill_with(buffer, std::numeric_limits<float>::quiet_NaN()); break;
        case DataType::float64: fill_with(buffer, std::numeric_limits<double>::quiet_NaN()); break;
        case DataType::float16: fill_with(buffer, float16(std::numeric_limits<float>::quiet_NaN())); break;
        case DataType::bfloat16: fill_with(buffer, bfloat16(std::numeric_limits<float>::quiet_NaN())); break;
        default: throw InternalError("a transform of {}", name_of(memory_.arrays()[k].precision));
        }
    }
    std::mt19937 generator(seed);
    const std::vector<Complex> elements = random_elements(generator);
    std::size_t next = 0;
    const ExpressionAt load = expression_at(Side::input);
    for_each_element(problem_, Side::input, [&](Integer offset, const std::vector<Integer>& indices) {
        const std::complex<double> value(elements[next++]);
        if (load.touches(indices)) memory_.set(Side::input, offset, value);
    });
    const std::vector<AuxiliaryArray> arrays = arrays_of(problem_);
    for (std::size_t k = 0; k < arrays.size(); ++k)
        for (Integer i = 0; i < arrays[k].elements; ++i)
            memory_.set_auxiliary(k, i, std::complex<double>(array_element(i)));
}

std::vector<Complex> Data::elements(Side side) const {
    std::vector<Complex> result;
    const ExpressionAt expression = expression_at(side);
    for_each_element(problem_, side, [&](Integer offset, const std::vector<Integer>& indices) {
        const bool touches = expression.touches(indices);
        const std::complex<double> value = touches ? memory_.get(side, offset) : 0;
        result.emplace_back(side == Side::input ? expression(value, indices) : value);
    });
    return result;
}

ExpressionAt Data::expression_at(Side side) const {
    return ExpressionAt(problem_, side, [this](std::size_t array, Integer element) {
        return memory_.get_auxiliary(array, element);
    });
}

std::vector<Complex> Data::stored(std::vector<Complex> results) const {
    if (problem_.store.is_identity()) return results;
    const ExpressionAt store = expression_at(Side::output);
    std::size_t next = 0;
    for_each_element(problem_, Side::output, [&](Integer, const std::vector<Integer>& indices) {
        Complex& result = results[next++];
        result = store.touches(indices) ? Complex(store(std::complex<double>(result), indices)) : 0;
    });
    return results;
}

std::vector<Complex> expected_output(const Transform& problem, std::span<const Complex> input) {
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

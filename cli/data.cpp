#include "cli/data.hpp"

#include <algorithm>
#include <limits>

namespace swirl::cli {
namespace {

template <class T> void fill_with_nan(std::span<std::byte> bytes) {
    T* const first = reinterpret_cast<T*>(bytes.data());
    std::fill(first, first + bytes.size() / sizeof(T), std::numeric_limits<T>::quiet_NaN());
}

template <class T> T* element(void* base, Integer scalar) { return static_cast<T*>(base) + scalar; }

/// Where a side's numbers are; `imaginary` only where it is planar.
struct Place {
    void* real;
    void* imaginary;
};

Place place_of(const planning::Arguments& arguments, Side side) {
    if (side == Side::output) return {arguments.output, arguments.output_imaginary};
    return {const_cast<void*>(arguments.input), const_cast<void*>(arguments.input_imaginary)};
}

} // namespace

Complex Data::get(Side side, Integer offset) const {
    const auto read = [&](void* base, Integer scalar) -> long double {
        if (problem_.precision == Precision::float32) return *element<float>(base, scalar);
        return *element<double>(base, scalar);
    };
    const Place place = place_of(arguments(), side);
    if (!is_complex(problem_, side)) return read(place.real, offset);
    if (place.imaginary != nullptr) return {read(place.real, offset), read(place.imaginary, offset)};
    return {read(place.real, 2 * offset), read(place.real, 2 * offset + 1)};
}

void Data::set(Side side, Integer offset, const Complex& value) {
    const auto write = [&](void* base, Integer scalar, long double number) {
        if (problem_.precision == Precision::float32)
            *element<float>(base, scalar) = static_cast<float>(number);
        else
            *element<double>(base, scalar) = static_cast<double>(number);
    };
    const Place place = place_of(arguments(), side);
    if (!is_complex(problem_, side)) {
        write(place.real, offset, value.real());
    } else if (place.imaginary != nullptr) {
        write(place.real, offset, value.real());
        write(place.imaginary, offset, value.imag());
    } else {
        write(place.real, 2 * offset, value.real());
        write(place.real, 2 * offset + 1, value.imag());
    }
}

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
        if (problem_.precision == Precision::float32)
            fill_with_nan<float>(buffer.span_of<std::byte>());
        else
            fill_with_nan<double>(buffer.span_of<std::byte>());
    }
    std::mt19937 generator(seed);
    const std::vector<Complex> elements = random_elements(generator);
    std::size_t next = 0;
    for_each_offset(problem_, Side::input,
                    [&](Integer offset) { set(Side::input, offset, elements[next++]); });
}

std::vector<Complex> Data::elements(Side side) const {
    std::vector<Complex> result;
    for_each_offset(problem_, side, [&](Integer offset) { result.push_back(get(side, offset)); });
    return result;
}

std::vector<Complex> expected_output(const Problem& problem, std::span<const Complex> input) {
    const auto batches = static_cast<std::size_t>(batch_count(problem));
    const std::size_t each = input.size() / batches;
    std::vector<Complex> output;
    for (std::size_t i = 0; i < batches; ++i)
        for (const Complex& value : reference(problem, input.subspan(i * each, each)))
            output.push_back(value * static_cast<long double>(problem.scale));
    return output;
}

} // namespace swirl::cli

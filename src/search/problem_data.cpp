#include "search/problem_data.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace swirl::search {
namespace {

struct Bytes {
    Integer lowest, end;
};

Bytes bytes_of(const Problem& problem, Side side) {
    const Extent reach = extent(problem, side);
    const Integer element = element_bytes(problem, side);
    return {reach.lowest * element, (reach.highest + 1) * element};
}

template <class T> void fill_random(const runtime::AlignedBuffer& buffer, std::mt19937& generator) {
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (T& number : buffer.span_of<T>()) number = uniform(generator);
}

/// Other libraries destroy half spectra of several dimensions even out of place.
bool writes_over_input(const Problem& problem) {
    return problem.placement == Placement::in_place ||
           (problem.kind == TransformKind::real_dft && problem.direction == Direction::backward);
}

} // namespace

ProblemData::ProblemData(const Problem& problem) : problem_(problem) {
    const Bytes sides[] = {bytes_of(problem, Side::input), bytes_of(problem, Side::output)};
    const bool planar = problem.layout == ComplexLayout::planar;
    if (problem.placement == Placement::in_place) {
        const Integer lowest = std::min(sides[0].lowest, sides[1].lowest),
                      end = std::max(sides[0].end, sides[1].end);
        real_[0] = real_[1] = allocate(lowest, end);
        if (planar) imaginary_[0] = imaginary_[1] = allocate(lowest, end);
        return;
    }
    for (const Side side : {Side::input, Side::output}) {
        const std::size_t i = side == Side::input ? 0 : 1;
        real_[i] = allocate(sides[i].lowest, sides[i].end);
        if (planar && is_complex(problem, side)) imaginary_[i] = allocate(sides[i].lowest, sides[i].end);
    }
}

void* ProblemData::allocate(Integer lowest_byte, Integer end_byte) {
    constexpr Integer alignment = 64;
    const Integer before = ceil_divide(-lowest_byte, alignment) * alignment;
    buffers_.emplace_back(static_cast<std::size_t>(before + end_byte));
    return buffers_.back().as<std::byte>() + before;
}

planning::Arguments ProblemData::arguments() const {
    return {.input = real_[0],
            .output = real_[1],
            .input_imaginary = imaginary_[0],
            .output_imaginary = imaginary_[1]};
}

void ProblemData::fill(std::uint32_t seed) {
    std::mt19937 generator(seed);
    for (const runtime::AlignedBuffer& buffer : buffers_) {
        if (problem_.precision == Precision::float32)
            fill_random<float>(buffer, generator);
        else
            fill_random<double>(buffer, generator);
    }
}

void ProblemData::save() {
    saved_.clear();
    for (const runtime::AlignedBuffer& buffer : buffers_) {
        const auto bytes = buffer.span_of<std::byte>();
        saved_.emplace_back(bytes.begin(), bytes.end());
    }
}

void ProblemData::restore() {
    for (std::size_t i = 0; i < saved_.size(); ++i)
        std::copy(saved_[i].begin(), saved_[i].end(), buffers_[i].as<std::byte>());
}

runtime::TimedWork ProblemData::timed(std::function<void()> run) {
    if (!writes_over_input(problem_)) return {std::move(run), {}, 0};
    const double growth =
        std::fabs(problem_.scale) * std::sqrt(static_cast<double>(transform_size(problem_)));
    const int largest_exponent = problem_.precision == Precision::float32 ? 127 : 1023;
    return {std::move(run), [this] { restore(); },
            runtime::applications_before_overflow(growth, largest_exponent)};
}

} // namespace swirl::search

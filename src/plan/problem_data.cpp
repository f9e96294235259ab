#include "plan/problem_data.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace swirl::planning {

namespace {

struct Bytes {
    Integer lowest, end;
};

Bytes bytes_of(const Problem& problem, Side side) {
    const Extent reach = extent(problem, side);
    const Integer element = element_bytes(problem, side);
    return {reach.lowest * element, (reach.highest + 1) * element};
}

template <class T> void fill_random(std::span<T> numbers, std::minstd_rand& generator) {
    constexpr double half_range = 1073741824; // 2^30: minstd_rand gives 1…2^31−2
    for (T& number : numbers) number = static_cast<T>(static_cast<double>(generator()) / half_range - 1);
}

/// Other libraries destroy half spectra of several dimensions even out of place.
bool writes_over_input(const Problem& problem) {
    return problem.placement == Placement::in_place ||
           (problem.kind == TransformKind::real_dft && problem.direction == Direction::backward);
}

} // namespace

ProblemData::ProblemData(const Problem& problem) : problem_(problem) {
    const bool in_place = problem.placement == Placement::in_place;
    for (const Side side : {Side::input, Side::output}) {
        if (in_place && side == Side::output) break;
        Bytes bytes = bytes_of(problem, side);
        if (in_place) {
            const Bytes other = bytes_of(problem, Side::output);
            bytes = {std::min(bytes.lowest, other.lowest), std::max(bytes.end, other.end)};
        }
        place(side).real = allocate(bytes.lowest, bytes.end);
        if (problem.layout == ComplexLayout::planar && is_complex(problem, side))
            place(side).imaginary = allocate(bytes.lowest, bytes.end);
    }
    if (in_place) place(Side::output) = place(Side::input);
}

std::byte* ProblemData::allocate(Integer lowest_byte, Integer end_byte) {
    constexpr Integer alignment = 64;
    const Integer before = ceil_divide(-lowest_byte, alignment) * alignment;
    buffers_.emplace_back(static_cast<std::size_t>(before + end_byte));
    return buffers_.back().as<std::byte>() + before;
}

Arguments ProblemData::arguments() const {
    const Place &in = place(Side::input), &out = place(Side::output);
    return {.input = in.real,
            .output = out.real,
            .input_imaginary = in.imaginary,
            .output_imaginary = out.imaginary};
}

ProblemData::Place ProblemData::parts(Side side, Integer offset) const {
    const Place& from = place(side);
    const Integer scalar = real_bytes(problem_.precision), at = offset * scalar;
    if (!is_complex(problem_, side)) return {from.real + at, nullptr};
    if (from.imaginary != nullptr) return {from.real + at, from.imaginary + at};
    return {from.real + 2 * at, from.real + 2 * at + scalar};
}

std::complex<double> ProblemData::get(Side side, Integer offset) const {
    const auto number = [&](const std::byte* part) -> double {
        if (part == nullptr) return 0;
        if (problem_.precision == Precision::float32) return *reinterpret_cast<const float*>(part);
        return *reinterpret_cast<const double*>(part);
    };
    const Place element = parts(side, offset);
    return {number(element.real), number(element.imaginary)};
}

void ProblemData::set(Side side, Integer offset, std::complex<double> value) {
    const auto write = [&](std::byte* part, double number) {
        if (part == nullptr) return;
        if (problem_.precision == Precision::float32)
            *reinterpret_cast<float*>(part) = static_cast<float>(number);
        else
            *reinterpret_cast<double*>(part) = number;
    };
    const Place element = parts(side, offset);
    write(element.real, value.real());
    write(element.imaginary, value.imag());
}

void ProblemData::fill(std::uint32_t seed) {
    std::minstd_rand generator(seed);
    for (const runtime::AlignedBuffer& buffer : buffers_) {
        if (problem_.precision == Precision::float32)
            fill_random(buffer.span_of<float>(), generator);
        else
            fill_random(buffer.span_of<double>(), generator);
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

} // namespace swirl::planning

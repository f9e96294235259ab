#include "plan/problem_data.hpp"

#include "ir/rounding.hpp"

#include <swirl/half.hpp>

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

template <class T> T rounded(double number) { return static_cast<T>(number); }
template <> float16 rounded(double number) {
    return float16(static_cast<float>(ir::round_to_float16(number)));
}
template <> bfloat16 rounded(double number) {
    return bfloat16(static_cast<float>(ir::round_to_bfloat16(number)));
}

template <class T> void fill_random(std::span<T> numbers, std::minstd_rand& generator) {
    constexpr double half_range = 1073741824; // 2^30: minstd_rand gives 1…2^31−2
    for (T& number : numbers) number = rounded<T>(static_cast<double>(generator()) / half_range - 1);
}

/// Calls f with a number of the precision's type.
template <class F> auto with_type_of(Precision precision, F&& f) {
    switch (precision) {
    case Precision::float32: return f(float{});
    case Precision::float16: return f(float16{});
    case Precision::bfloat16: return f(bfloat16{});
    case Precision::float64: break;
    }
    return f(double{});
}

/// Other libraries destroy half spectra of several dimensions even out of place.
bool writes_over_input(const Problem& problem) {
    return problem.placement == Placement::in_place ||
           (problem.kind == TransformKind::real_dft && problem.direction == Direction::backward);
}

} // namespace

int largest_exponent(Precision precision) {
    switch (precision) {
    case Precision::float16: return 15;
    case Precision::float32:
    case Precision::bfloat16: return 127;
    case Precision::float64: break;
    }
    return 1023;
}

ProblemData::ProblemData(const Problem& problem) : problem_(problem), arrays_(arrays_of(problem)) {
    const bool in_place = problem.placement == Placement::in_place;
    for (const Side side : {Side::input, Side::output}) {
        if (in_place && side == Side::output) break;
        Bytes bytes = bytes_of(problem, side);
        if (in_place) {
            const Bytes other = bytes_of(problem, Side::output);
            bytes = {std::min(bytes.lowest, other.lowest), std::max(bytes.end, other.end)};
        }
        const Precision precision = stored_precision(problem, side);
        place(side).real = allocate(bytes.lowest, bytes.end, precision);
        if (problem.layout == ComplexLayout::planar && is_complex(problem, side))
            place(side).imaginary = allocate(bytes.lowest, bytes.end, precision);
    }
    if (in_place) place(Side::output) = place(Side::input);
    for (const ProblemArray& array : arrays_) {
        const bool planar = array.is_complex && problem.layout == ComplexLayout::planar;
        const Integer parts = array.is_complex && !planar ? 2 : 1;
        const Integer bytes = parts * array.elements * real_bytes(array.precision);
        beside_.push_back(
            {allocate(0, bytes, array.precision), planar ? allocate(0, bytes, array.precision) : nullptr});
    }
}

std::byte* ProblemData::allocate(Integer lowest_byte, Integer end_byte, Precision precision) {
    precisions_.push_back(precision);
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
            .output_imaginary = out.imaginary,
            .arrays = beside_};
}

ProblemData::Place ProblemData::parts(Side side, Integer offset) const {
    const Place& from = place(side);
    const Integer scalar = real_bytes(stored_precision(problem_, side)), at = offset * scalar;
    if (!is_complex(problem_, side)) return {from.real + at, nullptr};
    if (from.imaginary != nullptr) return {from.real + at, from.imaginary + at};
    return {from.real + 2 * at, from.real + 2 * at + scalar};
}

ProblemData::Place ProblemData::parts_beside(std::size_t array, Integer index) const {
    const Integer scalar = real_bytes(arrays_[array].precision), at = index * scalar;
    const auto byte = [](const void* pointer) { return static_cast<std::byte*>(const_cast<void*>(pointer)); };
    std::byte* const real = byte(beside_[array].data);
    if (!arrays_[array].is_complex) return {real + at, nullptr};
    if (beside_[array].imaginary != nullptr) return {real + at, byte(beside_[array].imaginary) + at};
    return {real + 2 * at, real + 2 * at + scalar};
}

std::complex<double> ProblemData::read(const Place& element, Precision precision) const {
    const auto number = [&](const std::byte* part) -> double {
        if (part == nullptr) return 0;
        return with_type_of(precision, [&]<class T>(T) -> double {
            return static_cast<double>(*reinterpret_cast<const T*>(part));
        });
    };
    return {number(element.real), number(element.imaginary)};
}

void ProblemData::write(const Place& element, Precision precision, std::complex<double> value) {
    const auto write = [&](std::byte* part, double number) {
        if (part == nullptr) return;
        with_type_of(precision, [&]<class T>(T) { *reinterpret_cast<T*>(part) = rounded<T>(number); });
    };
    write(element.real, value.real());
    write(element.imaginary, value.imag());
}

std::complex<double> ProblemData::get(Side side, Integer offset) const {
    return read(parts(side, offset), stored_precision(problem_, side));
}
void ProblemData::set(Side side, Integer offset, std::complex<double> value) {
    write(parts(side, offset), stored_precision(problem_, side), value);
}
std::complex<double> ProblemData::get_beside(std::size_t array, Integer index) const {
    return read(parts_beside(array, index), arrays_[array].precision);
}
void ProblemData::set_beside(std::size_t array, Integer index, std::complex<double> value) {
    write(parts_beside(array, index), arrays_[array].precision, value);
}

void ProblemData::fill(std::uint32_t seed) {
    std::minstd_rand generator(seed);
    for (std::size_t k = 0; k < buffers_.size(); ++k)
        with_type_of(precisions_[k], [&]<class T>(T) { fill_random(buffers_[k].span_of<T>(), generator); });
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
    return {std::move(run), [this] { restore(); },
            runtime::applications_before_overflow(growth, largest_exponent(problem_.precision))};
}

} // namespace swirl::planning

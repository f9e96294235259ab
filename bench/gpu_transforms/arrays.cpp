#include "bench/gpu_transforms/arrays.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace swirl::bench {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool is_planar(const Problem& problem, Side side) {
    return problem.layout == ComplexLayout::planar && is_complex(problem, side);
}

/// Of one of its arrays.
std::size_t array_bytes(const Problem& problem, Side side) {
    const Extent reach = extent(problem, side);
    ensure(reach.lowest == 0, "the benchmark has no negative strides");
    return static_cast<std::size_t>((reach.highest + 1) * element_bytes(problem, side));
}

/// IEEE 754 binary16, rounded toward zero: the numbers are random anyway.
std::uint16_t half_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const int exponent = static_cast<int>(bits >> 23 & 0xffU) - 127;
    if (exponent < -14) return sign;
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 15) << 10 |
                                      (bits >> 13 & 0x3ffU));
}

long double value_of_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 0x1f;
    const long double fraction = (bits & 0x3ff) / 1024.0L;
    long double value = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    if (exponent == 0x1f) value = std::nanl("");
    return (bits & 0x8000) != 0 ? -value : value;
}

/// The next of a sequence without visible order (SplitMix64; Steele, Lea and Flood 2014), in −1…1.
double next_random(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
    mixed ^= mixed >> 31;
    return static_cast<double>(static_cast<std::int64_t>(mixed)) * 0x1p-63;
}

} // namespace

Parts parts_at(const Problem& problem, Side side, Integer offset) {
    if (!is_complex(problem, side)) return {offset, -1};
    if (!is_planar(problem, side)) return {2 * offset, 2 * offset + 1};
    const std::size_t imaginary = aligned(array_bytes(problem, side));
    return {offset, offset + static_cast<Integer>(imaginary) / real_bytes(problem.precision)};
}

std::size_t bytes_of(const Problem& problem, Side side) {
    const std::size_t bytes = array_bytes(problem, side);
    return is_planar(problem, side) ? aligned(bytes) + bytes : bytes;
}

RandomNumbers::RandomNumbers(Precision precision) : precision_(precision) {
    const auto size = static_cast<std::size_t>(real_bytes(precision));
    bytes_.resize(static_cast<std::size_t>(period) * size);
    std::uint64_t state = 1;
    const auto write = [&](std::size_t at, auto value) { std::memcpy(&bytes_[at], &value, sizeof value); };
    for (std::size_t at = 0; at < bytes_.size(); at += size) {
        const double value = next_random(state);
        if (size == 8) write(at, value);
        if (size == 4) write(at, static_cast<float>(value));
        if (size == 2) write(at, half_of(static_cast<float>(value)));
        values_.push_back(static_cast<double>(number_at(precision, &bytes_[at])));
    }
    values_.push_back(values_.front());
}

long double number_at(Precision precision, const std::byte* bytes) {
    const auto read = [&](auto value) {
        std::memcpy(&value, bytes, sizeof value);
        return value;
    };
    switch (precision) {
    case Precision::float64: return read(double{});
    case Precision::float32: return read(float{});
    default: return value_of_half(read(std::uint16_t{}));
    }
}

Arrays::Arrays(const runtime::GpuStream& stream, std::size_t input_bytes, std::size_t output_bytes)
    : stream_(stream) {
    for (std::size_t k = 0; k < sets; ++k) {
        inputs_.emplace_back(stream.device(), input_bytes);
        outputs_.emplace_back(stream.device(), output_bytes);
    }
}

void Arrays::prepare(Precision precision) {
    if (numbers_ && numbers_->precision() == precision) return;
    pattern_.reset();
    numbers_.emplace(precision);
    const std::size_t room = std::max(inputs_[0].bytes(), alignment);
    const std::size_t bytes = std::min(numbers_->bytes().size(), room);
    pattern_.emplace(stream_.device(), bytes);
    copy_to_gpu(stream_.device(), pattern_->address(), numbers_->bytes().data(), bytes);
}

void Arrays::fill(const Problem& problem) {
    prepare(problem.precision);
    const std::size_t reach = bytes_of(problem, Side::input);
    for (std::size_t set = 0; set < sets; ++set) {
        for (std::size_t at = 0; at < reach; at += pattern_->bytes())
            copy_on_gpu(stream_, input(set) + at, pattern_->address(),
                        std::min(pattern_->bytes(), reach - at));
        fill_on_gpu(stream_, output(set), 0xff, bytes_of(problem, Side::output));
    }
    stream_.synchronize();
}

planning::Arguments Arrays::arguments(const Problem& problem, std::size_t set) const {
    const auto at = [](runtime::cuda::Address address, Integer reals, const Problem& of) {
        return reals < 0 ? nullptr
                         : reinterpret_cast<void*>(
                               address + static_cast<std::size_t>(reals * real_bytes(of.precision)));
    };
    planning::Arguments result{reinterpret_cast<const void*>(input(set)),
                               reinterpret_cast<void*>(output(set))};
    if (is_planar(problem, Side::input))
        result.input_imaginary = at(input(set), parts_at(problem, Side::input, 0).imaginary, problem);
    if (is_planar(problem, Side::output))
        result.output_imaginary = at(output(set), parts_at(problem, Side::output, 0).imaginary, problem);
    return result;
}

} // namespace swirl::bench

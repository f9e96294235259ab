#include "bench/support/random_numbers.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace swirl::bench {
namespace {

template <class T> void write_as(double value, std::byte* to) {
    const T stored(static_cast<float>(value));
    std::memcpy(to, &stored, sizeof stored);
}
template <> void write_as<double>(double value, std::byte* to) { std::memcpy(to, &value, sizeof value); }

template <class T> double read_as(const std::byte* from) {
    T stored{};
    std::memcpy(&stored, from, sizeof stored);
    if constexpr (sizeof(T) == 2)
        return static_cast<double>(static_cast<float>(stored));
    else
        return static_cast<double>(stored);
}

template <class T> constexpr StoredType stored_as(std::string_view name) {
    return {name, sizeof(T), write_as<T>, read_as<T>};
}

constexpr int least_exponent = -6, fraction_bits = 3, bias = 7; // of E4M3

void write_e4m3(double value, std::byte* to) {
    const double magnitude = std::abs(value);
    const auto step_at = [](double x) {
        const int exponent = x == 0 ? least_exponent : std::max(std::ilogb(x), least_exponent);
        return std::ldexp(1.0, exponent - fraction_bits);
    };
    const double rounded = std::nearbyint(magnitude / step_at(magnitude)) * step_at(magnitude);
    const double step = step_at(rounded); // may have moved to the next binade
    const auto steps = static_cast<unsigned>(rounded / step);
    const unsigned exponent = static_cast<unsigned>(std::ilogb(step) + fraction_bits + bias);
    const bool is_normal = steps >= 1U << fraction_bits;
    const unsigned bits = is_normal ? exponent << fraction_bits | (steps - (1U << fraction_bits)) : steps;
    *to = static_cast<std::byte>(bits | (std::signbit(value) ? 0x80U : 0));
}

double read_e4m3(const std::byte* from) {
    const auto bits = static_cast<unsigned>(*from);
    if ((bits & 0x7fU) == 0x7fU) return std::numeric_limits<double>::quiet_NaN();
    const int exponent = static_cast<int>(bits >> fraction_bits & 0xfU);
    const double fraction = bits & 0x7U;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, least_exponent - fraction_bits)
                                           : std::ldexp(8 + fraction, exponent - bias - fraction_bits);
    return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

/// The next element of a pseudo-random sequence (SplitMix64; Steele, Lea and Flood 2014), in −1…1.
double next_random(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
    mixed ^= mixed >> 31;
    return static_cast<double>(static_cast<std::int64_t>(mixed)) * 0x1p-63;
}

} // namespace

const StoredType& stored(DataType precision) {
    static constexpr StoredType float64 = stored_as<double>("float64");
    static constexpr StoredType float32 = stored_as<float>("float32");
    static constexpr StoredType half = stored_as<float16>("float16");
    static constexpr StoredType brief = stored_as<bfloat16>("bfloat16");
    switch (precision) {
    case DataType::float64: return float64;
    case DataType::float32: return float32;
    case DataType::float16: return half;
    case DataType::bfloat16: return brief;
    default: throw InternalError("random elements of {}", name_of(precision));
    }
}

const StoredType& stored_e4m3() {
    static constexpr StoredType e4m3{"e4m3", 1, write_e4m3, read_e4m3};
    return e4m3;
}

RandomNumbers::RandomNumbers(const StoredType& type)
    : type_(&type), bytes_(static_cast<std::size_t>(period) * type.bytes) {
    std::uint64_t state = 1;
    for (std::size_t at = 0; at < bytes_.size(); at += type.bytes) {
        type.write(next_random(state), &bytes_[at]);
        values_.push_back(type.read(&bytes_[at]));
    }
    values_.push_back(values_.front());
}

RandomPattern::RandomPattern(const runtime::GpuStream& stream, const StoredType& type, Integer reach)
    : numbers_(type),
      pattern_(stream.device(),
               static_cast<std::size_t>(std::clamp<Integer>(reach, 1, RandomNumbers::period)) * type.bytes) {
    copy_to_gpu(stream.device(), pattern_.address(), numbers_.bytes().data(), pattern_.bytes());
}

bool RandomPattern::serves(const StoredType& type, Integer reach) const {
    const std::size_t needed = static_cast<std::size_t>(std::min(reach, RandomNumbers::period)) * type.bytes;
    return &numbers_.type() == &type && needed <= pattern_.bytes();
}

void RandomPattern::fill(const runtime::GpuStream& stream, runtime::cuda::Address to, std::size_t bytes,
                         Integer first) const {
    std::size_t from = static_cast<std::size_t>(first % RandomNumbers::period) * numbers_.type().bytes;
    const bool is_whole = pattern_.bytes() == numbers_.bytes().size();
    ensure(is_whole || from + bytes <= pattern_.bytes(), "more is filled than the pattern was made for");
    for (std::size_t at = 0; at < bytes; from = 0) {
        const std::size_t part = std::min(pattern_.bytes() - from, bytes - at);
        copy_on_gpu(stream, to + at, pattern_.address() + from, part);
        at += part;
    }
}

} // namespace swirl::bench

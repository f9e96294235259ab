#include "bench/support/stored_type.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
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
    if constexpr (std::is_class_v<T>)
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
    const auto spacing_at = [](double x) {
        const int exponent = x == 0 ? least_exponent : std::max(std::ilogb(x), least_exponent);
        return std::ldexp(1.0, exponent - fraction_bits);
    };
    const double rounded = std::nearbyint(magnitude / spacing_at(magnitude)) * spacing_at(magnitude);
    const double spacing = spacing_at(rounded); // may have moved to the next binade
    const auto multiple = static_cast<unsigned>(rounded / spacing);
    const unsigned exponent = static_cast<unsigned>(std::ilogb(spacing) + fraction_bits + bias);
    const bool is_normal = multiple >= 1U << fraction_bits;
    const unsigned bits =
        is_normal ? exponent << fraction_bits | (multiple - (1U << fraction_bits)) : multiple;
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

template <class T> void write_integer(double value, std::byte* to) {
    const T stored = static_cast<T>(std::nearbyint(value));
    std::memcpy(to, &stored, sizeof stored);
}

} // namespace

const StoredType& stored(DataType type) {
    static constexpr StoredType float64 = stored_as<double>("float64");
    static constexpr StoredType float32 = stored_as<float>("float32");
    static constexpr StoredType half = stored_as<float16>("float16");
    static constexpr StoredType brief = stored_as<bfloat16>("bfloat16");
    static constexpr StoredType e4m3{"float8_e4m3", 1, write_e4m3, read_e4m3};
    static constexpr StoredType int8{"int8", 1, write_integer<std::int8_t>, read_as<std::int8_t>};
    static constexpr StoredType int32{"int32", 4, write_integer<std::int32_t>, read_as<std::int32_t>};
    switch (type) {
    case DataType::float64: return float64;
    case DataType::float32: return float32;
    case DataType::float16: return half;
    case DataType::bfloat16: return brief;
    case DataType::float8_e4m3: return e4m3;
    case DataType::int8: return int8;
    case DataType::int32: return int32;
    default: throw UserError("the benchmark has no elements of {}", name_of(type));
    }
}

} // namespace swirl::bench

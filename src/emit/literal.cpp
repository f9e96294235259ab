#include "emit/literal.hpp"

#include "base/error.hpp"
#include "ir/rounding.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace swirl::emit {
namespace {

template <class Real> std::string real_literal(long double constant, const char* suffix, const char* type) {
    const Real value = static_cast<Real>(constant);
    if (std::isnan(value)) return fmt::format("static_cast<{}>(NAN)", type);
    if (std::isinf(value)) return fmt::format("static_cast<{}>({}INFINITY)", type, value < 0 ? "-" : "");
    std::string digits = fmt::format("{}", value);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    return digits + suffix;
}

} // namespace

std::string c_literal(long double value, DataType scalar) {
    switch (scalar) {
    case DataType::boolean: return value != 0 ? "true" : "false";
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32:
    case DataType::int64: return c_literal(static_cast<Integer>(value));
    case DataType::float32: return real_literal<float>(value, "f", "float");
    case DataType::float64: return real_literal<double>(value, "", "double");
    default: throw InternalError("no C literal of {}", name_of(scalar));
    }
}

std::string ptx_literal(long double constant, DataType scalar) {
    if (scalar == DataType::boolean) return constant != 0 ? "1" : "0";
    if (is_integer(scalar)) return fmt::format("{}", static_cast<Integer>(constant));
    const double value = ir::round_to(scalar, constant);
    if (scalar == DataType::float64) return fmt::format("0d{:016X}", std::bit_cast<std::uint64_t>(value));
    return fmt::format("0f{:08X}", std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

std::string bits_literal(long double constant, DataType scalar) {
    const double value = ir::round_to(scalar, constant);
    if (scalar == DataType::bfloat16)
        return fmt::format("0x{:04X}", std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
    // Scaled by 2^-112, the exponents of float16, subnormals too, become those of float32.
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::ldexp(value, -112)));
    const std::uint32_t sign = bits >> 16 & 0x8000U;
    if (std::isnan(value)) return fmt::format("0x{:04X}", sign | 0x7E00U);
    if (std::isinf(value)) return fmt::format("0x{:04X}", sign | 0x7C00U);
    return fmt::format("0x{:04X}", sign | (bits >> 13 & 0x7FFFU));
}

std::string c_literal(Integer value) {
    // C has no negative literals: the magnitude alone must fit.
    if (value == std::numeric_limits<Integer>::min()) return "-9223372036854775807 - 1";
    return fmt::format("{}", value);
}

} // namespace swirl::emit

#pragma once

#include <swirl/data_type.hpp>

#include <cstddef>
#include <string_view>

/// The data of benchmarks, element by element and in any data type.
namespace swirl::bench {

/// A real data type in memory. Values are rounded to nearest, ties to even.
struct StoredType {
    std::string_view name;
    std::size_t bytes = 0;
    void (*write)(double value, std::byte* to) = nullptr;
    double (*read)(const std::byte* from) = nullptr;
};

/// Floating-point types, int8 and int32. float8_e4m3 is E4M3 of "OCP 8-bit Floating Point Specification", revision 1.0:
/// 4 significant bits, from 2^-9 to 448; magnitudes written are below 448. Throws UserError for others.
const StoredType& stored(DataType type);

} // namespace swirl::bench

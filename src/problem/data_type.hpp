#pragma once

#include <swirl/data_type.hpp>

#include <optional>
#include <string_view>

namespace swirl {

/// "float32" and the like; "?" for what is no enumerator.
std::string_view name_of(DataType type);

/// The data type of this name; empty if there is none.
std::optional<DataType> data_type_named(std::string_view name);

/// Whether the value is one of DataType's enumerators.
bool is_data_type(DataType value);

/// Data types of transforms; the first is the default.
inline constexpr DataType transform_types[] = {DataType::float64, DataType::float32, DataType::float16,
                                               DataType::bfloat16};
bool is_transform_type(DataType type);
std::optional<DataType> transform_type_named(std::string_view name);

/// Data types of accumulators of matrix multiplications; the first is the default.
inline constexpr DataType accumulator_types[] = {DataType::float64, DataType::float32, DataType::complex64,
                                                 DataType::complex128, DataType::int32};
bool is_accumulator_type(DataType type);

/// Data types of A, B and C in memory that accumulators do not have.
inline constexpr DataType storage_types[] = {DataType::bfloat16, DataType::float16,     DataType::int8,
                                             DataType::uint8,    DataType::float8_e4m3, DataType::unorm8,
                                             DataType::snorm8,   DataType::unorm16,     DataType::snorm16};
bool is_storage_type(DataType type);

} // namespace swirl

#include "problem/data_type.hpp"

#include <algorithm>
#include <iterator>

namespace swirl {

namespace {

struct DataTypeName {
    DataType type;
    std::string_view text;
};
constexpr DataTypeName data_type_names[] = {
    {DataType::boolean, "boolean"},     {DataType::int8, "int8"},
    {DataType::uint8, "uint8"},         {DataType::int16, "int16"},
    {DataType::uint16, "uint16"},       {DataType::int32, "int32"},
    {DataType::int64, "int64"},         {DataType::float8_e4m3, "float8_e4m3"},
    {DataType::float16, "float16"},     {DataType::bfloat16, "bfloat16"},
    {DataType::float32, "float32"},     {DataType::float64, "float64"},
    {DataType::complex32, "complex32"}, {DataType::complex_bfloat16, "complex_bfloat16"},
    {DataType::complex64, "complex64"}, {DataType::complex128, "complex128"},
    {DataType::unorm8, "unorm8"},       {DataType::snorm8, "snorm8"},
    {DataType::unorm16, "unorm16"},     {DataType::snorm16, "snorm16"},
};

bool is_among(DataType type, const auto& types) {
    return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

} // namespace

std::string_view name_of(DataType type) {
    for (const DataTypeName& name : data_type_names)
        if (name.type == type) return name.text;
    return "?";
}

std::optional<DataType> data_type_named(std::string_view text) {
    for (const DataTypeName& name : data_type_names)
        if (name.text == text) return name.type;
    return std::nullopt;
}

bool is_data_type(DataType value) {
    return std::any_of(std::begin(data_type_names), std::end(data_type_names),
                       [&](const DataTypeName& name) { return name.type == value; });
}
bool is_transform_type(DataType type) { return is_among(type, transform_types); }
std::optional<DataType> transform_type_named(std::string_view name) {
    const std::optional<DataType> type = data_type_named(name);
    return type && is_transform_type(*type) ? type : std::nullopt;
}
bool is_accumulator_type(DataType type) { return is_among(type, accumulator_types); }
bool is_storage_type(DataType type) { return is_among(type, storage_types); }

} // namespace swirl

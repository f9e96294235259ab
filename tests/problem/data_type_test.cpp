#include "problem/data_type.hpp"

#include <swirl/element.hpp>

#include <gtest/gtest.h>

#include <iterator>
#include <set>

namespace swirl {
namespace data_type_test {

constexpr DataType all_types[] = {
    DataType::boolean,   DataType::int8,
    DataType::uint8,     DataType::int16,
    DataType::uint16,    DataType::int32,
    DataType::int64,     DataType::float8_e4m3,
    DataType::float16,   DataType::bfloat16,
    DataType::float32,   DataType::float64,
    DataType::complex32, DataType::complex_bfloat16,
    DataType::complex64, DataType::complex128,
    DataType::unorm8,    DataType::snorm8,
    DataType::unorm16,   DataType::snorm16,
};

TEST(DataTypes, HaveNamesThatNameThem) {
    std::set<std::string_view> names;
    for (const DataType type : all_types) {
        EXPECT_TRUE(is_data_type(type));
        EXPECT_EQ(data_type_named(name_of(type)), type) << name_of(type);
        EXPECT_TRUE(names.insert(name_of(type)).second) << name_of(type);
    }
    EXPECT_EQ(data_type_named("float"), std::nullopt);
    EXPECT_EQ(transform_type_named("complex64"), std::nullopt);
    constexpr auto none = static_cast<DataType>(99);
    EXPECT_FALSE(is_data_type(none));
    EXPECT_EQ(name_of(none), "?");
}

TEST(DataTypes, AreOfOneClass) {
    for (const DataType type : all_types)
        EXPECT_EQ(is_floating(type) + is_integer(type) + is_complex(type) + is_normalised(type) +
                      (type == DataType::boolean),
                  1)
            << name_of(type);
}

TEST(DataTypes, ComplexTypesAreTwoComponents) {
    for (const DataType type : all_types) {
        const DataType component = component_of(type);
        EXPECT_EQ(bytes_of(type), bytes_of(component) * (is_complex(type) ? 2 : 1)) << name_of(type);
        EXPECT_EQ(is_complex(type), component != type) << name_of(type);
        EXPECT_EQ(is_complex(type) ? complex_of(component) : type, type) << name_of(type);
    }
    for (const DataType type : transform_types)
        EXPECT_EQ(component_of(complex_of(type)), type) << name_of(type);
}

template <class T> void expect_element(DataType type) {
    EXPECT_EQ(data_type_of<T>(), type) << name_of(type);
    EXPECT_EQ(bytes_of(type), Integer{sizeof(T)}) << name_of(type);
}

TEST(DataTypes, AreThoseOfTheElementsOfCpp) {
    expect_element<float>(DataType::float32);
    expect_element<double>(DataType::float64);
    expect_element<std::complex<float>>(DataType::complex64);
    expect_element<std::complex<double>>(DataType::complex128);
    expect_element<float16>(DataType::float16);
    expect_element<bfloat16>(DataType::bfloat16);
    expect_element<complex_float16>(DataType::complex32);
    expect_element<complex_bfloat16>(DataType::complex_bfloat16);
    expect_element<float8_e4m3>(DataType::float8_e4m3);
    expect_element<unorm8>(DataType::unorm8);
    expect_element<snorm8>(DataType::snorm8);
    expect_element<unorm16>(DataType::unorm16);
    expect_element<snorm16>(DataType::snorm16);
    expect_element<std::int8_t>(DataType::int8);
    expect_element<std::uint8_t>(DataType::uint8);
    expect_element<std::int32_t>(DataType::int32);
    static_assert(is_matrix_element<std::complex<float>> && !is_matrix_element<complex_float16> &&
                  !is_matrix_element<complex_bfloat16> && !is_element<long double>);
}

} // namespace data_type_test
} // namespace swirl

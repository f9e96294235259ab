#pragma once

#include <swirl/arrays.hpp>
#include <swirl/problem.hpp>

#include "plan/gemm/values.hpp"
#include "plan/transform/cpu/plan.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Checks of the arguments of executions that need their types and extents. Plans check the pointers themselves.
namespace swirl::api {

/// What an execution takes for one array.
struct ArraySignature {
    std::string name;
    detail::ElementType type;
    Extent extent = {}; ///< in elements
    bool is_written = false;
    detail::ElementType also = {}; ///< another type that fits; unknown: none
};
/// The arrays that an execution of a transform takes, in order.
std::vector<ArraySignature> signature_of(const Transform& problem);

/// Whether an array fits one of this element type without a closer look: its type is the same or unknown, and it has no
/// extent to check.
inline bool fits_at_a_glance(const detail::ArrayArgument& array, const detail::ElementType& wanted) {
    return (array.type == wanted || array.type.known == detail::ElementType::Known::nothing) &&
           array.elements == detail::ArrayArgument::unknown;
}

/// Throws UserError unless an array fits, with the problem's text in the message.
void check_array(const std::string& problem, const ArraySignature& wanted,
                 const detail::ArrayArgument& array);

/// The arrays of a transform by role. Throws UserError if their count, an element type, constness or an extent does
/// not fit.
planning::Arguments arguments_of(const Transform& problem, std::span<const ArraySignature> signature,
                                 std::span<const detail::ArrayArgument> arrays);

/// A matrix of a product.
enum class Matrix : std::uint8_t { a, b, c };
/// Throws UserError if the element type or the extent of an array does not fit.
void check_matrix(const MatrixProduct& product, Matrix matrix, const detail::ArrayArgument& array);
/// Element types of A, B and C.
std::array<detail::ElementType, 3> element_types_of(const MatrixProduct& product);
/// Throws UserError if the type of an array of pointers does not fit.
void check_pointers(const MatrixProduct& product, Matrix matrix, const detail::ElementType& type);

/// α or β in the data type of a product's accumulators.
struct ScalarValue {
    alignas(16) std::array<std::byte, 16> bytes;
    planning::ScalarKind kind;
};
/// Throws UserError if the type cannot represent the value.
ScalarValue converted_scalar(DataType data_type, const char* name, const Scalar& scalar);
/// The same, without a call for the most frequent type.
inline ScalarValue scalar_value(DataType data_type, const char* name, const Scalar& scalar) {
    if (data_type != DataType::float64 || scalar.imaginary() != 0)
        return converted_scalar(data_type, name, scalar);
    ScalarValue result;
    const double value = scalar.real();
    std::memcpy(result.bytes.data(), &value, sizeof value);
    result.kind = planning::scalar_kind(value);
    return result;
}

/// An auxiliary array by its position in arrays_of(problem). `components`: one array, or two for planar complex data.
struct NamedArray {
    std::size_t position;
    planning::ArrayArgument data;
};
/// Throws UserError if there is no such array, if element types, the number of components, constness or extents do not
/// fit, and for null.
NamedArray array_named(const Problem& problem, std::string_view name,
                       std::span<const detail::ArrayArgument> components);
/// The position alone.
std::size_t array_named(const Problem& problem, std::string_view name);

} // namespace swirl::api

#include "api/arguments.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"
#include "problem/matrix_product.hpp"
#include "problem/problem.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <string>

namespace swirl::api {
namespace {

using detail::ArrayArgument;
using detail::ElementType;
using Known = ElementType::Known;

ElementType element_type(DataType type) {
    return {Known::type, static_cast<std::uint8_t>(bytes_of(type)), type};
}

std::string type_name(const ElementType& element) {
    if (element.known == Known::nothing) return "void";
    if (element.known == Known::bytes) return fmt::format("elements of {} bytes", element.bytes);
    switch (element.type) {
    case DataType::float32: return "float";
    case DataType::float64: return "double";
    case DataType::complex64: return "std::complex<float>";
    case DataType::complex128: return "std::complex<double>";
    case DataType::complex32: return "swirl::complex_float16";
    case DataType::int8:
    case DataType::uint8:
    case DataType::int32: return fmt::format("std::{}_t", name_of(element.type));
    default: return fmt::format("swirl::{}", name_of(element.type));
    }
}

/// void fits every type, and another library's type one of its size.
bool fits(const ElementType& given, const ElementType& wanted) {
    if (given.known == Known::nothing) return true;
    if (given.known == Known::bytes) return given.bytes == wanted.bytes;
    return given == wanted;
}

template <class AnyProblem>
void check_array(const AnyProblem& problem, const ArraySignature& wanted, const ArrayArgument& array) {
    const bool fits_also = wanted.also.known != Known::nothing && fits(array.type, wanted.also);
    if (!fits(array.type, wanted.type) && !fits_also)
        throw UserError("{} is an array of {}\n  problem: {}\n  it takes {}", wanted.name,
                        type_name(array.type), to_text(problem), type_name(wanted.type));
    if (wanted.is_written && array.is_const)
        throw UserError("{} is an array of const {}\n  problem: {}\n  the result is written there",
                        wanted.name, type_name(array.type), to_text(problem));
    if (array.elements == ArrayArgument::unknown) return;
    if (wanted.extent.lowest < 0)
        throw UserError(
            "{} reaches {} elements before the one with index 0, where a vector or span starts\n"
            "  problem: {}\n  give it as a pointer",
            wanted.name, -wanted.extent.lowest, to_text(problem));
    const Integer needed = (wanted.extent.highest + 1) * wanted.type.bytes;
    if (array.elements < static_cast<std::size_t>((needed + array.type.bytes - 1) / array.type.bytes))
        throw UserError("{} has {} elements of {}\n  problem: {}\n  it takes at least {}", wanted.name,
                        array.elements, type_name(array.type), to_text(problem),
                        (needed + array.type.bytes - 1) / array.type.bytes);
}

const char* word_of(Matrix matrix) { return matrix == Matrix::a ? "a" : matrix == Matrix::b ? "b" : "c"; }

DataType type_of(const MatrixProduct& product, Matrix matrix) {
    return matrix == Matrix::a   ? product.type_of_a()
           : matrix == Matrix::b ? product.type_of_b()
                                 : product.type_of_c();
}

bool is_result(const Problem& problem, std::size_t position) {
    const auto* const product = std::get_if<MatrixProduct>(&problem);
    return product != nullptr && position >= arrays_of(*product).size();
}

/// A problem's text.
struct ProblemText {
    const std::string& text;
    friend std::string to_text(const ProblemText& problem) { return problem.text; }
};

} // namespace

void check_array(const std::string& problem, const ArraySignature& wanted, const ArrayArgument& array) {
    check_array(ProblemText{problem}, wanted, array);
}

std::vector<ArraySignature> signature_of(const Transform& problem) {
    std::vector<ArraySignature> result;
    const bool is_planar = problem.layout == ComplexLayout::planar;
    // An in-place rdft has one array, passed either as reals or as complex pairs.
    const bool is_either =
        problem.kind == TransformKind::real_dft && problem.placement == Placement::in_place;
    for (const Side side : {Side::input, Side::output}) {
        const bool is_output = side == Side::output;
        const std::string name = is_output ? "output" : "input";
        const DataType real = stored_precision(problem, side), complex = complex_of(real);
        const bool has_complex = is_complex(problem, side);
        if (is_planar && has_complex) {
            const ElementType type = element_type(real);
            result.push_back({name + "_real", type, extent(problem, side), is_output});
            result.push_back({name + "_imaginary", type, extent(problem, side), is_output});
        } else {
            result.push_back({name, element_type(has_complex ? complex : real), extent(problem, side),
                              is_output,
                              is_either ? element_type(has_complex ? real : complex) : ElementType{}});
        }
    }
    return result;
}

namespace {

[[noreturn]] void reject_array_count(const Transform& problem, std::span<const ArraySignature> signature,
                                     std::size_t given) {
    std::vector<std::string_view> names;
    for (const ArraySignature& one : signature) names.push_back(one.name);
    throw UserError("execute() was given {} arrays\n  problem: {}\n  it takes {}: {}", given,
                    to_text(problem), signature.size(), fmt::join(names, ", "));
}

} // namespace

planning::Arguments arguments_of(const Transform& problem, std::span<const ArraySignature> signature,
                                 std::span<const ArrayArgument> arrays) {
    if (arrays.size() != signature.size()) reject_array_count(problem, signature, arrays.size());
    planning::Arguments arguments;
    for (std::size_t i = 0; i < signature.size(); ++i) {
        if (arrays[i].is_const || !fits_at_a_glance(arrays[i], signature[i].type))
            check_array(problem, signature[i], arrays[i]);
        const bool is_imaginary = i > 0 && signature[i - 1].is_written == signature[i].is_written;
        if (signature[i].is_written)
            (is_imaginary ? arguments.output_imaginary : arguments.output) = arrays[i].data;
        else
            (is_imaginary ? arguments.input_imaginary : arguments.input) = arrays[i].data;
    }
    return arguments;
}

std::array<ElementType, 3> element_types_of(const MatrixProduct& product) {
    return {element_type(product.type_of_a()), element_type(product.type_of_b()),
            element_type(product.type_of_c())};
}

void check_matrix(const MatrixProduct& product, Matrix matrix, const ArrayArgument& array) {
    const bool is_a = matrix == Matrix::a, is_c = matrix == Matrix::c;
    const Integer rows = matrix == Matrix::b ? product.k : product.rows;
    const Integer columns = is_a ? product.k : product.columns;
    ArraySignature wanted{word_of(matrix), element_type(type_of(product, matrix)), {}, is_c};
    const bool is_empty = rows == 0 || columns == 0 || product.batch == 0;
    wanted.extent = is_empty ? Extent{0, -1}
                             : extent_of(is_a   ? product.a
                                         : is_c ? product.c
                                                : product.b,
                                         rows, columns, product.batch);
    check_array(product, wanted, array);
}

void check_pointers(const MatrixProduct& product, Matrix matrix, const ElementType& type) {
    check_array(product, {word_of(matrix), element_type(type_of(product, matrix))},
                {nullptr, ArrayArgument::unknown, type, false});
}

namespace {

template <class T> ScalarValue stored(const T& value) {
    ScalarValue result;
    std::memcpy(result.bytes.data(), &value, sizeof value);
    result.kind = planning::scalar_kind(value);
    return result;
}

std::int32_t integer_of(const char* name, double value) {
    constexpr double end = 0x1p31;
    if (!(value >= -end && value < 2 * end) || value != std::floor(value))
        throw UserError("{} is {}, but the accumulators are int32\n  use an integer of 32 bits", name, value);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
}

} // namespace

ScalarValue converted_scalar(DataType data_type, const char* name, const Scalar& scalar) {
    if (data_type == DataType::complex128)
        return stored(std::complex<double>(scalar.real(), scalar.imaginary()));
    if (data_type == DataType::complex64)
        return stored(
            std::complex<float>(static_cast<float>(scalar.real()), static_cast<float>(scalar.imaginary())));
    if (scalar.imaginary() != 0)
        throw UserError("{} is {} + {}i, but the accumulators are {}\n  use a real number", name,
                        scalar.real(), scalar.imaginary(), name_of(data_type));
    if (data_type == DataType::float64) return stored(scalar.real());
    if (data_type == DataType::int32) return stored(integer_of(name, scalar.real()));
    return stored(static_cast<float>(scalar.real()));
}

std::size_t array_named(const Problem& problem, std::string_view name) {
    const std::vector<AuxiliaryArray> arrays = arrays_of(problem);
    std::vector<std::string> names;
    for (std::size_t position = 0; position < arrays.size(); ++position) {
        if (arrays[position].name == name) return position;
        names.push_back(arrays[position].name);
    }
    throw UserError("the problem has no array \"{}\"\n  problem: {}\n  {}", name, to_text(problem),
                    names.empty() ? std::string("it has no auxiliary arrays")
                                  : fmt::format("it has: {}", fmt::join(names, ", ")));
}

NamedArray array_named(const Problem& problem, std::string_view name,
                       std::span<const ArrayArgument> components) {
    const std::size_t position = array_named(problem, name);
    const AuxiliaryArray array = arrays_of(problem)[position];
    const auto* const transform = std::get_if<Transform>(&problem);
    const bool is_planar =
        transform != nullptr && array.is_complex && transform->layout == ComplexLayout::planar;
    if (components.size() != (is_planar ? 2U : 1U))
        throw UserError("array {} was given in {} components\n  problem: {}\n  its elements are {}", name,
                        components.size(), to_text(problem),
                        is_planar ? "planar: give the real and the imaginary components" : "in one array");
    const ArraySignature wanted{
        fmt::format("array {}", name),
        element_type(array.is_complex && !is_planar ? complex_of(array.precision) : array.precision),
        {0, array.elements - 1},
        is_result(problem, position)};
    for (const ArrayArgument& component : components) {
        check_array(problem, wanted, component);
        if (component.data == nullptr)
            throw UserError("array {} is null; it must point to the element with index 0", name);
    }
    return {position, {components[0].data, is_planar ? components[1].data : nullptr}};
}

} // namespace swirl::api

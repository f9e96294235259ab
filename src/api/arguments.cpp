#include "api/arguments.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"
#include "problem/syntax.hpp"

#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace swirl::api {
namespace {

/// An array that a problem's execution takes.
struct Role {
    std::string_view name;
    bool is_complex;
    bool is_output;
};

std::vector<Role> roles_of(const Transform& problem) {
    std::vector<Role> roles;
    const bool planar = problem.layout == ComplexLayout::planar;
    for (const Side side : {Side::input, Side::output}) {
        const bool is_output = side == Side::output;
        if (planar && is_complex(problem, side)) {
            roles.push_back({is_output ? "output_real" : "input_real", false, is_output});
            roles.push_back({is_output ? "output_imaginary" : "input_imaginary", false, is_output});
        } else {
            roles.push_back({is_output ? "output" : "input", is_complex(problem, side), is_output});
        }
    }
    return roles;
}

/// Type of an array's elements: pairs of components if they are complex.
DataType element_of(bool is_complex, DataType component) {
    return is_complex ? complex_of(component) : component;
}

/// As C++ writes it; arrays of other data types are no arguments of transforms.
std::string_view type_name(DataType element) {
    switch (element) {
    case DataType::float32: return "float";
    case DataType::float64: return "double";
    case DataType::complex64: return "std::complex<float>";
    case DataType::complex128: return "std::complex<double>";
    case DataType::float16: return "swirl::float16";
    case DataType::bfloat16: return "swirl::bfloat16";
    case DataType::complex32: return "swirl::complex_float16";
    case DataType::complex_bfloat16: return "swirl::complex_bfloat16";
    default: return name_of(element);
    }
}

std::string list_of(std::span<const Role> roles) {
    std::vector<std::string_view> names;
    for (const Role& role : roles) names.push_back(role.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

planning::Arguments arguments_of(const Transform& problem, std::span<const detail::Pointer> arrays) {
    const std::vector<Role> roles = roles_of(problem);
    if (arrays.size() != roles.size())
        throw UserError("execute() was given {} arrays\n  problem: {}\n  it takes {}: {}", arrays.size(),
                        to_text(problem), roles.size(), list_of(roles));

    // An in-place rdft has one array, passed either as reals or as complex pairs.
    const bool either = problem.kind == TransformKind::real_dft && problem.placement == Placement::in_place;
    planning::Arguments arguments;
    for (std::size_t i = 0; i < roles.size(); ++i) {
        const Role& role = roles[i];
        const DataType stored = stored_precision(problem, role.is_output ? Side::output : Side::input);
        const DataType wanted = element_of(role.is_complex, stored);
        const DataType other = element_of(!role.is_complex, stored);
        if (arrays[i].element != wanted && !(either && arrays[i].element == other))
            throw UserError("{} is an array of {}\n  problem: {}\n  it takes {}", role.name,
                            type_name(arrays[i].element), to_text(problem), type_name(wanted));
        if (role.is_output && arrays[i].is_const)
            throw UserError("{} is an array of const {}\n  problem: {}\n  the result is written there",
                            role.name, type_name(arrays[i].element), to_text(problem));
        const bool imaginary = i > 0 && roles[i - 1].is_output == role.is_output;
        if (role.is_output)
            (imaginary ? arguments.output_imaginary : arguments.output) = arrays[i].data;
        else
            (imaginary ? arguments.input_imaginary : arguments.input) = arrays[i].data;
    }
    return arguments;
}

std::size_t array_named(const Transform& problem, std::string_view name) {
    const std::vector<AuxiliaryArray> arrays = arrays_of(problem);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        if (arrays[k].name == name) return k;
        names.push_back(arrays[k].name);
    }
    throw UserError("the problem has no array \"{}\"\n  problem: {}\n  {}", name, to_text(problem),
                    names.empty() ? std::string("it has none beside input and output")
                                  : fmt::format("it has: {}", fmt::join(names, ", ")));
}

std::size_t array_named(const Transform& problem, std::string_view name,
                        std::span<const detail::Pointer> parts) {
    const std::size_t k = array_named(problem, name);
    const AuxiliaryArray array = arrays_of(problem)[k];
    const bool planar = array.is_complex && problem.layout == ComplexLayout::planar;
    if (parts.size() != (planar ? 2U : 1U))
        throw UserError("array {} was given in {} parts\n  problem: {}\n  its elements are {}", name,
                        parts.size(), to_text(problem),
                        planar ? "planar: give real and imaginary parts" : "in one array");
    const DataType wanted = element_of(array.is_complex && !planar, array.precision);
    for (const detail::Pointer& part : parts) {
        if (part.element != wanted)
            throw UserError("array {} is given as one of {}\n  problem: {}\n  it takes {}", name,
                            type_name(part.element), to_text(problem), type_name(wanted));
        if (part.data == nullptr)
            throw UserError("array {} is null; it must point at the element of index 0", name);
    }
    return k;
}

detail::Signature signature_of(const Transform& problem) {
    const std::vector<Role> roles = roles_of(problem);
    if (roles.size() != 2) return {};
    return {true, element_of(roles[0].is_complex, stored_precision(problem, Side::input)),
            element_of(roles[1].is_complex, stored_precision(problem, Side::output))};
}

} // namespace swirl::api

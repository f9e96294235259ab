#include "api/arguments.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"

#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace swirl::api {
namespace {

using detail::Element;

/// One array that a problem's execution takes.
struct Role {
    std::string_view name;
    bool is_complex;
    bool is_output;
};

std::vector<Role> roles_of(const Problem& problem) {
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

Element element_of(bool is_complex, Precision precision) {
    switch (precision) {
    case Precision::float32: return is_complex ? Element::complex32 : Element::float32;
    case Precision::float16: return is_complex ? Element::complex_float16 : Element::float16;
    case Precision::bfloat16: return is_complex ? Element::complex_bfloat16 : Element::bfloat16;
    case Precision::float64: break;
    }
    return is_complex ? Element::complex64 : Element::float64;
}

std::string_view type_name(Element element) {
    switch (element) {
    case Element::float32: return "float";
    case Element::float64: return "double";
    case Element::complex32: return "std::complex<float>";
    case Element::complex64: return "std::complex<double>";
    case Element::float16: return "swirl::float16";
    case Element::bfloat16: return "swirl::bfloat16";
    case Element::complex_float16: return "swirl::complex_float16";
    case Element::complex_bfloat16: return "swirl::complex_bfloat16";
    }
    return "?";
}

std::string list_of(std::span<const Role> roles) {
    std::vector<std::string_view> names;
    for (const Role& role : roles) names.push_back(role.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

planning::Arguments arguments_of(const Problem& problem, std::span<const detail::Pointer> arrays) {
    const std::vector<Role> roles = roles_of(problem);
    if (arrays.size() != roles.size())
        throw UserError("execute() was given {} arrays\n  problem: {}\n  it takes {}: {}", arrays.size(),
                        to_text(problem), roles.size(), list_of(roles));

    // An rdft in place has one array, which the caller may see as reals or as pairs.
    const bool either = problem.kind == TransformKind::real_dft && problem.placement == Placement::in_place;
    planning::Arguments arguments;
    for (std::size_t i = 0; i < roles.size(); ++i) {
        const Role& role = roles[i];
        const Element wanted = element_of(role.is_complex, problem.precision);
        const Element other = element_of(!role.is_complex, problem.precision);
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

detail::Signature signature_of(const Problem& problem) {
    const std::vector<Role> roles = roles_of(problem);
    if (roles.size() != 2) return {};
    return {true, element_of(roles[0].is_complex, problem.precision),
            element_of(roles[1].is_complex, problem.precision)};
}

} // namespace swirl::api

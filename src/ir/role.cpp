#include "ir/role.hpp"

#include <fmt/format.h>

namespace swirl::ir {

std::string_view name_of(ArgumentRole role) {
    switch (role) {
    case ArgumentRole::none: return "none";
    case ArgumentRole::input: return "input";
    case ArgumentRole::output: return "output";
    case ArgumentRole::data: return "data";
    case ArgumentRole::a: return "a";
    case ArgumentRole::b: return "b";
    case ArgumentRole::c: return "c";
    case ArgumentRole::a_pointers: return "a_pointers";
    case ArgumentRole::b_pointers: return "b_pointers";
    case ArgumentRole::c_pointers: return "c_pointers";
    case ArgumentRole::alpha: return "alpha";
    case ArgumentRole::beta: return "beta";
    case ArgumentRole::alpha_beta: return "alpha_beta";
    case ArgumentRole::auxiliary: return "auxiliary";
    case ArgumentRole::reduction: return "reduction";
    case ArgumentRole::prefetched: return "prefetched";
    case ArgumentRole::table: return "table";
    case ArgumentRole::workspace: return "workspace";
    case ArgumentRole::multiplies: return "multiplies";
    case ArgumentRole::reads_c: return "reads_c";
    }
    return "?";
}

std::string_view name_of(TableKind kind) {
    switch (kind) {
    case TableKind::none: return "table";
    case TableKind::twiddles: return "twiddles";
    case TableKind::constants: return "constants";
    case TableKind::index_table: return "index_table";
    case TableKind::joined: return "tables";
    }
    return "?";
}

std::string_view suffix_of(Component component) {
    switch (component) {
    case Component::both: return "";
    case Component::real: return "_re";
    case Component::imaginary: return "_im";
    }
    return "?";
}

std::string to_string(const Role& role) {
    std::string text(name_of(role.argument));
    if (role.argument == ArgumentRole::auxiliary || role.argument == ArgumentRole::reduction)
        text += fmt::format(" {}", role.index);
    if (role.component == Component::real) text += ", real";
    if (role.component == Component::imaginary) text += ", imaginary";
    return text;
}

} // namespace swirl::ir

#include "ir/print_tokens.hpp"

#include "ir/type_rules.hpp"

#include <fmt/format.h>

namespace swirl::ir {

std::string constant_text(long double value, DataType scalar) {
    if (scalar == DataType::float64) return fmt::format("{}", static_cast<double>(value));
    if (is_floating(scalar)) return fmt::format("{}", static_cast<float>(value));
    return fmt::format("{}", static_cast<Integer>(value));
}

std::string_view infix(Opcode opcode) {
    switch (opcode) {
    case Opcode::add: return " + ";
    case Opcode::subtract: return " - ";
    case Opcode::multiply: return " * ";
    case Opcode::divide: return " / ";
    case Opcode::bit_and: return " & ";
    case Opcode::bit_xor: return " ^ ";
    case Opcode::less: return " < ";
    default: return {};
    }
}

std::string_view relation_text(Condition::Relation relation) {
    switch (relation) {
    case Condition::Relation::negative: return " < 0";
    case Condition::Relation::nonnegative: return " >= 0";
    case Condition::Relation::zero: return " = 0";
    }
    return "?";
}

std::string role_line(const WarpRole& role) {
    std::string text = fmt::format("role {} of threads {} to {}", role.name, role.first_thread,
                                   role.first_thread + role.threads - 1);
    if (role.registers > 0) text += fmt::format(" with {} registers", role.registers);
    return text + ":";
}

std::string fence_line(const AsyncFence& fence) {
    const std::string_view what = fence.what == AsyncFence::What::stores       ? "copies"
                                  : fence.what == AsyncFence::What::tma_stores ? "stores of tiles"
                                                                               : "products of tiles";
    switch (fence.kind) {
    case AsyncFence::Kind::commit: return fmt::format("commit {}", what);
    case AsyncFence::Kind::begin: return fmt::format("begin {}", what);
    case AsyncFence::Kind::publish: return "publish stores";
    case AsyncFence::Kind::wait: break;
    }
    return fmt::format("wait until {} groups of {} are under way", fence.pending, what);
}

} // namespace swirl::ir

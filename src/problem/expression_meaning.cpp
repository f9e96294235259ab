#include "problem/expression.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;
using Type = ExpressionType;

[[noreturn]] void misfit(const ExpressionTerm& term, const std::string& what) {
    throw UserError("{}: \"{}\"", what, to_text(term));
}

void require_reals(const ExpressionTerm& term, const std::vector<Type>& operands, const char* what) {
    for (const Type type : operands)
        if (type != Type::real) misfit(term, what);
}

void require_numeric(const ExpressionTerm& term, const std::vector<Type>& operands) {
    for (const Type type : operands)
        if (type == Type::boolean) misfit(term, "arithmetic with a condition");
}

/// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) without cancellation.
double gelu(double x) {
    if (x < -40) return -0.0;
    const double argument = 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-argument));
}

} // namespace

ExpressionType type_of(const ExpressionTerm& term, bool x_is_complex) {
    std::vector<Type> operands;
    for (const ExpressionTerm& operand : term->operands) operands.push_back(type_of(operand, x_is_complex));
    const auto widest = [](Type a, Type b) { return std::max(a, b); };
    switch (term->kind) {
    case Kind::constant:
    case Kind::index: return Type::real;
    case Kind::x: return x_is_complex ? Type::complex : Type::real;
    case Kind::array: return term->is_complex ? Type::complex : Type::real;
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply: require_numeric(term, operands); return widest(operands[0], operands[1]);
    case Kind::divide:
        require_numeric(term, operands);
        require_reals(term, {operands[1]}, "division by a value that is not real");
        return operands[0];
    case Kind::negate:
    case Kind::conj: require_numeric(term, operands); return operands[0];
    case Kind::re:
    case Kind::im:
    case Kind::abs2: require_numeric(term, operands); return Type::real;
    case Kind::complex:
        require_reals(term, operands, "complex() of a value that is not real");
        return Type::complex;
    case Kind::min:
    case Kind::max: require_reals(term, operands, "order of a value that is not real"); return Type::real;
    case Kind::abs:
    case Kind::sqrt:
    case Kind::exp:
    case Kind::tanh:
    case Kind::sigmoid:
    case Kind::gelu:
        require_reals(term, operands, "a function of a value that is not real");
        return Type::real;
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal:
        require_reals(term, operands, "comparison of a value that is not real");
        return Type::boolean;
    case Kind::both:
    case Kind::either:
    case Kind::opposite:
        for (const Type type : operands)
            if (type != Type::boolean) misfit(term, "and, or, not of a value that is not a condition");
        return Type::boolean;
    case Kind::choose:
        if (operands[0] != Type::boolean) misfit(term, "a choice by a value that is not a condition");
        require_numeric(term, {operands[1], operands[2]});
        return widest(operands[1], operands[2]);
    }
    throw InternalError("unknown kind of expression");
}

namespace {

/// Limit of the constants of index forms; sums of two fit in 64 bits.
constexpr Integer largest_in_form = 1'000'000'000'000'000;

bool is_small(Integer value) { return value <= largest_in_form && value >= -largest_in_form; }

/// a + by·b; empty if a constant exceeds the limit.
std::optional<IndexForm> sum_of(IndexForm a, const IndexForm& b, Integer by) {
    const auto add = [by](Integer& to, Integer value) {
        const auto product = checked_multiply(by, value);
        if (!product || !is_small(*product)) return false;
        to += *product;
        return is_small(to);
    };
    if (!add(a.constant, b.constant)) return std::nullopt;
    for (const auto& [name, coefficient] : b.coefficients)
        if (!add(a.coefficients[name], coefficient)) return std::nullopt;
    return a;
}

} // namespace

std::optional<IndexForm> index_form(const ExpressionTerm& term) {
    const auto operand = [&](std::size_t k) { return index_form(term->operands[k]); };
    switch (term->kind) {
    case Kind::constant:
        if (term->constant != std::floor(term->constant) ||
            std::fabs(term->constant) > static_cast<double>(largest_in_form))
            return std::nullopt;
        return IndexForm{{}, static_cast<Integer>(term->constant)};
    case Kind::index: return IndexForm{{{term->name, 1}}, 0};
    case Kind::add:
    case Kind::subtract: {
        const auto a = operand(0), b = operand(1);
        if (!a || !b) return std::nullopt;
        return sum_of(*a, *b, term->kind == Kind::add ? 1 : -1);
    }
    case Kind::negate: {
        const auto a = operand(0);
        return a ? sum_of({}, *a, -1) : std::nullopt;
    }
    case Kind::multiply: {
        const auto a = operand(0), b = operand(1);
        if (!a || !b) return std::nullopt;
        if (!a->coefficients.empty() && !b->coefficients.empty()) return std::nullopt;
        const IndexForm& form = a->coefficients.empty() ? *b : *a;
        const Integer by = a->coefficients.empty() ? a->constant : b->constant;
        return sum_of({}, form, by);
    }
    default: return std::nullopt;
    }
}

std::optional<IndexCondition> index_condition(const ExpressionTerm& term) {
    using Relation = IndexCondition::Relation;
    if (term->kind == Kind::opposite) {
        auto inner = index_condition(term->operands[0]);
        if (!inner || inner->relation == Relation::zero) return std::nullopt;
        inner->relation = inner->relation == Relation::negative ? Relation::nonnegative : Relation::negative;
        return inner;
    }
    if (term->kind != Kind::less && term->kind != Kind::less_equal && term->kind != Kind::equal)
        return std::nullopt;
    const bool swaps = term->kind == Kind::less_equal; // a ≤ b as b − a ≥ 0
    const auto a = index_form(term->operands[swaps ? 1 : 0]), b = index_form(term->operands[swaps ? 0 : 1]);
    if (!a || !b) return std::nullopt;
    const auto difference = sum_of(*a, *b, -1);
    if (!difference) return std::nullopt;
    return IndexCondition{*difference, term->kind == Kind::less         ? Relation::negative
                                       : term->kind == Kind::less_equal ? Relation::nonnegative
                                                                        : Relation::zero};
}

std::optional<std::vector<IndexCondition>> index_conditions(const ExpressionTerm& term) {
    if (term->kind == Kind::both) {
        auto a = index_conditions(term->operands[0]), b = index_conditions(term->operands[1]);
        if (!a || !b) return std::nullopt;
        a->insert(a->end(), b->begin(), b->end());
        return a;
    }
    const auto condition = index_condition(term);
    if (!condition) return std::nullopt;
    return std::vector<IndexCondition>{*condition};
}

void for_each_term(const ExpressionTerm& term, const std::function<void(const ExpressionNode&)>& f) {
    if (!term) return;
    f(*term);
    for (const ExpressionTerm& operand : term->operands) for_each_term(operand, f);
}

std::vector<IndexCondition> needed_where(const ExpressionTree& tree) {
    std::vector<IndexCondition> result;
    const auto append = [&](const std::optional<std::vector<IndexCondition>>& more) {
        if (more) result.insert(result.end(), more->begin(), more->end());
    };
    if (tree.where) append(index_conditions(tree.where));
    const auto has_x = [](const ExpressionTerm& term) {
        bool found = false;
        for_each_term(term, [&](const ExpressionNode& node) { found = found || node.kind == Kind::x; });
        return found;
    };
    for (ExpressionTerm term = tree.value; term->kind == Kind::choose && !has_x(term->operands[2]);
         term = term->operands[1])
        append(index_conditions(term->operands[0]));
    return result;
}

std::complex<double> evaluate(const ExpressionTerm& term, const ExpressionValues& values) {
    std::vector<std::complex<double>> v;
    for (const ExpressionTerm& operand : term->operands) v.push_back(evaluate(operand, values));
    switch (term->kind) {
    case Kind::constant: return term->constant;
    case Kind::x: return values.x;
    case Kind::index: return static_cast<double>(values.index(term->name));
    case Kind::array: return values.array(*term);
    case Kind::add: return v[0] + v[1];
    case Kind::subtract: return v[0] - v[1];
    case Kind::multiply: return v[0] * v[1];
    case Kind::divide: return {v[0].real() / v[1].real(), v[0].imag() / v[1].real()};
    case Kind::negate: return -v[0];
    case Kind::conj: return std::conj(v[0]);
    case Kind::re: return v[0].real();
    case Kind::im: return v[0].imag();
    case Kind::complex: return {v[0].real(), v[1].real()};
    case Kind::abs2: return std::norm(v[0]);
    case Kind::min: return std::min(v[0].real(), v[1].real());
    case Kind::max: return std::max(v[0].real(), v[1].real());
    case Kind::abs: return std::fabs(v[0].real());
    case Kind::sqrt: return std::sqrt(v[0].real());
    case Kind::exp: return std::exp(v[0].real());
    case Kind::tanh: return std::tanh(v[0].real());
    case Kind::sigmoid: return 1 / (1 + std::exp(-v[0].real()));
    case Kind::gelu: return gelu(v[0].real());
    case Kind::less: return v[0].real() < v[1].real() ? 1 : 0;
    case Kind::less_equal: return v[0].real() <= v[1].real() ? 1 : 0;
    case Kind::equal: return v[0].real() == v[1].real() ? 1 : 0;
    case Kind::both: return v[0].real() * v[1].real();
    case Kind::either: return std::max(v[0].real(), v[1].real());
    case Kind::opposite: return 1 - v[0].real();
    case Kind::choose: return v[0].real() != 0 ? v[1] : v[2];
    }
    throw InternalError("unknown kind of expression");
}

} // namespace swirl

#include "loops/twiddle.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

void add_variables(std::vector<Variable>& variables, const Affine& form) {
    for (const auto& term : form.terms())
        if (std::find(variables.begin(), variables.end(), term.variable) == variables.end())
            variables.push_back(term.variable);
}

/// Variables on which a diagonal's entry really depends; empty if it is constant.
std::vector<Variable> dependence(const FoldedDiagonal& met, const Extents& extents) {
    std::vector<Variable> variables;
    if (std::holds_alternative<formula::ConstantFunction>(met.diagonal.function)) return variables;
    const auto* twiddle_function = std::get_if<formula::TwiddleFunction>(&met.diagonal.function);
    const auto index = evaluate(met.diagonal.index, met.index, extents);
    if (twiddle_function && index && !met.table) {
        const auto first = digit_of(twiddle_function->first, *index, extents);
        const auto second = digit_of(twiddle_function->second, *index, extents);
        if ((first && *first == Affine(0)) || (second && *second == Affine(0))) return variables;
        if (first && second) {
            add_variables(variables, *first);
            add_variables(variables, *second);
            return variables;
        }
    }
    if (index && !met.table) {
        add_variables(variables, *index);
        return variables;
    }
    add_variables(variables, met.index);
    if (met.table && met.index.coefficient(met.table->symbol) != 0) {
        std::erase(variables, met.table->symbol);
        for (Variable v : met.table->variables) add_variables(variables, Affine::of(v));
    }
    return variables;
}

formula::Complex value_at(const FoldedDiagonal& met, const IndexTable::Lookup& lookup,
                          formula::DiagonalValues& values) {
    const Integer index = met.index.evaluate([&](Variable v) {
        return met.table && v == met.table->symbol ? met.table->value(lookup) : lookup(v);
    });
    return values(met.diagonal.function, met.diagonal.index(index));
}

} // namespace

std::optional<Affine> digit_of(const formula::Digit& digit, const Affine& index, const Extents& extents) {
    auto shifted = divide(index, digit.divisor, extents);
    if (!shifted) return std::nullopt;
    auto reduced = divide(shifted->quotient, digit.modulus, extents);
    if (!reduced) return std::nullopt;
    return reduced->remainder;
}

Twiddle twiddle_of(const std::vector<FoldedDiagonal>& diagonals, const Extents& extents) {
    Twiddle twiddle;
    formula::DiagonalValues values;
    for (const FoldedDiagonal& met : diagonals) {
        if (std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function)) {
            twiddle.auxiliary.push_back(
                {.re = met.index, .im = met.index, .diagonals = {}, .table = met.table});
            continue;
        }
        const auto variables = dependence(met, extents);
        if (variables.empty()) {
            twiddle.constant *= value_at(
                met, [](Variable) { return Integer{0}; }, values);
            continue;
        }
        twiddle.varying.push_back(met);
        for (Variable v : variables) add_variables(twiddle.variables, Affine::of(v));
    }
    std::sort(twiddle.variables.begin(), twiddle.variables.end());
    return twiddle;
}

bool varies_with(const Twiddle& twiddle, const Affine& form) {
    return std::all_of(form.terms().begin(), form.terms().end(), [&](const Affine::Term& term) {
        return std::binary_search(twiddle.variables.begin(), twiddle.variables.end(), term.variable);
    });
}

void limit_to(Twiddle& twiddle, const Affine& limit) {
    twiddle.limit = limit;
    for (Location& location : twiddle.auxiliary) location.limit = limit;
}

formula::Complex value_of(const Twiddle& twiddle, const IndexTable::Lookup& lookup,
                          formula::DiagonalValues& values) {
    if (twiddle.limit && twiddle.limit->evaluate(lookup) >= 0) return 0;
    if (twiddle.varying.size() == 1 && twiddle.constant == formula::Complex(1))
        return value_at(twiddle.varying[0], lookup, values);
    formula::Complex value = twiddle.constant;
    for (const FoldedDiagonal& met : twiddle.varying) value *= value_at(met, lookup, values);
    return value;
}

} // namespace swirl::loops

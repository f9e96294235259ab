#include "loops/twiddle.hpp"

#include <algorithm>
#include <cstdlib>

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

/// Multiplies one of the diagonals by a chirp of the same order and index; removes it if the product is 1, as where a
/// convolution's two transforms meet. False if there is none.
bool multiply_chirp(std::vector<FoldedDiagonal>& diagonals, const FoldedDiagonal& met,
                    const Extents& extents) {
    const auto index = index_of<formula::ChirpFunction>(met, extents);
    if (!index) return false;
    const auto& own = std::get<formula::ChirpFunction>(met.diagonal.function);
    for (auto other = diagonals.begin(); other != diagonals.end(); ++other) {
        if (index_of<formula::ChirpFunction>(*other, extents) != index) continue;
        auto& chirp = std::get<formula::ChirpFunction>(other->diagonal.function);
        if (chirp.order != own.order) continue;
        const auto exponent = [](const formula::ChirpFunction& f) {
            return f.direction == Direction::forward ? f.factor : -f.factor;
        };
        const Integer product = exponent(chirp) + exponent(own);
        chirp.factor = std::abs(product);
        chirp.direction = product < 0 ? Direction::backward : Direction::forward;
        if (chirp.factor == 0) diagonals.erase(other);
        return true;
    }
    return false;
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
    if (diagonals.empty()) return twiddle;
    formula::DiagonalValues values;
    const auto vary_with = [&](const std::vector<Variable>& variables) {
        for (Variable v : variables) add_variables(twiddle.variables, Affine::of(v));
    };
    bool is_any_removed = false;
    for (const FoldedDiagonal& met : diagonals) {
        if (std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function)) {
            twiddle.auxiliary.push_back({.re = met.index,
                                         .im = met.index,
                                         .im_negative = met.conjugate,
                                         .diagonals = {},
                                         .table = met.table});
            continue;
        }
        const auto variables = dependence(met, extents);
        if (variables.empty()) {
            twiddle.constant *= value_at(
                met, [](Variable) { return Integer{0}; }, values);
            continue;
        }
        if (multiply_chirp(twiddle.varying, met, extents)) {
            is_any_removed = true; // the product may be 1
            continue;
        }
        twiddle.varying.push_back(met);
        vary_with(variables);
    }
    if (is_any_removed) {
        twiddle.variables.clear();
        for (const FoldedDiagonal& met : twiddle.varying) vary_with(dependence(met, extents));
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

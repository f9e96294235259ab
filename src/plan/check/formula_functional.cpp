#include "plan/check/formula_functional.hpp"

#include "base/integer.hpp"
#include "formula/properties.hpp"
#include "rules/accurate_transform.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

namespace swirl::planning {

namespace {

using Value = Row::Value;
using Vector = FormulaFunctionals::Vector;

Vector applied(const formula::Formula& factor, const Vector& x) {
    return formula::apply<double>(factor, x, rules::accurate_transform);
}

double largest_of(const Vector& vector) {
    double largest = 0;
    for (const Value& value : vector) largest = std::max(largest, std::abs(value));
    return largest;
}

/// Without overflow of squares.
double norm_of(const Vector& vector) {
    const double largest = largest_of(vector);
    if (largest == 0 || !std::isfinite(largest)) return largest;
    double sum = 0;
    for (const Value& value : vector) sum += std::norm(value / largest);
    return largest * std::sqrt(sum);
}

} // namespace

FormulaFunctionals::FormulaFunctionals(const formula::Formula& formula) {
    if (formula.is<formula::Product>())
        factors_.assign(formula.children().rbegin(), formula.children().rend());
    else
        factors_ = {formula};
    std::minstd_rand generator(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Vector x(static_cast<std::size_t>(formula.columns()));
    for (Value& value : x) value = {uniform(generator), uniform(generator)};
    largest_.push_back(1);
    for (const formula::Formula& factor : factors_) {
        x = applied(factor, x);
        largest_.push_back(largest_of(x));
    }
}

FormulaFunctionals::Functional FormulaFunctionals::of(Vector weights) const {
    Vector row = std::move(weights);
    double gain = norm_of(row) * largest_.back();
    for (std::size_t k = factors_.size(); k-- > 0;) {
        row = applied(formula::transpose(factors_[k]), row);
        gain += norm_of(row) * largest_[k];
    }
    auto values = std::make_shared<const Vector>(std::move(row));
    return {Row(static_cast<Integer>(values->size()),
                [values](Integer j) { return (*values)[static_cast<std::size_t>(j)]; }),
            gain};
}

Integer FormulaFunctionals::bytes_for(const formula::Formula& formula) {
    constexpr Integer vectors =
        6; // weights, those before and after a factor, a copy of its part, two rows that are kept
    return checked_multiply(formula::longest_vector(formula), vectors * Integer{sizeof(Value)})
        .value_or(Integer{1} << 60);
}

double FormulaFunctionals::largest() const { return *std::max_element(largest_.begin(), largest_.end()); }

} // namespace swirl::planning

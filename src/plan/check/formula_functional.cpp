#include "plan/check/formula_functional.hpp"

#include "rules/accurate_transform.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace swirl::planning {

using formula::Complex;

namespace {

using Vector = std::vector<Complex>;

double largest_of(const Vector& vector) {
    long double largest = 0;
    for (const Complex& value : vector) largest = std::max(largest, std::abs(value));
    return static_cast<double>(largest);
}

double norm_of(const Vector& vector) {
    long double sum = 0;
    for (const Complex& value : vector) sum += std::norm(value);
    return static_cast<double>(std::sqrt(sum));
}

} // namespace

FormulaFunctionals::FormulaFunctionals(const formula::Formula& formula) {
    if (formula.is<formula::Product>())
        factors_.assign(formula.children().rbegin(), formula.children().rend());
    else
        factors_ = {formula};
    std::minstd_rand generator(3);
    std::uniform_real_distribution<long double> uniform(-1, 1);
    Vector x(static_cast<std::size_t>(formula.columns()));
    for (Complex& value : x) value = {uniform(generator), uniform(generator)};
    largest_.push_back(1);
    for (const formula::Formula& factor : factors_) {
        x = formula::apply(factor, x, rules::accurate_transform);
        largest_.push_back(largest_of(x));
    }
}

FormulaFunctionals::Functional FormulaFunctionals::of(const std::vector<Complex>& weights) const {
    Vector row = weights;
    double gain = norm_of(row) * largest_.back();
    for (std::size_t k = factors_.size(); k-- > 0;) {
        row = formula::apply(formula::transpose(factors_[k]), row, rules::accurate_transform);
        gain += norm_of(row) * largest_[k];
    }
    auto values = std::make_shared<const std::vector<Row::Value>>(row.begin(), row.end());
    return {Row(static_cast<Integer>(row.size()),
                [values](Integer j) { return (*values)[static_cast<std::size_t>(j)]; }),
            gain};
}

double FormulaFunctionals::largest() const { return *std::max_element(largest_.begin(), largest_.end()); }

} // namespace swirl::planning

#include "formula/properties.hpp"

#include <algorithm>
#include <limits>

namespace swirl::formula {

namespace {

bool is_real(const Complex& value) { return value.imag() == 0; }

bool is_real(const std::vector<Complex>& values) {
    return std::all_of(values.begin(), values.end(), [](const Complex& value) { return is_real(value); });
}

bool is_real(const SharedList<Complex>& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!is_real(list.at(i))) return false;
    return true;
}

/// Of a function whose values are roots of unity.
bool has_real_values(const Diagonal& diagonal) {
    constexpr Integer most = Integer{1} << 16;
    if (diagonal.index.domain() > most || diagonal.index.has_variables()) return false;
    for (const Integer i : diagonal.index.values())
        if (!is_real(diagonal_value(diagonal.function, i))) return false;
    return true;
}

bool is_real(const Diagonal& diagonal) {
    if (const auto* constant = std::get_if<ConstantFunction>(&diagonal.function))
        return is_real(constant->value);
    if (const auto* list = std::get_if<ExplicitFunction>(&diagonal.function)) return is_real(list->values);
    if (const auto* twiddle = std::get_if<TwiddleFunction>(&diagonal.function);
        twiddle && twiddle->order <= 2)
        return true;
    return has_real_values(diagonal);
}

bool is_real_leaf(const Formula& f) {
    constexpr Integer longest_real_dft = 2; // the butterfly
    if (f.is<Dft>()) return f.rows() <= longest_real_dft;
    if (f.is<ChirpZ>()) return false;
    if (const auto* filter = f.get_if<FirFilter>()) return is_real(*filter->taps);
    if (const auto* circulant = f.get_if<Circulant>())
        return circulant->of_reals || (circulant->kernel && is_real(*circulant->kernel));
    if (const auto* diagonal = f.get_if<Diagonal>()) return is_real(*diagonal);
    if (const auto* matrix = f.get_if<Matrix>()) return is_real(matrix->entries);
    return true;
}

constexpr Integer saturated = std::numeric_limits<Integer>::max();
Integer saturating_times(Integer a, Integer b) { return checked_multiply(a, b).value_or(saturated); }

} // namespace

std::optional<Formula> find_complex(const Formula& formula) {
    if (formula.is<RealOf>()) return std::nullopt;
    if (formula.children().empty()) return is_real_leaf(formula) ? std::nullopt : std::optional(formula);
    for (const Formula& child : formula.children())
        if (auto found = find_complex(child)) return found;
    return std::nullopt;
}

bool has_real_transform(const Formula& formula) {
    if (formula.is<RealDft>() || formula.is<Dct>() || formula.is<Dst>() || formula.is<Dht>() ||
        formula.is<RealOf>())
        return true;
    return std::any_of(formula.children().begin(), formula.children().end(), has_real_transform);
}

Integer longest_vector(const Formula& formula) {
    const auto& children = formula.children();
    Integer longest = std::max(formula.rows(), formula.columns());
    if (formula.is<Kronecker>()) { // factors run one after the other, the last one first
        Integer before = formula.columns(), after = 1;
        for (auto factor = children.rbegin(); factor != children.rend(); ++factor) {
            before /= factor->columns();
            longest =
                std::max(longest, saturating_times(saturating_times(before, after), longest_vector(*factor)));
            after *= factor->rows();
        }
    } else if (formula.is<DirectSum>()) {
        Integer sum = 0;
        for (const Formula& child : children)
            sum = checked_add(sum, longest_vector(child)).value_or(saturated);
        longest = std::max(longest, sum);
    } else if (formula.is<ChirpZ>()) { // the convolution's points, at most
        longest = saturating_times(2, formula.rows() + formula.columns());
    } else if (formula.is<RealOf>()) {
        longest = std::max(longest, saturating_times(2, longest_vector(children.front())));
    } else {
        for (const Formula& child : children) longest = std::max(longest, longest_vector(child));
    }
    return longest;
}

} // namespace swirl::formula

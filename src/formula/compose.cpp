#include "formula/digits.hpp"

#include <algorithm>

namespace swirl::formula {

namespace {

/// A term coefficient·d, 0 ≤ d < count, of the inner value: a digit (which may be split in two) or a variable.
struct Term {
    Integer coefficient;
    Integer count;
    bool reversed;                    ///< d stands for count−1−d', so that every coefficient is positive
    std::optional<Variable> variable; ///< empty: a digit of the index
};

/// Digits of the inner value in the outer map's radices, derived term by term such that no carry occurs.
class Refinement {
public:
    Refinement(const DigitMap& outer, Integer domain) : outer_(outer), weights_(outer.radices.size()) {
        for (std::size_t j = weights_.size(), weight = 1; j-- > 0; weight *= outer.radices[j])
            weights_[j] = static_cast<Integer>(weight);
        slack_.assign(outer.radices.begin(), outer.radices.end());
        for (Integer& radix : slack_) --radix;
        result_.base = outer.base;
        result_.modulus = outer.modulus;
        domain_ = domain;
    }

    bool add_constant(Integer constant) {
        if (constant < 0 || constant >= domain_) return false;
        for (std::size_t j = 0; j < weights_.size(); ++j) {
            const Integer digit = constant / weights_[j] % outer_.radices[j];
            if ((slack_[j] -= digit) < 0) return false;
            result_.base += outer_.strides[j] * digit;
        }
        return true;
    }

    /// Appends the term's digits, most significant first; fails if they would carry.
    bool add(const Term& term) {
        if (term.count == 1) return true;
        if (term.coefficient == 0) {
            append(term, 0);
            return true;
        }
        const auto level = std::find_if(weights_.begin(), weights_.end(),
                                        [&](Integer weight) { return weight <= term.coefficient; });
        if (level == weights_.end()) return false;
        const auto j = static_cast<std::size_t>(level - weights_.begin());
        const Integer stride = term.coefficient / weights_[j];
        const bool aligned = term.coefficient % weights_[j] == 0 && outer_.radices[j] % stride == 0;
        const Integer fits = aligned ? outer_.radices[j] / stride : 0;
        if (aligned && !term.variable && term.count > fits && fits > 1 && term.count % fits == 0) {
            Term high = term, low = term;
            high.coefficient *= fits;
            high.count /= fits;
            low.count = fits;
            return add(high) && add(low);
        }
        return add_without_split(term);
    }

    DigitMap result() const { return merged(result_); }

private:
    bool add_without_split(const Term& term) {
        if (term.coefficient >= domain_) return false;
        Integer stride = 0;
        for (std::size_t j = 0; j < weights_.size(); ++j) {
            const Integer digit = term.coefficient / weights_[j] % outer_.radices[j];
            if (digit == 0) continue;
            const auto reach = checked_multiply(digit, term.count - 1);
            if (!reach || (slack_[j] -= *reach) < 0) return false;
            stride += digit * outer_.strides[j];
        }
        append(term, stride);
        return true;
    }

    void append(const Term& term, Integer stride) {
        if (term.reversed) {
            result_.base += stride * (term.count - 1);
            stride = -stride;
        }
        if (term.variable) {
            result_.base += Affine::of(*term.variable, stride);
        } else {
            result_.radices.push_back(term.count);
            result_.strides.push_back(stride);
        }
    }

    const DigitMap& outer_;
    Integer domain_ = 0;
    std::vector<Integer> weights_;
    std::vector<Integer> slack_; ///< remaining range of each outer digit
    DigitMap result_;
};

/// base + stride·(inner modulo m) as a single reduction, for a linear outer map.
std::optional<DigitMap> compose_linear(const DigitMap& outer, const DigitMap& inner) {
    if (outer.radices.size() > 1) return std::nullopt;
    const Integer stride = outer.radices.empty() ? 0 : outer.strides[0];
    const auto product = checked_multiply(stride, inner.modulus);
    if (!product || stride <= 0) return std::nullopt;
    DigitMap result = inner;
    for (Integer& inner_stride : result.strides) {
        const auto scaled = checked_multiply(inner_stride, stride);
        if (!scaled) return std::nullopt;
        inner_stride = *scaled;
    }
    result.base = outer.base + inner.base * stride;
    if (outer.modulus != 0) {
        if (*product % outer.modulus != 0) return std::nullopt;
        result.modulus = outer.modulus;
        return merged(result);
    }
    // base + stride·(v modulo m) = (base + stride·v) modulo stride·m while 0 ≤ base < stride
    const Integer base = outer.base.constant();
    if (!outer.base.is_constant() || base < 0 || base >= stride) return std::nullopt;
    result.modulus = *product;
    return merged(result);
}

} // namespace

std::optional<DigitMap> compose_digits(const DigitMap& outer_map, Integer outer_domain,
                                       const DigitMap& inner_map) {
    const DigitMap outer = merged(outer_map), inner = merged(inner_map);
    if (inner.modulus != 0) return compose_linear(outer, inner);
    std::vector<Term> terms;
    Integer constant = inner.base.constant(), reach = 0;
    const auto add = [&](Integer coefficient, Integer count, std::optional<Variable> variable) {
        if (coefficient < 0) constant += coefficient * (count - 1);
        reach += std::abs(coefficient) * (count - 1);
        terms.push_back({std::abs(coefficient), count, coefficient < 0, variable});
    };
    for (std::size_t q = 0; q < inner.radices.size(); ++q)
        add(inner.strides[q], inner.radices[q], std::nullopt);
    const Integer slack = outer_domain - 1 - constant - reach;
    for (const Affine::Term& term : inner.base.terms()) {
        if (term.coefficient < 0) return std::nullopt;
        add(term.coefficient, slack / term.coefficient + 1, term.variable);
    }
    Refinement refinement(outer, outer_domain);
    if (!refinement.add_constant(constant)) return std::nullopt;
    for (const Term& term : terms)
        if (!refinement.add(term)) return std::nullopt;
    return refinement.result();
}

namespace {

/// The values as a digit map if they have that form, else as a table.
IndexMap from_values(std::vector<Integer> values, Integer range) {
    const auto domain = static_cast<Integer>(values.size());
    for (const Integer modulus : {Integer{0}, range})
        if (auto digits = recognise_digits(values, modulus)) return {domain, range, merged(*digits)};
    return IndexMap::table(std::move(values), range);
}

} // namespace

IndexMap IndexMap::canonical() const {
    if (const auto* digits = std::get_if<DigitMap>(&kind_)) return {domain_, range_, merged(*digits)};
    if (std::holds_alternative<TableMap>(kind_)) return from_values(values(), range_);
    if (const auto* pieces = std::get_if<PiecewiseMap>(&kind_)) {
        PiecewiseMap result;
        for (const DigitMap& piece : pieces->pieces) result.pieces.push_back(merged(piece));
        return {domain_, range_, std::move(result)};
    }
    return *this;
}

IndexMap IndexMap::inverse() const {
    ensure(is_permutation(), "inverse of an index map {} → {} that is no permutation", domain_, range_);
    if (const auto* digits = std::get_if<DigitMap>(&kind_)) {
        ensure(digits->base.is_constant(), "inverse of an index map that names variables");
        if (auto inverse = inverse_digits(*digits, domain_)) return {domain_, range_, merged(*inverse)};
    }
    const std::vector<Integer> forward = values();
    std::vector<Integer> backward(forward.size());
    for (std::size_t i = 0; i < forward.size(); ++i)
        backward[static_cast<std::size_t>(forward[i])] = static_cast<Integer>(i);
    return from_values(std::move(backward), range_);
}

std::optional<IndexMap> try_compose(const IndexMap& outer, const IndexMap& inner) {
    ensure(outer.domain_ == inner.range_, "index map on {} after an index map into {}", outer.domain_,
           inner.range_);
    if (outer.is_identity()) return inner;
    if (inner.is_identity()) return outer;
    const auto* outer_digits = std::get_if<DigitMap>(&outer.kind_);
    const auto* inner_digits = std::get_if<DigitMap>(&inner.kind_);
    if (outer_digits && inner_digits)
        if (auto digits = compose_digits(*outer_digits, outer.domain_, *inner_digits))
            return IndexMap(inner.domain_, outer.range_, std::move(*digits));
    if (outer.has_variables() || inner.has_variables()) return std::nullopt;
    const std::vector<Integer> table = outer.values();
    std::vector<Integer> values = inner.values();
    for (Integer& value : values) value = table[static_cast<std::size_t>(value)];
    return from_values(std::move(values), outer.range_);
}

IndexMap compose(const IndexMap& outer, const IndexMap& inner) {
    auto result = try_compose(outer, inner);
    ensure(result.has_value(), "composition of index maps {} → {} → {} with variables has no digits",
           inner.domain_, inner.range_, outer.range_);
    return *std::move(result);
}

namespace {

/// (i, j) ↦ (a(i), b(j)), where b has no modulus.
DigitMap tensor_product(const DigitMap& a, const DigitMap& b, Integer b_range) {
    // (v modulo m)·r + w = (v·r + w) modulo m·r for 0 ≤ w < r
    DigitMap result = a;
    for (Integer& stride : result.strides) stride *= b_range;
    result.base = result.base * b_range + b.base;
    result.modulus *= b_range;
    result.radices.insert(result.radices.end(), b.radices.begin(), b.radices.end());
    result.strides.insert(result.strides.end(), b.strides.begin(), b.strides.end());
    return result;
}

} // namespace

IndexMap tensor(const IndexMap& a, const IndexMap& b) {
    const auto domain = checked_multiply(a.domain_, b.domain_), range = checked_multiply(a.range_, b.range_);
    ensure(domain && range, "tensor product of index maps {} → {} and {} → {} overflows", a.domain_, a.range_,
           b.domain_, b.range_);
    if (a.domain_ == 1 && a.range_ == 1) return b;
    if (b.domain_ == 1 && b.range_ == 1) return a;
    const auto* a_digits = std::get_if<DigitMap>(&a.kind_);
    const auto* b_digits = std::get_if<DigitMap>(&b.kind_);
    if (b_digits) {
        const DigitMap inner = merged(*b_digits);
        if (a_digits && inner.modulus == 0)
            return IndexMap(*domain, *range, tensor_product(merged(*a_digits), inner, b.range_)).canonical();
        const auto* pieces = std::get_if<PiecewiseMap>(&a.kind_);
        if (pieces && inner.modulus == 0 && inner.base.is_constant()) {
            PiecewiseMap result;
            for (const DigitMap& piece : pieces->pieces)
                result.pieces.push_back(merged(tensor_product(merged(piece), inner, b.range_)));
            return {*domain, *range, std::move(result)};
        }
    }
    ensure(!a.has_variables() && !b.has_variables(),
           "tensor product of index maps with variables has no digits");
    const std::vector<Integer> outer = a.values(), inner = b.values();
    std::vector<Integer> values;
    values.reserve(outer.size() * inner.size());
    for (const Integer high : outer)
        for (const Integer low : inner) values.push_back(high * b.range_ + low);
    return from_values(std::move(values), *range);
}

} // namespace swirl::formula

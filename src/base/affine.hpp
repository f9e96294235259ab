#pragma once

#include "base/hash.hpp"
#include "base/inline_vector.hpp"
#include "base/integer.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace swirl {

/// A loop variable, thread or block index, or integer kernel parameter; an index into its owner's table.
using Variable = int;

/// constant + Σ coefficient·variable, terms sorted by variable, no zero coefficients.
class Affine {
public:
    struct Term {
        Variable variable;
        Integer coefficient;
        auto operator<=>(const Term&) const = default;
    };
    /// Most addresses depend on one to three loops.
    using Terms = InlineVector<Term, 3>;

    Affine(Integer constant = 0) : constant_(constant) {} // NOLINT: an integer is an affine form
    static Affine of(Variable variable, Integer coefficient = 1) {
        Affine form;
        if (coefficient != 0) form.terms_.push_back({variable, coefficient});
        return form;
    }

    Integer constant() const { return constant_; }
    const Terms& terms() const { return terms_; }
    bool is_constant() const { return terms_.empty(); }

    Integer coefficient(Variable variable) const {
        for (const Term& term : terms_)
            if (term.variable == variable) return term.coefficient;
        return 0;
    }

    Affine& operator+=(const Affine& other) { return add_scaled(other, 1); }
    Affine& operator-=(const Affine& other) { return add_scaled(other, -1); }
    Affine& operator*=(Integer factor) {
        if (factor == 0) return *this = Affine();
        constant_ *= factor;
        for (Term& term : terms_) term.coefficient *= factor;
        return *this;
    }
    friend Affine operator+(Affine a, const Affine& b) { return a += b; }
    friend Affine operator-(Affine a, const Affine& b) { return a -= b; }
    friend Affine operator*(Affine a, Integer factor) { return a *= factor; }
    friend Affine operator*(Integer factor, Affine a) { return a *= factor; }
    bool operator==(const Affine&) const = default;
    auto operator<=>(const Affine&) const = default;

    /// The form with `value` substituted for `variable`.
    Affine substitute(Variable variable, const Affine& value) const {
        const Integer factor = coefficient(variable);
        if (factor == 0) return *this;
        Affine result = *this;
        result.add_scaled(of(variable), -factor);
        return result.add_scaled(value, factor);
    }

    /// Value under an environment: `lookup(variable)` gives each variable's value.
    template <class Lookup> Integer evaluate(Lookup&& lookup) const {
        Integer sum = constant_;
        for (const Term& term : terms_) sum += term.coefficient * lookup(term.variable);
        return sum;
    }

    std::size_t hash() const {
        std::size_t seed = static_cast<std::size_t>(constant_);
        for (const Term& term : terms_)
            seed = mix_hash(mix_hash(seed, static_cast<std::uint64_t>(term.variable)),
                            static_cast<std::uint64_t>(term.coefficient));
        return seed;
    }

private:
    Affine& add_scaled(const Affine& other, Integer factor) {
        constant_ += factor * other.constant_;
        for (const Term& term : other.terms_) {
            auto at = std::lower_bound(terms_.begin(), terms_.end(), term.variable,
                                       [](const Term& t, Variable v) { return t.variable < v; });
            if (at == terms_.end() || at->variable != term.variable)
                terms_.insert(at, {term.variable, factor * term.coefficient});
            else if ((at->coefficient += factor * term.coefficient) == 0)
                terms_.erase(at);
        }
        return *this;
    }

    Integer constant_ = 0;
    Terms terms_;
};

} // namespace swirl

#include "lower/straight_line.hpp"

#include "base/fork_gate.hpp"
#include "formula/roots_of_unity.hpp"
#include "rules/cost.hpp"
#include "rules/rule.hpp"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace swirl::lower {

using namespace formula;

namespace {

/// The breakdowns that straight-line code takes. They are few, many kernels have the same, and each takes longer to find than
/// to evaluate.
class Breakdowns {
public:
    static Breakdowns& of_process() {
        static auto& all = *new Breakdowns; // never destroyed: may be in use at exit
        return all;
    }

    Formula of(const Formula& nonterminal) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto known = find(nonterminal)) return *known;
        }
        Formula found = rules::expand(nonterminal, rules::cheapest_straight_line(nonterminal));
        const std::lock_guard lock(mutex_);
        if (known_.size() == most) known_.clear();
        known_.emplace(nonterminal.hash(), std::pair(nonterminal, found));
        return found;
    }

private:
    static constexpr std::size_t most = 1024;

    std::optional<Formula> find(const Formula& nonterminal) const {
        const auto [begin, end] = known_.equal_range(nonterminal.hash());
        for (auto at = begin; at != end; ++at)
            if (at->second.first == nonterminal) return at->second.second;
        return std::nullopt;
    }

    ForkSafeMutex mutex_;
    std::unordered_multimap<std::size_t, std::pair<Formula, Formula>> known_; ///< by hash
};

using Vector = std::vector<Scaled>;

/// Evaluates a formula on symbolic values; one member per payload, in the order of formula.hpp.
class Evaluator {
public:
    explicit Evaluator(Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

    Vector operator()(const Formula& formula, Vector x) {
        if (is_nonterminal(formula)) return (*this)(broken_down(formula), std::move(x));
        return std::visit([&](const auto& payload) { return evaluate(payload, formula, std::move(x)); },
                          formula.payload());
    }

private:
    /// Factors of a Kronecker product are applied to many columns: each is broken down once.
    Formula broken_down(const Formula& nonterminal) {
        for (const auto& [known, breakdown] : breakdowns_)
            if (known == nonterminal) return breakdown;
        return breakdowns_.emplace_back(nonterminal, Breakdowns::of_process().of(nonterminal)).second;
    }

    Vector evaluate(const Identity&, const Formula&, Vector x) { return x; }

    template <class Term> Vector evaluate(const Term&, const Formula&, Vector) {
        throw InternalError("a transform without a breakdown reached straight-line evaluation");
    }

    Vector evaluate(const Permutation& p, const Formula&, Vector x) { return read(p.map, x); }
    Vector evaluate(const Gather& g, const Formula&, Vector x) { return read(g.map, x); }

    Vector evaluate(const Scatter& s, const Formula&, Vector x) {
        Vector y(static_cast<std::size_t>(s.map.range()));
        for (Integer i = 0; i < s.map.domain(); ++i) y[index(s.map, i)] = x[static_cast<std::size_t>(i)];
        return y;
    }

    Vector evaluate(const Diagonal& d, const Formula&, Vector x) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = arithmetic_.multiply(
                x[i],
                diagonal_value(d.function, static_cast<Integer>(index(d.index, static_cast<Integer>(i))),
                               spectra_));
        return x;
    }

    Vector evaluate(const Matrix& m, const Formula& formula, Vector x) {
        Vector y(static_cast<std::size_t>(formula.rows()));
        const std::size_t columns = x.size();
        for (std::size_t r = 0; r < y.size(); ++r)
            for (std::size_t c = 0; c < columns; ++c)
                y[r] = arithmetic_.add(y[r], arithmetic_.multiply(x[c], m.entries[r * columns + c]));
        return y;
    }

    Vector evaluate(const Product&, const Formula& formula, Vector x) {
        for (std::size_t k = formula.children().size(); k-- > 0;)
            x = (*this)(formula.children()[k], std::move(x));
        return x;
    }

    /// A ⊗ B ⊗ C = (A ⊗ I ⊗ I)(I ⊗ B ⊗ I)(I ⊗ I ⊗ C), right to left.
    Vector evaluate(const Kronecker&, const Formula& formula, Vector x) {
        std::size_t right = 1;
        for (std::size_t k = formula.children().size(); k-- > 0;) {
            const Formula& factor = formula.children()[k];
            if (!factor.is<Identity>()) x = apply_between_identities(factor, x, right);
            right *= static_cast<std::size_t>(factor.rows());
        }
        return x;
    }

    Vector evaluate(const DirectSum&, const Formula& formula, Vector x) {
        Vector y;
        auto at = x.begin();
        for (const Formula& summand : formula.children()) {
            const auto end = at + summand.columns();
            for (Scaled& value : (*this)(summand, Vector(at, end))) y.push_back(value);
            at = end;
        }
        return y;
    }

    Vector evaluate(const IterativeSum& sum, const Formula& formula, Vector x) {
        Vector y(static_cast<std::size_t>(formula.rows()));
        for (Integer i = 0; i < sum.count; ++i) {
            variables_.emplace_back(sum.variable, i);
            const Vector term = (*this)(formula.children()[0], x);
            variables_.pop_back();
            for (std::size_t k = 0; k < y.size(); ++k) y[k] = arithmetic_.add(y[k], term[k]);
        }
        return y;
    }

    Vector evaluate(const RealOf&, const Formula& formula, Vector x) {
        Vector pairs(x.size() / 2);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Scaled re = arithmetic_.settle(x[2 * i]), im = arithmetic_.settle(x[2 * i + 1]);
            pairs[i] = {re.re, im.re};
        }
        Vector y;
        for (const Scaled& value : (*this)(formula.children()[0], std::move(pairs))) {
            y.push_back({value.re, {}, value.scale});
            y.push_back({value.im, {}, value.scale});
        }
        return y;
    }

    Vector evaluate(const Tagged&, const Formula& formula, Vector x) {
        return (*this)(formula.children()[0], std::move(x));
    }
    /// (I ⊗ factor ⊗ I_right) x.
    Vector apply_between_identities(const Formula& factor, const Vector& x, std::size_t right) {
        const auto rows = static_cast<std::size_t>(factor.rows());
        const auto columns = static_cast<std::size_t>(factor.columns());
        const std::size_t left = x.size() / (columns * right);
        Vector y(left * rows * right);
        for (std::size_t a = 0; a < left; ++a)
            for (std::size_t b = 0; b < right; ++b) {
                Vector column(columns);
                for (std::size_t k = 0; k < columns; ++k) column[k] = x[(a * columns + k) * right + b];
                column = (*this)(factor, std::move(column));
                for (std::size_t k = 0; k < rows; ++k) y[(a * rows + k) * right + b] = column[k];
            }
        return y;
    }

    Vector read(const IndexMap& map, const Vector& x) {
        Vector y;
        y.reserve(static_cast<std::size_t>(map.domain()));
        for (Integer i = 0; i < map.domain(); ++i) y.push_back(x[index(map, i)]);
        return y;
    }

    std::size_t index(const IndexMap& map, Integer i) const {
        return static_cast<std::size_t>(map(i, [this](Variable variable) {
            for (auto at = variables_.rbegin(); at != variables_.rend(); ++at)
                if (at->first == variable) return at->second;
            throw InternalError("iterative-sum variable {} has no value", variable);
        }));
    }

    Arithmetic& arithmetic_;
    DiagonalValues spectra_;
    std::vector<std::pair<Formula, Formula>> breakdowns_; ///< of nonterminals
    std::vector<std::pair<Variable, Integer>> variables_; ///< of enclosing iterative sums, innermost last
};

} // namespace

std::vector<Scaled> straight_line(const Formula& formula, std::vector<Scaled> x, Arithmetic& arithmetic) {
    ensure(static_cast<Integer>(x.size()) == formula.columns(),
           "straight_line: {} inputs for a formula of {} columns", x.size(), formula.columns());
    return Evaluator(arithmetic)(formula, std::move(x));
}

} // namespace swirl::lower

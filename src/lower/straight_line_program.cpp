#include "lower/straight_line_program.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "formula/roots_of_unity.hpp"
#include "rules/cost.hpp"
#include "rules/rule.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace swirl::lower {

using namespace formula;

namespace {

using Value = StraightLineProgram::Value;
using Kind = StraightLineProgram::Step::Kind;
using Vector = std::vector<Value>;

/// Writes down the steps of a formula; one member per payload, in the order of formula.hpp.
class Recorder {
public:
    StraightLineProgram run(const Formula& formula) {
        program_.inputs = static_cast<std::size_t>(formula.columns());
        Vector x(program_.inputs);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<Value>(k + 1);
        next_ = static_cast<Value>(x.size() + 1);
        program_.results = visit(formula, std::move(x));
        return std::move(program_);
    }

private:
    Vector operator()(const Formula& formula, Vector x) {
        if (is_nonterminal(formula)) return apply(*straight_line_program(formula), x);
        return visit(formula, std::move(x));
    }

    Vector visit(const Formula& formula, Vector x) {
        return std::visit([&](const auto& payload) { return evaluate(payload, formula, std::move(x)); },
                          formula.payload());
    }

    Value append(Kind kind, Value a, Value b = StraightLineProgram::zero) {
        program_.steps.push_back({kind, a, b});
        return next_++;
    }
    Value add(Value a, Value b) {
        if (a == StraightLineProgram::zero) return b;
        return b == StraightLineProgram::zero ? a : append(Kind::add, a, b);
    }
    Value multiply(Value a, const Complex& factor) {
        if (a == StraightLineProgram::zero) return a;
        program_.constants.push_back(factor);
        return append(Kind::multiply, a, static_cast<Value>(program_.constants.size() - 1));
    }

    Vector apply(const StraightLineProgram& inner, const Vector& x) {
        const auto first_step = static_cast<Value>(inner.inputs + 1);
        const Value base = next_ - first_step;
        const auto renamed = [&](Value value) {
            return value == StraightLineProgram::zero ? value
                   : value < first_step               ? x[value - 1]
                                                      : base + value;
        };
        const auto first_constant = static_cast<Value>(program_.constants.size());
        program_.constants.insert(program_.constants.end(), inner.constants.begin(), inner.constants.end());
        for (const auto& [kind, a, b] : inner.steps)
            append(kind, renamed(a), kind == Kind::multiply ? first_constant + b : renamed(b));
        Vector y;
        y.reserve(inner.results.size());
        for (const Value value : inner.results) y.push_back(renamed(value));
        return y;
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
            x[i] =
                multiply(x[i], diagonal_value(d.function,
                                              static_cast<Integer>(index(d.index, static_cast<Integer>(i))),
                                              spectra_));
        return x;
    }

    Vector evaluate(const Matrix& m, const Formula& formula, Vector x) {
        Vector y(static_cast<std::size_t>(formula.rows()));
        const std::size_t columns = x.size();
        for (std::size_t r = 0; r < y.size(); ++r)
            for (std::size_t c = 0; c < columns; ++c)
                y[r] = add(y[r], multiply(x[c], m.entries[r * columns + c]));
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
            for (const Value value : (*this)(summand, Vector(at, end))) y.push_back(value);
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
            for (std::size_t k = 0; k < y.size(); ++k) y[k] = add(y[k], term[k]);
        }
        return y;
    }

    Vector evaluate(const RealOf&, const Formula& formula, Vector x) {
        Vector pairs(x.size() / 2);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            pairs[i] = append(Kind::pair, x[2 * i], x[2 * i + 1]);
        }
        Vector y;
        for (const Value value : (*this)(formula.children()[0], std::move(pairs))) {
            y.push_back(append(Kind::real, value));
            y.push_back(append(Kind::imaginary, value));
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

    StraightLineProgram program_;
    Value next_ = 0; ///< the next step's result
    DiagonalValues spectra_;
    std::vector<std::pair<Variable, Integer>> variables_; ///< of enclosing iterative sums, innermost last
};

/// The latest programs of the process.
class Known {
public:
    static Known& of_process() {
        static auto& all = *new Known; // never destroyed: may be in use at exit
        return all;
    }

    std::shared_ptr<const StraightLineProgram> of(const Formula& formula) {
        {
            const std::lock_guard lock(mutex_);
            const auto [begin, end] = programs_.equal_range(formula.hash());
            for (auto at = begin; at != end; ++at)
                if (at->second.first == formula) return at->second.second;
        }
        auto program = std::make_shared<const StraightLineProgram>(Recorder().run(
            is_nonterminal(formula) ? rules::expand(formula, rules::cheapest_straight_line(formula))
                                    : formula));
        const std::lock_guard lock(mutex_);
        steps_ += program->steps.size();
        if (steps_ > most_steps) {
            programs_.clear();
            steps_ = program->steps.size();
        }
        programs_.emplace(formula.hash(), std::pair(formula, program));
        return program;
    }

private:
    static constexpr std::size_t most_steps = std::size_t{1} << 18; ///< of all: at most 12 MiB

    ForkSafeMutex mutex_;
    std::unordered_multimap<std::size_t, std::pair<Formula, std::shared_ptr<const StraightLineProgram>>>
        programs_; ///< by hash
    std::size_t steps_ = 0;
};

} // namespace

std::shared_ptr<const StraightLineProgram> straight_line_program(const Formula& formula) {
    return Known::of_process().of(formula);
}

} // namespace swirl::lower

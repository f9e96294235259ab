#include "base/interrupt_scope.hpp"
#include "base/overloaded.hpp"
#include "formula/band_matrix.hpp"
#include "formula/definition.hpp"
#include "formula/formula.hpp"
#include "formula/roots_of_unity.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace swirl::formula {

namespace {

// Multiplication of std::complex checks for infinities; entries here are finite.
template <class Real> std::complex<Real> times(const std::complex<Real>& a, const std::complex<Real>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Nonterminals up to this are multiplied by their rows at any rate: no algorithm is called for each of many.
constexpr Integer longest_by_rows = 16;
/// Entries of a factor that may take milliseconds.
constexpr std::size_t shortest_asked = std::size_t{1} << 14;

/// Applies I_left ⊗ A ⊗ I_right. Every Kronecker product is a sequence of these. A vector is the case left = right
/// = 1, a dense matrix the case left = 1, right = columns, applied to the identity matrix.
template <class Real> class Evaluator {
public:
    using Value = std::complex<Real>;
    using Vector = std::vector<Value>;

    explicit Evaluator(const ApplyNonterminal& nonterminal = {}) : nonterminal_(nonterminal) {}
    Vector run(const Formula& formula, Integer left, Integer right, const Vector& x);

private:
    void accumulate(const Formula& formula, Integer left, Integer right, const Vector& x, Vector& y);
    Vector run_product(const Formula& formula, std::size_t first, Integer left, Integer right,
                       const Vector& x);
    Vector run_kronecker(const Formula& formula, Integer left, Integer right, const Vector& x);
    Vector run_direct_sum(const Formula& formula, Integer left, Integer right, const Vector& x);
    Vector run_real(const Formula& child, Integer left, Integer right, const Vector& x);
    Vector run_definition(const Formula& formula, Integer left, Integer right, const Vector& x);
    template <class Apply>
    Vector run_vectors(const Formula& formula, Integer left, Integer right, const Vector& x, Apply&& apply);
    Vector run_diagonal(const Diagonal& diagonal, Integer left, Integer right, const Vector& x);
    Vector run_gather(const IndexMap& map, Integer left, Integer right, const Vector& x);
    void accumulate_scatter(const IndexMap& map, Integer left, Integer right, const Vector& x, Vector& y);

    IndexMap::Environment environment() const {
        return [this](Variable variable) {
            for (auto binding = bindings_.rbegin(); binding != bindings_.rend(); ++binding)
                if (binding->first == variable) return binding->second;
            throw InternalError("variable i{} outside the sum that binds it", variable);
        };
    }

    const Definition& definition(const Formula& formula) {
        const auto [at, is_new] = definitions_.try_emplace(formula.node(), nullptr);
        if (is_new) at->second = std::make_unique<Definition>(formula);
        return *at->second;
    }

    ApplyNonterminal nonterminal_; ///< empty: by definition
    std::vector<std::pair<Variable, Integer>> bindings_;
    std::map<const FormulaNode*, std::unique_ptr<Definition>> definitions_;
    DiagonalValues spectra_;
};

std::size_t entries(Integer left, Integer n, Integer right) {
    return static_cast<std::size_t>(left * n * right);
}

template <class Real>
auto Evaluator<Real>::run(const Formula& formula, Integer left, Integer right, const Vector& x) -> Vector {
    if (x.size() >= shortest_asked) ask_interrupt();
    const auto child = [&](Integer more_left, Integer more_right) {
        return run(formula.children().front(), left * more_left, right * more_right, x);
    };
    const auto by_definition = [&](const auto&) { return run_definition(formula, left, right, x); };
    const auto by_accumulation = [&](const auto&) {
        Vector y(entries(left, formula.rows(), right));
        accumulate(formula, left, right, x, y);
        return y;
    };
    return std::visit(Overloaded{
                          [&](const Identity&) { return x; },
                          [&](const Dft& p) { return by_definition(p); },
                          [&](const Wht& p) { return by_definition(p); },
                          [&](const RealDft& p) { return by_definition(p); },
                          [&](const Dct& p) { return by_definition(p); },
                          [&](const Dst& p) { return by_definition(p); },
                          [&](const Dht& p) { return by_definition(p); },
                          [&](const Circulant& p) { return by_definition(p); },
                          [&](const ChirpZ& p) { return by_definition(p); },
                          [&](const WaveletTransform& p) {
                              return run_vectors(formula, left, right, x, [&](const auto& v) {
                                  return apply_wavelet(p, formula.shape(), v);
                              });
                          },
                          [&](const FirFilter& p) {
                              return run_vectors(formula, left, right, x, [&](const auto& v) {
                                  return apply_filter(p, formula.shape(), v);
                              });
                          },
                          [&](const Matrix& p) { return by_definition(p); },
                          [&](const Permutation& p) { return run_gather(p.map, left, right, x); },
                          [&](const Gather& p) { return run_gather(p.map, left, right, x); },
                          [&](const Scatter& p) { return by_accumulation(p); },
                          [&](const Diagonal& p) { return run_diagonal(p, left, right, x); },
                          [&](const Product&) { return run_product(formula, 0, left, right, x); },
                          [&](const Kronecker&) { return run_kronecker(formula, left, right, x); },
                          [&](const DirectSum&) { return run_direct_sum(formula, left, right, x); },
                          [&](const IterativeSum& p) { return by_accumulation(p); },
                          [&](const RealOf&) { return run_real(formula.children().front(), left, right, x); },
                          [&](const Tagged&) { return child(1, 1); },
                      },
                      formula.payload());
}

// Summing over blocks of a large vector takes linear time: each summand reads only what it gathers and adds only to
// what it scatters.
template <class Real>
void Evaluator<Real>::accumulate(const Formula& formula, Integer left, Integer right, const Vector& x,
                                 Vector& y) {
    const std::vector<Formula>& children = formula.children();
    if (const auto* p = formula.get_if<Scatter>()) {
        accumulate_scatter(p->map, left, right, x, y);
    } else if (const auto* sum = formula.get_if<IterativeSum>()) {
        for (Integer value = 0; value < sum->count; ++value) {
            bindings_.emplace_back(sum->variable, value);
            accumulate(children.front(), left, right, x, y);
            bindings_.pop_back();
        }
    } else if (formula.is<Product>()) {
        accumulate(children.front(), left, right, run_product(formula, 1, left, right, x), y);
    } else if (formula.is<Tagged>()) {
        accumulate(children.front(), left, right, x, y);
    } else {
        const Vector summand = run(formula, left, right, x);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += summand[i];
    }
}

template <class Real>
auto Evaluator<Real>::run_product(const Formula& formula, std::size_t first, Integer left, Integer right,
                                  const Vector& x) -> Vector {
    const std::vector<Formula>& factors = formula.children();
    Vector y = run(factors.back(), left, right, x);
    for (std::size_t i = factors.size() - 1; i-- > first;) y = run(factors[i], left, right, y);
    return y;
}

template <class Real>
auto Evaluator<Real>::run_kronecker(const Formula& formula, Integer left, Integer right, const Vector& x)
    -> Vector {
    Integer before = formula.columns(), after = 1;
    Vector y = x;
    for (auto factor = formula.children().rbegin(); factor != formula.children().rend(); ++factor) {
        before /= factor->columns();
        if (!factor->is<Identity>()) y = run(*factor, left * before, after * right, y);
        after *= factor->rows();
    }
    return y;
}

template <class Real>
auto Evaluator<Real>::run_direct_sum(const Formula& formula, Integer left, Integer right, const Vector& x)
    -> Vector {
    Vector y(entries(left, formula.rows(), right));
    Integer column = 0, row = 0;
    for (const Formula& summand : formula.children()) {
        const Integer width = summand.columns() * right, height = summand.rows() * right;
        Vector input;
        input.reserve(entries(left, width, 1));
        for (Integer l = 0; l < left; ++l) {
            const auto from = x.begin() + (l * formula.columns() + column) * right;
            input.insert(input.end(), from, from + width);
        }
        input = run(summand, left, right, input);
        for (Integer l = 0; l < left; ++l)
            std::copy_n(input.begin() + l * height, height, y.begin() + (l * formula.rows() + row) * right);
        column += summand.columns();
        row += summand.rows();
    }
    return y;
}

// Over ℂ, the real matrix of A maps u + iv (u, v real) to its values at u and at v: each takes one complex application.
template <class Real>
auto Evaluator<Real>::run_real(const Formula& child, Integer left, Integer right, const Vector& x) -> Vector {
    Vector y(entries(left, 2 * child.rows(), right));
    for (const Value unit : {Value(1, 0), Value(0, 1)}) {
        const auto component = [&](const Value& value) {
            return unit.real() != 0 ? value.real() : value.imag();
        };
        Vector z(entries(left, child.columns(), right));
        for (Integer lc = 0; lc < left * child.columns(); ++lc)
            for (Integer r = 0; r < right; ++r)
                z[lc * right + r] = {component(x[2 * lc * right + r]),
                                     component(x[(2 * lc + 1) * right + r])};
        z = run(child, left, right, z);
        for (Integer lr = 0; lr < left * child.rows(); ++lr)
            for (Integer r = 0; r < right; ++r) {
                y[2 * lr * right + r] += unit * z[lr * right + r].real();
                y[(2 * lr + 1) * right + r] += unit * z[lr * right + r].imag();
            }
    }
    return y;
}

template <class Real>
auto Evaluator<Real>::run_definition(const Formula& formula, Integer left, Integer right, const Vector& x)
    -> Vector {
    const Integer rows = formula.rows(), columns = formula.columns();
    if (nonterminal_ && std::max(rows, columns) > longest_by_rows &&
        (is_nonterminal(formula) || formula.is<ChirpZ>()))
        return run_vectors(formula, left, right, x,
                           [&](const std::vector<Complex>& vector) { return nonterminal_(formula, vector); });
    const Definition& matrix = definition(formula);
    Vector y(entries(left, rows, right));
    std::vector<Complex> row(static_cast<std::size_t>(columns));
    for (Integer i = 0; i < rows; ++i) {
        matrix.row(i, row);
        const Vector coefficients(row.begin(), row.end());
        for (Integer l = 0; l < left; ++l)
            for (Integer j = 0; j < columns; ++j) {
                const Value* from = &x[(l * columns + j) * right];
                Value* to = &y[(l * rows + i) * right];
                for (Integer r = 0; r < right; ++r) to[r] += times(coefficients[j], from[r]);
            }
    }
    return y;
}

template <class Real>
template <class Apply>
auto Evaluator<Real>::run_vectors(const Formula& formula, Integer left, Integer right, const Vector& x,
                                  Apply&& apply) -> Vector {
    const Integer rows = formula.rows(), columns = formula.columns();
    Vector y(entries(left, rows, right));
    std::vector<Complex> column(static_cast<std::size_t>(columns));
    for (Integer l = 0; l < left; ++l)
        for (Integer r = 0; r < right; ++r) {
            for (Integer j = 0; j < columns; ++j) column[j] = Complex(x[(l * columns + j) * right + r]);
            const std::vector<Complex> result = apply(column);
            for (Integer i = 0; i < rows; ++i) y[(l * rows + i) * right + r] = Value(result[i]);
        }
    return y;
}

template <class Real>
auto Evaluator<Real>::run_diagonal(const Diagonal& diagonal, Integer left, Integer right, const Vector& x)
    -> Vector {
    Vector factors;
    for (const Integer i : diagonal.index.values(environment()))
        factors.push_back(Value(diagonal_value(diagonal.function, i, spectra_)));
    Vector y = x;
    auto at = y.begin();
    for (Integer l = 0; l < left; ++l)
        for (const Value& factor : factors)
            for (Integer r = 0; r < right; ++r, ++at) *at = times(*at, factor);
    return y;
}

template <class Real>
auto Evaluator<Real>::run_gather(const IndexMap& map, Integer left, Integer right, const Vector& x)
    -> Vector {
    const std::vector<Integer> from = map.values(environment());
    Vector y;
    y.reserve(entries(left, map.domain(), right));
    for (Integer l = 0; l < left; ++l)
        for (const Integer index : from) {
            const auto begin = x.begin() + (l * map.range() + index) * right;
            y.insert(y.end(), begin, begin + right);
        }
    return y;
}

template <class Real>
void Evaluator<Real>::accumulate_scatter(const IndexMap& map, Integer left, Integer right, const Vector& x,
                                         Vector& y) {
    const std::vector<Integer> to = map.values(environment());
    auto from = x.begin();
    for (Integer l = 0; l < left; ++l)
        for (const Integer index : to)
            for (Integer r = 0; r < right; ++r, ++from) y[(l * map.range() + index) * right + r] += *from;
}

} // namespace

std::vector<Complex> apply(const Formula& formula, std::span<const Complex> x) {
    return apply(formula, x, {});
}

template <class Real>
std::vector<std::complex<Real>> apply(const Formula& formula, std::span<const std::complex<Real>> x,
                                      const ApplyNonterminal& nonterminal) {
    ensure(static_cast<Integer>(x.size()) == formula.columns(), "a {}×{} formula applied to a vector of {}",
           formula.rows(), formula.columns(), x.size());
    return Evaluator<Real>(nonterminal).run(formula, 1, 1, {x.begin(), x.end()});
}

template std::vector<Complex> apply(const Formula&, std::span<const Complex>, const ApplyNonterminal&);
template std::vector<std::complex<double>> apply(const Formula&, std::span<const std::complex<double>>,
                                                 const ApplyNonterminal&);

DenseMatrix dense(const Formula& formula) {
    const Integer n = formula.columns();
    DenseMatrix identity(entries(1, n, n));
    for (Integer i = 0; i < n; ++i) identity[i * n + i] = 1;
    return Evaluator<long double>().run(formula, 1, n, identity);
}

} // namespace swirl::formula

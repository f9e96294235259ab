#include "base/overloaded.hpp"
#include "formula/chirp_z.hpp"
#include "formula/formula.hpp"
#include "formula/node.hpp"

#include <algorithm>
#include <optional>

namespace swirl::formula {

namespace {

std::vector<Formula> transposed(const std::vector<Formula>& terms) {
    std::vector<Formula> result;
    for (const Formula& term : terms) result.push_back(transpose(term));
    return result;
}

/// diag(1, middle, …, middle, 1, middle, …, middle): 1 at entry 0 and, for even n, at entry n/2.
Formula halfcomplex_weights(Integer n, long double middle) {
    std::vector<Complex> values(static_cast<std::size_t>(n), middle);
    values[0] = 1;
    if (n % 2 == 0) values[static_cast<std::size_t>(n / 2)] = 1;
    return diagonal(std::move(values));
}

/// The identity except for one diagonal entry.
Formula weight_at(Integer n, Integer position, long double weight) {
    std::vector<Complex> values(static_cast<std::size_t>(n), 1);
    values[static_cast<std::size_t>(position)] = weight;
    return diagonal(std::move(values));
}

// R2HC lacks the factor 2 that HC2R has in every row except r_0 and r_{n/2}.
Formula transpose_real_dft(Direction direction, Integer n) {
    if (direction == Direction::forward) return RDFT(n, Direction::backward) * halfcomplex_weights(n, 0.5L);
    return halfcomplex_weights(n, 2) * RDFT(n, Direction::forward);
}

/// The column in which the definition of a type 3, 5, 6, 7 or 8 lacks the factor 2; none where it has it in each.
std::optional<Integer> undoubled_column(bool sine, int type, Integer n) {
    if (sine) return type == 3 || type == 8 ? std::optional(n - 1) : std::nullopt;
    if (type == 3 || type == 5 || type == 7) return 0;
    return type == 6 ? std::optional(n - 1) : std::nullopt;
}

/// Types 2 and 3, 6 and 7 are each other's transposes, the other types their own, except for the factor 2 that some lack
/// in one column: A = K·W, the transpose W·Kᵀ.
template <class Transposed>
Formula transpose_trigonometric(bool sine, int type, Integer n, Transposed&& transform) {
    const int other = type == 2 || type == 6 ? type + 1 : type == 3 || type == 7 ? type - 1 : type;
    std::vector<Formula> factors{transform(other, n)};
    if (const auto column = undoubled_column(sine, type, n))
        factors.insert(factors.begin(), weight_at(n, *column, 0.5L));
    if (const auto column = undoubled_column(sine, other, n)) factors.push_back(weight_at(n, *column, 2));
    return product(std::move(factors));
}

// A DCT of type 1 lacks the factor 2 in the first and the last column.
Formula transpose_cosine(int type, Integer n) {
    if (type != 1) return transpose_trigonometric(false, type, n, DCT);
    const auto at_ends = [n](long double weight) {
        return product({weight_at(n, 0, weight), weight_at(n, n - 1, weight)});
    };
    return product({at_ends(0.5L), DCT(1, n), at_ends(2)});
}

Formula transpose_circulant(const Circulant& p) {
    ensure(p.kernel != nullptr, "the transpose of a convolution whose kernel is given at execution");
    std::vector<Complex> kernel = *p.kernel;
    std::reverse(kernel.begin() + 1, kernel.end());
    return circulant(std::move(kernel));
}

/// The transform from frequency 0, then the factors that the first one takes to the inputs.
Formula transpose_chirp_z(const ChirpZ& p, Integer rows, Integer columns) {
    std::vector<Complex> factors;
    for (Integer j = 0; j < columns; ++j) factors.push_back(chirp_z_entry({p.start, 0}, 0, j));
    return diagonal(std::move(factors)) * CZT(rows, columns, 0, p.step);
}

template <class Leaf> Formula transpose_leaf(Leaf leaf, Shape shape) {
    leaf.transposed = !leaf.transposed;
    return make_node(leaf, {}, {shape.columns, shape.rows});
}

Formula transpose_matrix(const Matrix& p, Integer rows, Integer columns) {
    std::vector<Complex> entries;
    entries.reserve(p.entries.size());
    for (Integer j = 0; j < columns; ++j)
        for (Integer i = 0; i < rows; ++i)
            entries.push_back(p.entries[static_cast<std::size_t>(i * columns + j)]);
    return matrix(columns, rows, std::move(entries));
}

std::vector<Complex> conjugated(std::vector<Complex> values) {
    for (Complex& value : values) value = std::conj(value);
    return values;
}

DiagonalFunction conjugated(const DiagonalFunction& function) {
    return std::visit(
        Overloaded{
            [](TwiddleFunction f) -> DiagonalFunction {
                f.direction = reversed(f.direction);
                return f;
            },
            [](ChirpFunction f) -> DiagonalFunction {
                f.direction = reversed(f.direction);
                return f;
            },
            [](ChirpSpectrumFunction f) -> DiagonalFunction {
                f.direction = reversed(f.direction);
                return f;
            },
            [](const ConstantFunction& f) -> DiagonalFunction {
                return ConstantFunction{std::conj(f.value)};
            },
            [](const ExplicitFunction& f) -> DiagonalFunction {
                if (f.values.is_computed())
                    return ExplicitFunction{SharedList<Complex>::evaluated_by(
                        f.values.size(),
                        [values = f.values](std::size_t i) { return std::conj(values.at(i)); })};
                return ExplicitFunction{std::make_shared<const std::vector<Complex>>(conjugated(*f.values))};
            },
            [](const ArgumentFunction&) -> DiagonalFunction {
                throw InternalError("the conjugate of a diagonal that is given at execution");
            },
        },
        function);
}

} // namespace

Formula transpose(const Formula& formula) {
    const Integer n = formula.rows();
    const auto child_transposed = [&](const auto&) {
        return with_children(formula, transposed(formula.children()));
    };
    const auto symmetric = [&](const auto&) { return formula; };
    return std::visit(
        Overloaded{
            [&](const Identity& p) { return symmetric(p); },
            [&](const Dft& p) { return symmetric(p); },
            [&](const Wht& p) { return symmetric(p); },
            [&](const RealDft& p) { return transpose_real_dft(p.direction, n); },
            [&](const Dct& p) { return transpose_cosine(p.type, n); },
            [&](const Dst& p) { return transpose_trigonometric(true, p.type, n, DST); },
            [&](const Dht& p) { return symmetric(p); },
            [&](const Circulant& p) { return transpose_circulant(p); },
            [&](const ChirpZ& p) { return transpose_chirp_z(p, n, formula.columns()); },
            [&](const WaveletTransform& p) { return transpose_leaf(p, formula.shape()); },
            [&](const FirFilter& p) { return transpose_leaf(p, formula.shape()); },
            [&](const Permutation& p) { return permutation(p.map.inverse()); },
            [&](const Gather& p) { return scatter(p.map); },
            [&](const Scatter& p) { return gather(p.map); },
            [&](const Diagonal& p) { return symmetric(p); },
            [&](const Matrix& p) { return transpose_matrix(p, n, formula.columns()); },
            [&](const Product&) {
                std::vector<Formula> factors = transposed(formula.children());
                std::reverse(factors.begin(), factors.end());
                return product(std::move(factors));
            },
            [&](const Kronecker& p) { return child_transposed(p); },
            [&](const DirectSum& p) { return child_transposed(p); },
            [&](const IterativeSum& p) { return child_transposed(p); },
            [&](const RealOf&) { return real_of(conjugate(transpose(formula.children().front()))); },
            [&](const Tagged& p) { return child_transposed(p); },
        },
        formula.payload());
}

Formula conjugate(const Formula& formula) {
    const auto real = [&](const auto&) { return formula; };
    const auto operands_conjugated = [&](const auto&) {
        std::vector<Formula> children;
        for (const Formula& child : formula.children()) children.push_back(conjugate(child));
        return with_children(formula, std::move(children));
    };
    return std::visit(
        Overloaded{
            [&](const Identity& p) { return real(p); },
            [&](const Dft& p) { return DFT(formula.rows(), reversed(p.direction)); },
            [&](const Wht& p) { return real(p); },
            [&](const RealDft& p) { return real(p); },
            [&](const Dct& p) { return real(p); },
            [&](const Dst& p) { return real(p); },
            [&](const Dht& p) { return real(p); },
            [&](const Circulant& p) {
                ensure(p.kernel != nullptr,
                       "the conjugate of a convolution whose kernel is given at execution");
                return circulant(conjugated(*p.kernel));
            },
            [&](const ChirpZ& p) { return CZT(formula.columns(), formula.rows(), -p.start, -p.step); },
            [&](const WaveletTransform& p) { return real(p); },
            [&](FirFilter p) {
                p.taps = std::make_shared<const std::vector<Complex>>(conjugated(*p.taps));
                return make_node(p, {}, formula.shape());
            },
            [&](const Permutation& p) { return real(p); },
            [&](const Gather& p) { return real(p); },
            [&](const Scatter& p) { return real(p); },
            [&](const Diagonal& p) { return diagonal(conjugated(p.function), p.index); },
            [&](const Matrix& p) { return matrix(formula.rows(), formula.columns(), conjugated(p.entries)); },
            [&](const Product& p) { return operands_conjugated(p); },
            [&](const Kronecker& p) { return operands_conjugated(p); },
            [&](const DirectSum& p) { return operands_conjugated(p); },
            [&](const IterativeSum& p) { return operands_conjugated(p); },
            [&](const RealOf& p) { return real(p); },
            [&](const Tagged& p) { return operands_conjugated(p); },
        },
        formula.payload());
}

} // namespace swirl::formula

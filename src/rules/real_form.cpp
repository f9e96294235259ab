#include "rules/real_form.hpp"

#include "formula/roots_of_unity.hpp"
#include "rules/building_blocks.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Formula real_form(const Formula& complex);

Formula real_diagonal(const Diagonal& p) {
    Summands entries;
    DiagonalValues spectra;
    for (Integer i = 0; i < p.index.domain(); ++i) {
        const Complex w = diagonal_value(p.function, p.index(i), spectra);
        entries.add(w == Complex(1) ? I(2) : matrix(2, 2, {w.real(), -w.imag(), w.imag(), w.real()}));
    }
    return entries.sum();
}

Formula real_matrix(const Matrix& p, Integer rows, Integer columns) {
    std::vector<Complex> entries(static_cast<std::size_t>(4 * rows * columns));
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j) {
            const Complex w = p.entries[static_cast<std::size_t>(i * columns + j)];
            const auto at = [&](Integer r, Integer c) -> Complex& {
                return entries[static_cast<std::size_t>((2 * i + r) * 2 * columns + 2 * j + c)];
            };
            at(0, 0) = at(1, 1) = w.real();
            at(0, 1) = -w.imag();
            at(1, 0) = w.imag();
        }
    return matrix(2 * rows, 2 * columns, std::move(entries));
}

/// A ⊗ I_k on interleaved pairs: RealOf(A) ⊗ I_k between permutations of (a, k, 2) to (a, 2, k) and back.
Formula real_spread(const Formula& a, Integer k) {
    if (k == 1) return real_form(a);
    return product_of(
        {repeat(a.rows(), L(2 * k, k)), spread(real_form(a), k), repeat(a.columns(), L(2 * k, 2))});
}

std::vector<Formula> real_forms(const std::vector<Formula>& terms) {
    std::vector<Formula> result;
    for (const Formula& term : terms) result.push_back(real_form(term));
    return result;
}

Formula real_form(const Formula& f) {
    if (f.is<Identity>()) return I(2 * f.rows());
    if (const auto* p = f.get_if<Permutation>()) return permutation(tensor(p->map, IndexMap::identity(2)));
    if (const auto* p = f.get_if<Gather>()) return gather(tensor(p->map, IndexMap::identity(2)));
    if (const auto* p = f.get_if<Scatter>()) return scatter(tensor(p->map, IndexMap::identity(2)));
    if (const auto* p = f.get_if<Diagonal>()) return real_diagonal(*p);
    if (const auto* p = f.get_if<Matrix>()) return real_matrix(*p, f.rows(), f.columns());
    if (f.is<Product>()) return product(real_forms(f.children()));
    if (f.is<DirectSum>()) return direct_sum(real_forms(f.children()));
    if (f.is<Kronecker>()) return kronecker_on_pairs(f.children(), real_spread);
    return real_of(f);
}

} // namespace

Formula without_real_of(const Formula& formula) {
    if (formula.is<RealOf>()) return real_form(formula.children().front());
    std::vector<Formula> children;
    for (const Formula& child : formula.children()) children.push_back(without_real_of(child));
    return with_children(formula, std::move(children));
}

} // namespace swirl::rules

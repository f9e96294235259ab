//   F = F'            formula:          F simplified by the identities of Kronecker products
//   F = codelet[F']   formula-codelet:  straight-line code throughout
//
// CZT = diag(c) · G · DFT_M^{−} · diag(d) · DFT_M · S · diag(b), M ≥ inputs + outputs − 1: formula/chirp_z.hpp; d = DFT_M(h)/M,
// S pads with zeros, and G keeps the outputs. Wavelet transforms and filters: rules/banded.hpp. A long circulant of reals is
// that of rule circulant-rdft, with a spectrum that is known.
//
// F is a user's formula; F' is computed factor by factor, and the transforms in it are broken down further. If F is the
// real matrix R(A) of a complex formula A that contains real transforms, these act on each component alone.

#include "rules/given_formula.hpp"

#include "formula/chirp_z.hpp"
#include "formula/properties.hpp"
#include "rules/accurate_dft.hpp"
#include "rules/banded.hpp"
#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/pairing.hpp"
#include "rules/real_row_column.hpp"
#include "rules/replace_leaves.hpp"
#include "rules/rewriting_rules.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace swirl::rules {

using namespace formula;

namespace {

/// Largest circulant that is a matrix of straight-line code on real data.
constexpr Integer largest_dense_circulant = 64;

Formula dense_matrix(const Formula& f) { return matrix(f.rows(), f.columns(), dense(f)); }

/// A circulant of reals.
Formula by_real_convolution(const std::vector<Complex>& kernel) {
    const auto n = static_cast<Integer>(kernel.size());
    std::vector<Complex> spectrum = accurate_dft(kernel, Direction::forward);
    for (Complex& value : spectrum) value /= static_cast<long double>(n);
    for (const Integer real_frequency : {Integer{0}, n / 2})
        if (2 * real_frequency % n == 0) spectrum[static_cast<std::size_t>(real_frequency)].imag(0);
    const ExplicitFunction list{std::make_shared<const std::vector<Complex>>(std::move(spectrum))};
    return product_of({RDFT(n, Direction::backward), halfcomplex_product(n, list, n, 0, 1), RDFT(n)});
}

Formula with_real_leaves(const Formula& f) {
    if (f.is<RealOf>()) return f;
    if (f.is<Dft>()) return f.rows() == 1 ? I(1) : F2();
    if (const auto* circulant = f.get_if<Circulant>())
        return f.rows() <= largest_dense_circulant ? dense_matrix(f)
                                                   : by_real_convolution(*circulant->kernel);
    std::vector<Formula> children;
    for (const Formula& child : f.children()) children.push_back(with_real_leaves(child));
    return with_children(f, std::move(children));
}

Formula of_components(const Formula& f);

/// R(A ⊗ I_k).
Formula spread_components(const Formula& a, Integer k) {
    if (k == 1) return of_components(a);
    if (a.is<Product>() || a.is<DirectSum>()) {
        std::vector<Formula> children;
        for (const Formula& child : a.children()) children.push_back(spread_components(child, k));
        return a.is<Product>() ? product(std::move(children)) : direct_sum(std::move(children));
    }
    if (!has_real_transform(a)) return real_of(kron(a, I(k)));
    if (const auto real = on_reals(a)) return kron(*real, I(2 * k));
    if (a.is<Kronecker>()) return of_components(kron(a, I(k)));
    return product_of(
        {repeat(a.rows(), L(2 * k, k)), spread(of_components(a), k), repeat(a.columns(), L(2 * k, 2))});
}

Formula of_components(const Formula& f) {
    if (f.is<Identity>()) return I(2 * f.rows());
    if (!has_real_transform(f)) return real_of(f);
    if (const auto real = on_reals(f)) return kron(*real, I(2));
    if (f.is<Kronecker>()) return kronecker_on_pairs(f.children(), spread_components);
    std::vector<Formula> children;
    for (const Formula& child : f.children()) children.push_back(of_components(child));
    return with_children(f, std::move(children));
}

/// Largest chirp-z transform that is a matrix of straight-line code.
constexpr Integer largest_dense_chirp_z = 8;

/// Lists of longer convolutions are computed where a plan needs them: a search builds the formula many times.
constexpr Integer largest_stored_list = Integer{1} << 14;

Formula list_diagonal(Integer n, SharedList<Complex> list) {
    if (n <= largest_stored_list) list = std::make_shared<const std::vector<Complex>>(*list);
    return diagonal(ExplicitFunction{std::move(list)}, n);
}

template <class Entry> Formula chirp_diagonal(Integer n, Entry entry) {
    return list_diagonal(
        n, SharedList<Complex>::evaluated_by(static_cast<std::size_t>(n), [entry](std::size_t i) {
            return entry(static_cast<Integer>(i));
        }));
}

std::vector<Complex> spectrum_of(const ChirpZ& chirp, Integer n, Integer m, Integer size) {
    std::vector<Complex> spectrum = accurate_dft(chirp_z_kernel(chirp, n, m, size), Direction::forward);
    for (Complex& value : spectrum) value /= static_cast<long double>(size);
    return spectrum;
}

Formula by_convolution(const Formula& f) {
    const ChirpZ chirp = *f.get_if<ChirpZ>();
    const Integer m = f.rows(), n = f.columns();
    if (std::max(m, n) <= largest_dense_chirp_z) return dense_matrix(f);
    const Integer size = padded_lengths(n + m - 1).front();
    const Formula spectrum =
        list_diagonal(size, SharedList<Complex>::computed_by(static_cast<std::size_t>(size),
                                                             [=] { return spectrum_of(chirp, n, m, size); }));
    const auto first_entries = [&](Integer count) { return IndexMap::strided(count, size, 0, 1); };
    return product_of({chirp_diagonal(m, [chirp](Integer k) { return chirp_z_output(chirp, k); }),
                       gather(first_entries(m)), DFT(size, Direction::backward), spectrum,
                       DFT(size, Direction::forward), scatter(first_entries(n)),
                       chirp_diagonal(n, [chirp](Integer j) { return chirp_z_input(chirp, j); })});
}

/// The formula with its chirp-z transforms as convolutions, or as small matrices, and its filters as loops.
Formula without_leaf_terms(const Formula& f) {
    return without_filters(replace_leaves(f, [](const Formula& leaf) {
        return leaf.is<ChirpZ>() ? std::optional(by_convolution(leaf)) : std::nullopt;
    }));
}

Applicability applicable(const Formula& f) {
    if (is_nonterminal(f)) return rejected("{} is a transform, not a formula of transforms", name_of(f));
    if (f.is<Identity>()) return rejected("an identity computes nothing");
    const auto is_dft = [](const Formula& child) { return child.is<Dft>(); };
    if (f.is<Kronecker>() && std::all_of(f.children().begin(), f.children().end(), is_dft))
        return rejected("a DFT of several dimensions, not a formula that was given");
    if (is_rdft_multidimensional(f))
        return rejected("a real DFT of several dimensions, not a formula that was given");
    return accepted();
}

Applicability has_codelet(const Formula& f) {
    if (Applicability given = applicable(f); !given.ok()) return given;
    const Integer n = std::max(f.rows(), f.columns());
    if (n > largest_radix) return rejected("{} points are too many for straight-line code", n);
    for (const Formula& transform : nonterminals(without_leaf_terms(f)))
        if (transform.rows() > largest_radix)
            return rejected("{} points are too many for straight-line code", transform.rows());
        else if (largest_prime_factor(transform.rows()) > largest_base_prime)
            return rejected("{} has no straight-line code", name_of(transform));
    return accepted();
}

Formula build(const Formula& f, const Choice& choice) {
    require(formula_loops.name, f, applicable(f));
    require_choice(choice.empty(), formula_loops.name, f, choice, "no parameters");
    return simplified_formula(f);
}

Formula build_codelet(const Formula& f, const Choice& choice) {
    require(formula_codelet.name, f, has_codelet(f));
    require_choice(choice.empty(), formula_codelet.name, f, choice, "no parameters");
    return codelet(simplified_formula(f));
}

} // namespace

std::optional<Formula> on_reals(const Formula& formula) {
    return find_complex(formula) ? std::nullopt : std::optional(with_real_leaves(formula));
}

bool is_given_formula(const Formula& formula) { return applicable(formula).ok(); }

Formula componentwise(const Formula& complex) { return of_components(complex); }

Formula simplified_formula(const Formula& given) {
    const Formula f = without_leaf_terms(given);
    if (!f.is<RealOf>()) return simplify(f);
    return simplify(componentwise(simplify(f.children().front())));
}

constinit const BreakdownRule formula_loops = {
    .name = "formula",
    .identity = "F = F simplified, factor by factor",
    .applicable = applicable,
    .choices = one_choice,
    .build = build,
};

constinit const BreakdownRule formula_codelet = {
    .name = "formula-codelet",
    .identity = "F = F simplified, as one straight-line codelet",
    .applicable = has_codelet,
    .choices = one_choice,
    .build = build_codelet,
};

} // namespace swirl::rules

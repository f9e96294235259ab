//   RDFT_n = P_k · … · P_1,   n = R_1 ⋯ R_k,   K_l = R_1 ⋯ R_{l−1},   M_l = n / (K_l·R_l)
//
//   P_l = Q_l · (RDFT_R ⊗ I_M ⊕ ODFT_R ⊗ I_M ⊕ RealOf(pass((DFT_R ⊗ I_M ⊗ I_S) · D_l))) · G_l      R = R_l, …
//
// Before pass l the vector is [R_l][M_l][K_l]; the last index runs over the spectra of K_l reals. Frequency 0 of the
// R_l spectra is real and takes a real transform. Frequency K_l/2 (K_l even) is real too and takes ODFT (see
// rules/real_columns.hpp). The S = ⌊(K_l−1)/2⌋ frequencies between are complex and take the twiddle factors and
// transforms of the complex algorithm (rules/stockham.cpp). G_l gathers them; Q_l stores the results as [M_l][R_l·K_l],
// conjugated where they stand for the upper half of the spectrum. Each spectrum is stored as its real components, then
// its imaginary components, both by ascending frequency, with r_{K/2} in place of i_0; after the last pass in
// halfcomplex order. P_1 consists of RDFT_R alone. Backward: the inverses times R_l in reverse order.
//
// Half the work of the complex transform of n points for any n. Sorensen, Jones, Heideman and Burrus (1987), with the
// data order of Stockham (1966). Choice {R_1, …, R_k}, the first radix first.

#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/real_columns.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_rdft_stockham(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (f.rows() == 1 || is_prime(f.rows())) return rejected("{} has no two factors to split into", f.rows());
    if (const Integer p = largest_prime_factor(f.rows()); p > largest_base_prime)
        return rejected("the prime factor {} of {} is above {}", p, f.rows(), largest_base_prime);
    return accepted();
}

/// Choices of the complex transform with at least two radices.
std::vector<Choice> rdft_stockham_choices(const Formula& f) {
    require(rdft_stockham.name, f, applicable_rdft_stockham(f));
    std::vector<Choice> result = stockham.choices(DFT(f.rows()));
    std::erase_if(result, [](const Choice& choice) { return choice.size() < 2; });
    return result;
}

/// Layout of a spectrum of reals: Re X_f at f, Im X_f at `imaginary` + `stride`·f.
struct Order {
    Integer imaginary;
    Integer stride;
    Integer of(Integer frequency) const { return imaginary + stride * frequency; }

    static Order between_passes(Integer n) { return {n / 2, 1}; }
    static Order halfcomplex(Integer n) { return {n, -1}; }
};

/// One pass: columns of R entries in three groups: frequency 0, frequency K/2, and those between.
class Pass {
public:
    Pass(Integer size, Integer spectrum, Integer radix)
        : n(size),
          K(spectrum),
          R(radix),
          M(size / (spectrum * radix)),
          N(spectrum * radix),
          S(complex_entries(spectrum)),
          order(M == 1 ? Order::halfcomplex(N) : Order::between_passes(N)) {}

    Formula formula(Direction direction) const {
        if (direction == Direction::forward)
            return product_of({scatter(targets()), scatter(split_complex()), conjugation(),
                               columns(direction), gather(sources())});
        return product_of({scatter(sources()), columns(direction), conjugation(), gather(split_complex()),
                           gather(targets())});
    }

private:
    bool has_middle() const { return K % 2 == 0; }

    Formula columns(Direction direction) const;
    Formula complex_columns(Direction direction) const;
    IndexMap sources() const;
    IndexMap split_complex() const;
    IndexMap targets() const;
    void add_middle_targets(std::vector<DigitMap>& pieces) const;
    Formula conjugation() const;

    /// Of the R complex frequencies s + K·k_1, and of the R/2 frequencies (1 + 4u)·K/2, the number below N/2; the
    /// others stand for their conjugates.
    Integer direct_columns() const { return ceil_divide(R, 2); }
    Integer direct_pairs() const { return (R + 2) / 4; }

    Integer n, K, R, M, N, S;
    Order order;
};

Formula Pass::columns(Direction direction) const {
    Summands groups;
    groups.add(spread(rdft(R, direction), M));
    if (has_middle()) {
        const bool forward = direction == Direction::forward;
        const Formula halves = R % 2 == 0 ? L(R, forward ? R / 2 : 2) : I(R);
        const Formula odd = odd_frequencies(R, direction);
        groups.add(spread(codelet(forward ? product_of({odd, halves}) : product_of({halves, odd})), M));
    }
    if (S > 0) groups.add(complex_columns(direction));
    return groups.sum();
}

Formula Pass::complex_columns(Direction direction) const {
    std::vector<Formula> factors{DFT(R, direction)};
    if (M > 1) factors.push_back(I(M));
    if (S > 1) factors.push_back(I(S));
    const Formula transforms = factors.size() > 1 ? kron(std::move(factors)) : factors[0];
    const Formula twiddles = diagonal(TwiddleFunction{N, {K, R}, {1, K}, direction},
                                      IndexMap(R * M * S, N, DigitMap{{R, M, S}, {K, 0, 1}, 1, 0}));
    return real_of(pass(direction == Direction::forward ? product_of({transforms, twiddles})
                                                        : product_of({twiddles, transforms})));
}

/// Indices of the columns' entries in the spectra.
IndexMap Pass::sources() const {
    std::vector<DigitMap> pieces{{{R, M}, {M * K, K}, 0, 0}};
    if (has_middle()) pieces.push_back({{R, M}, {M * K, K}, K / 2, 0});
    pieces.push_back({{R, M, S, 2}, {M * K, K, 1, Order::between_passes(K).imaginary}, 1, 0});
    return IndexMap::piecewise(std::move(pieces), n);
}

/// In each group: real components of the pairs, then imaginary components.
IndexMap Pass::split_complex() const {
    const Integer group = R * M;
    std::vector<DigitMap> pieces{{{group}, {1}, 0, 0}};
    if (has_middle() && R % 2 == 1) pieces.push_back({{group}, {1}, group, 0});
    if (has_middle() && R % 2 == 0) pieces.push_back({{R / 2, 2, M}, {M, group / 2, 1}, group, 0});
    pieces.push_back({{group * S, 2}, {1, group * S}, has_middle() ? 2 * group : group, 0});
    return IndexMap::piecewise(std::move(pieces), n);
}

IndexMap Pass::targets() const {
    const Integer pairs = complex_entries(R), H = direct_columns();
    std::vector<DigitMap> pieces{{{R / 2 + 1, M}, {K, N}, 0, 0},
                                 {{pairs, M}, {-order.stride * K, N}, order.of(K * pairs), 0}};
    if (has_middle()) add_middle_targets(pieces);
    const Integer first = N - H * K - 1, stride = order.stride;
    pieces.insert(pieces.end(), {{{H, M, S}, {K, N, 1}, 1, 0},
                                 {{R - H, M, S}, {-K, N, -1}, first, 0},
                                 {{H, M, S}, {stride * K, N, stride}, order.of(1), 0},
                                 {{R - H, M, S}, {-stride * K, N, -stride}, order.of(first), 0}});
    return IndexMap::piecewise(std::move(pieces), n);
}

void Pass::add_middle_targets(std::vector<DigitMap>& pieces) const {
    const Integer stride = order.stride, half = R / 2;
    if (R % 2 == 1) {
        pieces.insert(pieces.end(), {{{1, M}, {0, N}, N / 2, 0},
                                     {{half, M}, {-K, N}, N / 2 - K, 0},
                                     {{half, M}, {stride * K, N}, order.of(N / 2 - K * half), 0}});
        return;
    }
    const Integer H = direct_pairs(), first = N - (1 + 4 * H) * K / 2;
    pieces.insert(pieces.end(), {{{H, M}, {2 * K, N}, K / 2, 0},
                                 {{half - H, M}, {-2 * K, N}, first, 0},
                                 {{H, M}, {2 * stride * K, N}, order.of(K / 2), 0},
                                 {{half - H, M}, {-2 * stride * K, N}, order.of(first), 0}});
}

/// −1 at the imaginary components of results that stand for their conjugate.
Formula Pass::conjugation() const {
    const Integer H = direct_columns(), half = R / 2, direct = direct_pairs();
    std::vector<DigitMap> pieces{{{R * M}, {0}, 0, 0}};
    if (has_middle() && R % 2 == 1)
        pieces.insert(pieces.end(), {{{(half + 1) * M}, {0}, 0, 0}, {{half * M}, {0}, 1, 0}});
    if (has_middle() && R % 2 == 0)
        pieces.insert(pieces.end(),
                      {{{direct * 2 * M}, {0}, 0, 0}, {{half - direct, 2, M}, {0, 1, 0}, 0, 0}});
    pieces.insert(pieces.end(), {{{H * M * S * 2}, {0}, 0, 0}, {{(R - H) * M * S, 2}, {0, 1}, 0, 0}});
    const auto negates = [](const DigitMap& piece) {
        const bool varies =
            std::any_of(piece.strides.begin(), piece.strides.end(), [](Integer s) { return s != 0; });
        return domain_of(piece) > 0 && (varies || piece.base.constant() != 0);
    };
    if (std::none_of(pieces.begin(), pieces.end(), negates)) return I(n);
    IndexMap index = IndexMap::piecewise(std::move(pieces), 2);
    return diagonal(
        ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::vector<Complex>{1, -1})},
        std::move(index));
}

Formula build_rdft_stockham(const Formula& f, const Choice& choice) {
    require(rdft_stockham.name, f, applicable_rdft_stockham(f));
    require_radices(rdft_stockham.name, f, choice);
    require_choice(choice.size() > 1, rdft_stockham.name, f, choice, "two radices or more");
    const Direction direction = f.get_if<RealDft>()->direction;
    std::vector<Formula> passes;
    Integer before = 1;
    for (const Integer radix : choice) {
        passes.push_back(Pass(f.rows(), before, radix).formula(direction));
        before *= radix;
    }
    if (direction == Direction::forward) std::reverse(passes.begin(), passes.end());
    return product(std::move(passes));
}

} // namespace

constinit const BreakdownRule rdft_stockham = {
    .name = "rdft-stockham",
    .identity =
        "RDFT_n = ∏_l Q_l · (RDFT_R ⊗ I_M ⊕ ODFT_R ⊗ I_M ⊕ RealOf(pass((DFT_R ⊗ I_M ⊗ I_S) · D_l))) · G_l",
    .applicable = applicable_rdft_stockham,
    .choices = rdft_stockham_choices,
    .build = build_rdft_stockham,
};

} // namespace swirl::rules

// Discrete cosine and sine transforms, unnormalised as FFTW's REDFT and RODFT, through real and complex DFTs.
//
//   DCT2_n = Pᵀ · ([2] ⊕ [√2] ⊕ RealOf(2·diag(ω_4n^k))) · P · RDFT_n · Q
//   DCT3_n = Qᵀ · RDFT_n^{−} · Pᵀ · ([1] ⊕ [√2] ⊕ RealOf(diag(ω_4n^{−k}))) · P
//
//   Q reads x[0], x[2], … ascending, then the odd entries descending; P pairs r_k with i_k, and Pᵀ writes −Im of pair k
//   to n−k; [√2] occurs only for even n. Narasimha and Peterson (1978), Makhoul (1980). DCT3_n is 2n·DCT2_n^{−1}.
//
//   DCT4_n = Pᵀ · RealOf(2·diag(ω_2n^k) · DFT_{n/2} · diag(ω_8n^{4j+1})) · P                     n even
//
//   P pairs x[2j] with x[n−1−2j], and likewise −Im at the output. Britanak, Yip and Rao (2007), section 4.
//
//   DCT4_n = √2 · B · RDFT_n · Q                                                                 n odd
//
//   Q and B are permutations with signs; B also adds and subtracts r_k and i_k. (2j+1)(2k+1)/8n splits into eighths and
//   n-ths of a turn by the Chinese remainder theorem. Chan and Ho (1990).
//
//   DST2_n = J · DCT2_n · diag((−1)^j),  DST3_n = diag((−1)^k) · DCT3_n · J,  DST4_n = diag((−1)^k) · DCT4_n · J

#include "rules/building_blocks.hpp"
#include "rules/pairing.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <utility>

namespace swirl::rules {

using namespace formula;

namespace {

long double square_root_of_two() { return 2 * root_of_unity(8, 1, Direction::forward).real(); }

bool is_dct(const Formula& f, int type) {
    const Dct* dct = f.get_if<Dct>();
    return dct != nullptr && dct->type == type;
}

Applicability applicable_dct2(const Formula& f) { return is_dct(f, 2) ? accepted() : not_a("DCT-II"); }
Applicability applicable_dct3(const Formula& f) { return is_dct(f, 3) ? accepted() : not_a("DCT-III"); }

/// 0, 2, … ascending, then the odd indices descending.
IndexMap evens_up_odds_down(Integer n) {
    return IndexMap::piecewise({{{ceil_divide(n, 2)}, {2}, 0, 0}, {{n / 2}, {-2}, n / 2 * 2 - 1, 0}}, n);
}

Formula middle_of_spectrum(long double first, Integer n, const Formula& rotations) {
    Summands blocks;
    blocks.add(first == 1 ? I(1) : scaled_identity(1, first));
    if (n % 2 == 0) blocks.add(scaled_identity(1, square_root_of_two()));
    if (complex_entries(n) > 0) blocks.add(rotations);
    return blocks.sum();
}

DiagonalFunction one_or_minus_one() {
    return ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::vector<Complex>{1, -1})};
}

/// −1 at the imaginary components of pairs that follow `alone` single entries.
Formula conjugation(Integer alone, Integer pairs) {
    if (pairs == 0) return I(alone);
    return diagonal(one_or_minus_one(),
                    IndexMap::piecewise({{{alone}, {0}, 0, 0}, {{pairs, 2}, {0, 1}, 0, 0}}, 2));
}

Formula conjugation_of_spectrum(Integer n) {
    return conjugation(n - 2 * complex_entries(n), complex_entries(n));
}

Formula build_dct2(const Formula& f, const Choice&) {
    require(dct2_rdft.name, f, applicable_dct2(f));
    const Integer n = f.rows(), columns = complex_entries(n);
    const Pairing pairing = pairs_of_spectrum(n);
    const Formula rotations =
        columns == 0
            ? I(1)
            : real_of(scaled_identity(columns, 2) * root_diagonal(4 * n, columns, 1, 1, Direction::forward));
    return product_of({pairing.unpack(), conjugation_of_spectrum(n), middle_of_spectrum(2, n, rotations),
                       pairing.pack(), rdft(n, Direction::forward), permutation(evens_up_odds_down(n))});
}

Formula build_dct3(const Formula& f, const Choice&) {
    require(dct3_rdft.name, f, applicable_dct3(f));
    const Integer n = f.rows(), columns = complex_entries(n);
    const Pairing pairing = pairs_of_spectrum(n);
    const Formula rotations =
        columns == 0 ? I(1) : real_of(root_diagonal(4 * n, columns, 1, 1, Direction::backward));
    return product_of({scatter(evens_up_odds_down(n)), rdft(n, Direction::backward), pairing.unpack(),
                       middle_of_spectrum(1, n, rotations), conjugation_of_spectrum(n), pairing.pack()});
}

Applicability applicable_dct4_dft(const Formula& f) {
    if (!is_dct(f, 4)) return not_a("DCT-IV");
    if (f.rows() % 2 != 0) return rejected("{} is odd", f.rows());
    return accepted();
}

Formula build_dct4_dft(const Formula& f, const Choice&) {
    require(dct4_dft.name, f, applicable_dct4_dft(f));
    const Integer n = f.rows(), m = n / 2;
    const Pairing pairing = pairs_of_mirrored(n);
    const Formula complex =
        product_of({scaled_identity(m, 2), root_diagonal(2 * n, m, 0, 1, Direction::forward),
                    dft(m, Direction::forward), root_diagonal(8 * n, m, 1, 4, Direction::forward)});
    return product_of({pairing.unpack(), conjugation(0, m), real_of(complex), pairing.pack()});
}

Applicability applicable_dct4_rdft(const Formula& f) {
    if (!is_dct(f, 4)) return not_a("DCT-IV");
    if (f.rows() % 2 == 0) return rejected("{} is even", f.rows());
    return accepted();
}

/// For odd w: whether √2·cos(πw/4), or √2·sin(πw/4), is −1. Both are multiplicative in w: (2/w) and (−2/w).
bool negative_cosine(Integer w) { return w % 8 == 3 || w % 8 == 5; }
bool negative_sine(Integer w) { return w % 8 == 5 || w % 8 == 7; }

/// The affine pieces of the maps for DCT-IV of odd n = 2h + 1 by a real DFT.
//
// With u = 2j+1, v = 2k+1 and 8b ≡ 1 mod n: uv/8n ≡ n·uv/8 + b·uv/n modulo 1, and so
//   2·cos(2π·uv/8n) = √2·(A·cos(2π·b·uv/n) − B·sin(2π·b·uv/n)),  A = ±1 of negative_cosine(n·u·v), B of negative_sine.
class OddDct4 {
public:
    explicit OddDct4(Integer size) : n(size), h(size / 2) {}

    /// Entry r of the real DFT has b·u ≡ r: u = 8r + n − 2nc, where the integer c keeps it in 1 … 2n − 1; so
    /// j = 4r + h − nc. B(u) = (−1)^j A(u), and j ↔ n−1−j is r ↔ −r: an odd j goes to −r, which negates its odd part.
    Formula input() const {
        std::vector<DigitMap> sources, signs;
        for (Integer c = 0, r = 0; r < n; ++c) {
            const Integer end = std::min(n, ceil_divide(n * (c + 1) - h, Integer{4})),
                          first = 4 * r + h - n * c;
            const bool is_even = (h - n * c) % 2 == 0;
            const Integer u = modulo(is_even ? n - 2 * n * c : n + 2 * n * c, Integer{8});
            if (end <= r) continue;
            sources.push_back(is_even ? DigitMap{{end - r}, {4}, first, 0}
                                      : DigitMap{{end - r}, {-4}, n - 1 - first, 0});
            signs.push_back({{end - r}, {0}, negative_cosine(u) ? 1 : 0, 0});
            r = end;
        }
        return product_of({diagonal(one_or_minus_one(), IndexMap::piecewise(std::move(signs), 2)),
                           permutation(IndexMap::piecewise(std::move(sources), n))});
    }

    /// With the halfcomplex spectrum R_s + i·I_s and 2k + 1 ≡ ±s mod n, output k is √2·(±R_s ± I_s). Within each class
    /// of s modulo 8 the signs and the stride of k are constant.
    Formula output() const {
        Summands columns;
        columns.add(scaled_identity(1, negative_cosine(n % 8 * n) ? -1 : 1));
        std::vector<DigitMap> sources{{{1}, {1}, 0, 0}}, targets{{{1}, {1}, h, 0}};
        for (Integer s = 1; s <= std::min(h, Integer{8}); ++s) {
            const Integer count = (h - s) / 8 + 1;
            // The two outputs of s: v = 2k + 1 is s or n + s, whichever is odd, and n − s or 2n − s.
            const Integer direct = s % 2 == 1 ? s : n + s, mirrored = s % 2 == 1 ? 2 * n - s : n - s;
            std::vector<Complex> signs;
            for (const Integer v : {direct, mirrored}) {
                const bool cosine = negative_cosine(n % 8 * (v % 8));
                const bool sine = negative_sine(n % 8 * (v % 8)) != (v == mirrored);
                signs.insert(signs.end(), {cosine ? -1.0L : 1.0L, sine ? -1.0L : 1.0L});
            }
            columns.add(spread(matrix(2, 2, std::move(signs)), count));
            sources.insert(sources.end(), {{{count}, {8}, s, 0}, {{count}, {-8}, n - s, 0}});
            targets.insert(targets.end(),
                           {{{count}, {4}, (direct - 1) / 2, 0}, {{count}, {-4}, (mirrored - 1) / 2, 0}});
        }
        return product_of({scaled_identity(n, square_root_of_two()),
                           scatter(IndexMap::piecewise(std::move(targets), n)), columns.sum(),
                           gather(IndexMap::piecewise(std::move(sources), n))});
    }

private:
    Integer n, h;
};

Formula build_dct4_rdft(const Formula& f, const Choice&) {
    require(dct4_rdft.name, f, applicable_dct4_rdft(f));
    const Integer n = f.rows();
    if (n == 1) return scaled_identity(1, square_root_of_two());
    const OddDct4 maps(n);
    return product_of({maps.output(), rdft(n, Direction::forward), maps.input()});
}

Applicability applicable_dst(const Formula& f) {
    const Dst* dst = f.get_if<Dst>();
    return dst != nullptr && 2 <= dst->type && dst->type <= 4 ? accepted()
                                                              : not_a("DST-II, DST-III or DST-IV");
}

Formula build_dst(const Formula& f, const Choice&) {
    require(dst_dct.name, f, applicable_dst(f));
    const Integer n = f.rows();
    const int type = f.get_if<Dst>()->type;
    const Formula cosine_transform = DCT(type, n);
    if (n == 1) return cosine_transform;
    return type == 2 ? J(n) * cosine_transform * alternating_signs(n)
                     : alternating_signs(n) * cosine_transform * J(n);
}

} // namespace

constinit const BreakdownRule dct2_rdft = {
    .name = "dct2-rdft",
    .identity = "DCT2_n = Pᵀ · ([2] ⊕ [√2] ⊕ RealOf(2·diag(ω_4n^k))) · P · RDFT_n · Q",
    .applicable = applicable_dct2,
    .choices = one_choice,
    .build = build_dct2,
};

constinit const BreakdownRule dct3_rdft = {
    .name = "dct3-rdft",
    .identity = "DCT3_n = Qᵀ · RDFT_n^{−} · Pᵀ · ([1] ⊕ [√2] ⊕ RealOf(diag(ω_4n^{−k}))) · P",
    .applicable = applicable_dct3,
    .choices = one_choice,
    .build = build_dct3,
};

constinit const BreakdownRule dct4_dft = {
    .name = "dct4-dft",
    .identity = "DCT4_n = Pᵀ · RealOf(2·diag(ω_2n^k) · DFT_{n/2} · diag(ω_8n^{4j+1})) · P",
    .applicable = applicable_dct4_dft,
    .choices = one_choice,
    .build = build_dct4_dft,
};

constinit const BreakdownRule dct4_rdft = {
    .name = "dct4-rdft",
    .identity = "DCT4_n = √2 · B · RDFT_n · Q, n odd",
    .applicable = applicable_dct4_rdft,
    .choices = one_choice,
    .build = build_dct4_rdft,
};

constinit const BreakdownRule dst_dct = {
    .name = "dst-dct",
    .identity = "DST2_n = J · DCT2_n · diag((−1)^j); DST3_n, DST4_n = diag((−1)^k) · DCT_n · J",
    .applicable = applicable_dst,
    .choices = one_choice,
    .build = build_dst,
};

} // namespace swirl::rules

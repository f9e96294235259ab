// Discrete cosine and sine transforms of types 5 to 8, whose basis functions have an odd period: Püschel and Moura (2008),
// "Algebraic signal processing theory: Cooley–Tukey type algorithms for DCTs and DSTs"; Britanak, Yip and Rao (2007).
//
//   DCT5_n = [I_n 0] · RDFT_M · E,  M = 2n − 1,        DST5_n = B · RDFT_M · E,  M = 2n + 1
//
//   E is the even or (negated) odd extension, and B reads the imaginary components.
//
//   Since M is odd, a half index is a whole one modulo M, from the other end, up to a sign:
//
//   DCT6_n = D · DCT5_n · J,    DCT7_n = J · DCT5_n · D,    DST8_n = J · D · DCT5_n · J · D
//   DST6_n = D · DST5_n · J,    DST7_n = J · DST5_n · D,    DCT8_n = J · D · DST5_n · J · D,        D = diag((−1)^j)

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_dct5(const Formula& f) {
    const Dct* dct = f.get_if<Dct>();
    return dct != nullptr && dct->type == 5 ? accepted() : not_a("DCT-V");
}
Applicability applicable_dst5(const Formula& f) {
    const Dst* dst = f.get_if<Dst>();
    return dst != nullptr && dst->type == 5 ? accepted() : not_a("DST-V");
}

Formula build_dct5_rdft(const Formula& f, const Choice&) {
    require(dct5_rdft.name, f, applicable_dct5(f));
    const Integer n = f.rows(), m = 2 * n - 1;
    if (n == 1) return I(1);
    const IndexMap even = IndexMap::piecewise({{{n}, {1}, 0, 0}, {{n - 1}, {-1}, n - 1, 0}}, n);
    const IndexMap reals = IndexMap::piecewise({{{n}, {1}, 0, 0}}, m);
    return product_of({gather(reals), rdft(m, Direction::forward), gather(even)});
}

Formula build_dst5_rdft(const Formula& f, const Choice&) {
    require(dst5_rdft.name, f, applicable_dst5(f));
    const Integer n = f.rows(), m = 2 * n + 1;
    const IndexMap odd = IndexMap::piecewise({{{1}, {0}, 0, 0}, {{n}, {1}, 0, 0}, {{n}, {-1}, n - 1, 0}}, n);
    const IndexMap signs = IndexMap::piecewise({{{1}, {0}, 0, 0}, {{n}, {0}, 1, 0}, {{n}, {0}, 2, 0}}, 3);
    const DiagonalFunction sign =
        ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::vector<Complex>{0, -1, 1})};
    const IndexMap imaginaries = IndexMap::piecewise({{{n}, {-1}, m - 1, 0}}, m);
    return product_of({gather(imaginaries), rdft(m, Direction::forward), diagonal(sign, signs), gather(odd)});
}

/// The transform as the type 5 with its period: types 5, 6 and 7 of cosines and type 8 of sines have the period 2n − 1, the
/// others 2n + 1.
struct Reduction {
    int type; ///< 6, 7 or 8
    bool to_cosines;
};

std::optional<Reduction> reduction_of(const Formula& f) {
    if (const Dct* dct = f.get_if<Dct>(); dct != nullptr && dct->type > 5)
        return Reduction{dct->type, dct->type != 8};
    if (const Dst* dst = f.get_if<Dst>(); dst != nullptr && dst->type > 5)
        return Reduction{dst->type, dst->type == 8};
    return std::nullopt;
}

Applicability applicable_to_type5(const Formula& f) {
    return reduction_of(f) ? accepted() : not_a("DCT-VI, DCT-VII, DCT-VIII, DST-VI, DST-VII or DST-VIII");
}

Formula build_to_type5(const Formula& f, const Choice&) {
    require(dct_type5.name, f, applicable_to_type5(f));
    const Integer n = f.rows();
    const auto [type, to_cosines] = *reduction_of(f);
    const Formula type5 = to_cosines ? DCT(5, n) : DST(5, n);
    if (n == 1) return type5;
    const Formula reversal = J(n), alternating = alternating_signs(n);
    switch (type) {
    case 6: return product({alternating, type5, reversal});
    case 7: return product({reversal, type5, alternating});
    default: return product({reversal, alternating, type5, reversal, alternating});
    }
}

} // namespace

constinit const BreakdownRule dct5_rdft = {
    .name = "dct5-rdft",
    .identity = "DCT5_n = [I_n 0] · RDFT_{2n−1} · E",
    .applicable = applicable_dct5,
    .choices = one_choice,
    .build = build_dct5_rdft,
};

constinit const BreakdownRule dct_type5 = {
    .name = "dct-type5",
    .identity =
        "DCT6_n = D · DCT5_n · J; DCT7_n = J · DCT5_n · D; DST8_n = J · D · DCT5_n · J · D; likewise DST6, "
        "DST7, "
        "DCT8 by DST5",
    .applicable = applicable_to_type5,
    .choices = one_choice,
    .build = build_to_type5,
};

constinit const BreakdownRule dst5_rdft = {
    .name = "dst5-rdft",
    .identity = "DST5_n = B · RDFT_{2n+1} · E",
    .applicable = applicable_dst5,
    .choices = one_choice,
    .build = build_dst5_rdft,
};

} // namespace swirl::rules

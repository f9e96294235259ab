//   RDFT_n = Q · (RDFT_2b · (½·F_2 ⊗ I_b) ⊕ RealOf(pass((DFT_b ⊗ I_s) · D))) · G · P · (RDFT_a ⊗ I_b),   n = a·b, s = a/2 − 1
//
// The data are an a × b matrix of reals, whose columns are transformed first. P stores their spectra as [b][a/2][2]:
// for each column the frequencies between 0 and a/2 as (re, im) pairs, then the two real frequencies 0 and a/2 as one
// pair. G gathers rows of these. Complex rows f = 1 … s take twiddle factors ω_n^{i·f} in D and a complex transform,
// which gives X_{k·a+f}; those beyond n/2 stand for their conjugates. The two real rows are the result of a radix-2
// step in a transform of size 2b; the inverse of that step recovers the transform's input, and it gives X_{k·a/2}. Q
// stores all in halfcomplex order. Backward: n times the inverse.
//
// Two sweeps over memory for real data, without a combining pass afterwards: the rows of a matrix of half spectra
// (Sorensen, Jones, Heideman and Burrus 1987) in the four steps of Bailey (1990). Choice {a}.

#include "rules/building_blocks.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

bool divides(Integer n, Integer columns) { return n % columns == 0 && n / columns % 2 == 0; }

std::vector<Choice> rdft_two_sweep_choices(const Formula& f) {
    std::vector<Choice> result;
    const Integer n = f.rows();
    for (const Integer a : divisors(n))
        if (a >= 4 && a % 2 == 0 && 2 * a <= n && divides(n, a)) result.push_back({a});
    return result;
}

Applicability applicable_rdft_two_sweep(const Formula& f) {
    if (!f.is<RealDft>()) return not_a("real DFT");
    if (rdft_two_sweep_choices(f).empty())
        return rejected("{} has no even factor above 2 with an even cofactor", f.rows());
    return accepted();
}

class Sweeps {
public:
    Sweeps(Integer size, Integer columns, Direction direction)
        : n(size), a(columns), b(size / columns), s(columns / 2 - 1), direction_(direction) {}

    Formula formula() const {
        const Formula first = spread(rdft(a, direction_), b);
        if (direction_ == Direction::forward)
            return product_of({scatter(targets()), scatter(split_complex()), conjugation(), rows(),
                               gather(sources()), scatter(spectra()), first});
        return product_of({first, gather(spectra()), scatter(sources()), rows(), conjugation(),
                           gather(split_complex()), gather(targets())});
    }

private:
    /// Index in [b][a/2][2] of the columns' halfcomplex spectra, [a][b].
    IndexMap spectra() const {
        return IndexMap::piecewise({DigitMap{{1, b}, {0, a}, a - 2, 0}, DigitMap{{s, b}, {2, a}, 0, 0},
                                    DigitMap{{1, b}, {0, a}, a - 1, 0}, DigitMap{{s, b}, {-2, a}, a - 3, 0}},
                                   n);
    }
    /// The real rows [2][b], then the complex rows [b][s][2].
    IndexMap sources() const {
        return IndexMap::piecewise({DigitMap{{2, b}, {1, a}, a - 2, 0}, DigitMap{{b, s, 2}, {a, 2, 1}, 0, 0}},
                                   n);
    }
    Formula rows() const {
        const Formula half = spread(matrix(2, 2, {0.5L, 0.5L, 0.5L, -0.5L}), b);
        const Formula real = rdft(2 * b, direction_);
        const Formula complex = spread(DFT(b, direction_), s);
        const Formula twiddles = diagonal(TwiddleFunction{n, {a, b}, {1, a}, direction_},
                                          IndexMap(b * s, n, DigitMap{{b, s}, {a, 1}, 1, 0}));
        Summands groups;
        if (direction_ == Direction::forward) {
            groups.add(product_of({real, half}));
            groups.add(real_of(pass(product_of({complex, twiddles}))));
        } else {
            groups.add(product_of({half, real}));
            groups.add(real_of(pass(product_of({twiddles, complex}))));
        }
        return groups.sum();
    }
    /// Separates the components of the complex rows' results [b][s][2], real components first.
    IndexMap split_complex() const {
        return IndexMap::piecewise({DigitMap{{2 * b}, {1}, 0, 0}, DigitMap{{b * s, 2}, {1, b * s}, 2 * b, 0}},
                                   n);
    }
    /// −1 at the imaginary components of results that stand for their conjugate.
    Formula conjugation() const {
        const auto values = std::make_shared<const std::vector<Complex>>(std::vector<Complex>{1, -1});
        return diagonal(
            ExplicitFunction{values},
            IndexMap::piecewise(
                {DigitMap{{2 * b + b * s}, {0}, 0, 0}, DigitMap{{b / 2 * s, 2}, {0, 1}, 0, 0}}, 2));
    }
    /// Halfcomplex indices of the results.
    IndexMap targets() const {
        const Integer half = b / 2;
        return IndexMap::piecewise(
            {DigitMap{{2 * b}, {a / 2}, 0, 0}, DigitMap{{half, s}, {a, 1}, 1, 0},
             DigitMap{{half, s}, {-a, -1}, n - half * a - 1, 0}, DigitMap{{half, s}, {-a, -1}, n - 1, 0},
             DigitMap{{half, s}, {a, 1}, half * a + 1, 0}},
            n);
    }

    Integer n, a, b, s;
    Direction direction_;
};

Formula build_rdft_two_sweep(const Formula& f, const Choice& choice) {
    require(rdft_two_sweep.name, f, applicable_rdft_two_sweep(f));
    require_choice(choice.size() == 1 && choice[0] >= 4 && choice[0] % 2 == 0 && divides(f.rows(), choice[0]),
                   rdft_two_sweep.name, f, choice,
                   fmt::format("an even divisor of {} from 4 on with an even quotient", f.rows()));
    return Sweeps(f.rows(), choice[0], f.get_if<RealDft>()->direction).formula();
}

} // namespace

constinit const BreakdownRule rdft_two_sweep = {
    .name = "rdft-two-sweep",
    .identity =
        "RDFT_ab = Q · (RDFT_2b · (½·F_2 ⊗ I_b) ⊕ RealOf(pass((DFT_b ⊗ I_s) · D))) · P · (RDFT_a ⊗ I_b)",
    .applicable = applicable_rdft_two_sweep,
    .choices = rdft_two_sweep_choices,
    .build = build_rdft_two_sweep,
};

} // namespace swirl::rules

//   DFT_n = P_k · … · P_1,   n = R_1 ⋯ R_k,   K_l = R_1 ⋯ R_{l−1},   M_l = n / (K_l·R_l)
//
//   P_l = pass( S_l · (DFT_{R_l} ⊗ I_{M_l} ⊗ I_{K_l}) · D_l )
//
// On input (i_1, i_2, k) of [R_l][M_l][K_l], row-major, D_l multiplies by ω_{R_l·K_l}^{i_1·k} (nothing for l = 1);
// S_l moves output (k_1, i_2, k) of [R_l][M_l][K_l] to (i_2, k_1, k) of [M_l][R_l][K_l] (nothing for M_l = 1).
//
// The autosort form of Stockham (1966), Van Loan (1992), section 1.7: no pass only permutes; each is one loop nest.
// Choice {R_1, …, R_k}, the first radix first.

#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::rules {

using namespace formula;

namespace {

/// Bounds on the lists enumerated and returned for one n, so that planning stays fast for sizes with many divisors.
constexpr std::size_t most_lists_enumerated = 512;
constexpr std::size_t most_lists_offered = 16;

Applicability applicable_stockham(const Formula& f) {
    if (!f.is<Dft>()) return not_a("DFT");
    if (f.rows() == 1) return rejected("size 1 needs no pass");
    if (const Integer p = largest_prime_factor(f.rows()); p > largest_base_prime)
        return rejected("the prime factor {} of {} is above {}", p, f.rows(), largest_base_prime);
    return accepted();
}

/// Non-increasing lists of `length` radices with the given product, in one array: planning enumerates hundreds.
class RadixLists {
public:
    RadixLists(Integer n, std::size_t length) : length_(length) {
        for (Integer r = 2; r <= std::min(n, largest_radix); ++r)
            if (n % r == 0) radices_.push_back(r);
        extend(n, length, largest_radix, 0);
    }

    std::size_t size() const { return sums_.size(); }

    /// The `most` lists of the smallest sums, the smallest first; equal sums in the order in which they were found.
    std::vector<Choice> balanced(std::size_t most) const {
        std::vector<std::size_t> order(size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
        std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(sums_[a], a) < std::pair(sums_[b], b);
        });
        std::vector<Choice> lists;
        for (auto at = order.begin(); at != end; ++at) {
            const auto first = found_.begin() + static_cast<std::ptrdiff_t>(*at * length_);
            lists.emplace_back(first, first + static_cast<std::ptrdiff_t>(length_));
        }
        return lists;
    }

private:
    void extend(Integer rest, std::size_t length, Integer most, Integer sum) {
        if (size() >= most_lists_enumerated) return;
        if (length == 0) {
            if (rest != 1) return;
            found_.insert(found_.end(), list_.begin(), list_.end());
            sums_.push_back(sum);
            return;
        }
        for (const Integer r : radices_) {
            if (r > most) break;
            if (rest % r != 0 || !reaches(rest, r, length)) continue;
            list_.push_back(r);
            extend(rest / r, length - 1, r, sum + r);
            list_.pop_back();
        }
    }

    /// Whether `length` radices of at most r can have a product of at least `rest`.
    static bool reaches(Integer rest, Integer r, std::size_t length) {
        Integer product = 1;
        for (std::size_t i = 0; i < length && product < rest; ++i) product *= r;
        return product >= rest;
    }

    std::size_t length_;
    std::vector<Integer> radices_;
    Choice list_;
    Choice found_; ///< `length_` radices of each list
    std::vector<Integer> sums_;
};

/// Fewest passes first, then one pass more; among equals the balanced lists first, each in falling and rising order.
std::vector<Choice> stockham_choices(const Formula& f) {
    require(stockham.name, f, applicable_stockham(f)); // otherwise no list exists
    std::vector<Choice> result;
    const auto add = [&](const RadixLists& lists) {
        for (Choice& list : lists.balanced(most_lists_offered)) {
            Choice rising(list.rbegin(), list.rend());
            const bool is_level = rising == list;
            result.push_back(std::move(list));
            if (!is_level) result.push_back(std::move(rising));
        }
    };
    for (std::size_t length = 1; result.empty(); ++length) {
        const RadixLists shortest(f.rows(), length);
        if (shortest.size() == 0) continue;
        add(shortest);
        add(RadixLists(f.rows(), length + 1));
    }
    return result;
}

Formula stockham_pass(Integer n, Integer before, Integer radix, Direction direction) {
    const Integer K = before, R = radix, M = n / (K * R);
    std::vector<Formula> transforms{DFT(R, direction)};
    if (M > 1) transforms.push_back(I(M));
    if (K > 1) transforms.push_back(I(K));
    const Formula butterflies = kron(std::move(transforms));
    const Formula twiddles =
        K == 1 ? I(n) : diagonal(TwiddleFunction{R * K, {M * K, R}, {1, K}, direction}, n);
    const Formula sorting =
        M == 1 ? I(n) : permutation(IndexMap(n, n, DigitMap{{M, R, K}, {K, M * K, 1}, 0, 0}));
    return pass(product_of({sorting, butterflies, twiddles}));
}

Formula build_stockham(const Formula& f, const Choice& choice) {
    const Integer n = f.rows();
    if (!f.is<Dft>() || n == 1) require(stockham.name, f, applicable_stockham(f));
    require_radices(stockham.name, f, choice);
    const Direction direction = f.get_if<Dft>()->direction;
    return product(passes_of(
        choice, [&](Integer before, Integer radix) { return stockham_pass(n, before, radix, direction); }));
}

} // namespace

constinit const BreakdownRule stockham = {
    .name = "stockham",
    .identity = "DFT_n = ∏_l pass(S_l · (DFT_{R_l} ⊗ I_{M_l} ⊗ I_{K_l}) · D_l), n = R_1 ⋯ R_k",
    .applicable = applicable_stockham,
    .choices = stockham_choices,
    .build = build_stockham,
};

} // namespace swirl::rules

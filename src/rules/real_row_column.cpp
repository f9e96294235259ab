//   A_1 ⊗ … ⊗ A_d = ∏_i tile(I ⊗ A_i ⊗ I)
//   RDFT_{n_1×…×n_d} = ∏_{i<d} RealOf(tile(I ⊗ DFT_{n_i} ⊗ I)) · tile(I ⊗ H_n RDFT_n),   n = n_d
//
// Transforms of real data one dimension at a time; H_n stores a row's halfcomplex spectrum as ⌊n/2⌋ + 1 (re, im) pairs. In tiles
// all vectors of a dimension go through each factor of its transform together, as in a block's shared memory. Backward:
// the factors in reverse order, and H_n transposed first.
//
// Choice: the dimensions 0…d−1 in order of execution; the real DFT's last dimension is the first one forward, and the last
// one backward.

#include "rules/real_row_column.hpp"

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::rules {

using namespace formula;

namespace {

/// The rows' real DFTs, stored as pairs; or back.
Formula rows_of(Integer n, Direction direction) {
    if (direction == Direction::forward) return product({scatter(indices_in_pairs(n)), RDFT(n, direction)});
    return product({RDFT(n, direction), gather(indices_in_pairs(n))});
}

/// A real DFT of several dimensions: the complex ones, and the length of the last one.
struct Dimensions {
    std::vector<Formula> others; ///< DFTs
    Integer last;
    Direction direction;

    Integer rows() const {
        Integer count = 1;
        for (const Formula& dft : others) count *= dft.rows();
        return count;
    }
    Integer half_spectrum() const { return last / 2 + 1; }
    std::vector<Integer> lengths() const {
        std::vector<Integer> result;
        for (const Formula& dft : others) result.push_back(dft.rows());
        result.push_back(last);
        return result;
    }
};

std::optional<Dimensions> dimensions_of(const Formula& f) {
    if (!f.is<Product>() || f.children().size() != 2) return std::nullopt;
    const bool forward = f.children()[0].is<RealOf>();
    const Formula &columns = f.children()[forward ? 0 : 1], &rows = f.children()[forward ? 1 : 0];
    if (!columns.is<RealOf>() || !columns.children()[0].is<Kronecker>() || !rows.is<Kronecker>())
        return std::nullopt;
    Dimensions result{columns.children()[0].children(), 0,
                      forward ? Direction::forward : Direction::backward};
    result.others.pop_back();
    const std::vector<Formula> transforms = nonterminals(rows);
    const auto is_dft = [](const Formula& child) { return child.is<Dft>(); };
    if (result.others.empty() || !std::all_of(result.others.begin(), result.others.end(), is_dft) ||
        transforms.size() != 1 || !transforms[0].is<RealDft>())
        return std::nullopt;
    result.last = transforms[0].rows();
    if (f != rdft_multidimensional(result.lengths(), result.direction)) return std::nullopt;
    return result;
}

Applicability applicable_real_row_column(const Formula& f) {
    if (!is_real_kronecker(f) && !is_rdft_multidimensional(f))
        return not_a("real transform of several dimensions");
    return accepted();
}

/// The contiguous dimension first, or last; of a real DFT the other dimensions also in rising order.
std::vector<Choice> real_row_column_choices(const Formula& f) {
    const auto real_dft = dimensions_of(f);
    Choice rising(real_dft ? real_dft->others.size() : f.children().size());
    std::iota(rising.begin(), rising.end(), Integer{0});
    std::vector<Choice> choices{Choice(rising.rbegin(), rising.rend()), rising};
    if (rising.size() == 1) choices.pop_back();
    if (real_dft)
        for (Choice& choice : choices)
            choice.insert(real_dft->direction == Direction::forward ? choice.begin() : choice.end(),
                          std::ssize(real_dft->others));
    return choices;
}

/// I ⊗ A_k ⊗ I among transforms of all dimensions, and `after` more; an identity for each dimension, whose lengths loops have.
Formula along(const std::vector<Formula>& transforms, std::size_t k, Integer after) {
    std::vector<Formula> operands;
    for (std::size_t d = 0; d < transforms.size(); ++d)
        operands.push_back(d == k ? transforms[d] : I(transforms[d].rows()));
    if (after > 1) operands.push_back(I(after));
    return formula::tile(kron(std::move(operands)));
}

Formula build_real_row_column(const Formula& f, const Choice& choice) {
    require(real_row_column.name, f, applicable_real_row_column(f));
    const auto real_dft = dimensions_of(f);
    const std::vector<Formula>& transforms = real_dft ? real_dft->others : f.children();
    Choice expected(transforms.size() + (real_dft ? 1 : 0)), sorted = choice;
    std::iota(expected.begin(), expected.end(), Integer{0});
    std::sort(sorted.begin(), sorted.end());
    const bool forward = real_dft && real_dft->direction == Direction::forward;
    require_choice(
        sorted == expected && (!real_dft || (forward ? choice.front() : choice.back()) == expected.back()),
        real_row_column.name, f, choice,
        fmt::format("the dimensions 0…{} in some order{}", expected.back(),
                    !real_dft ? ""
                    : forward ? ", the last one first"
                              : ", the last one last"));
    std::vector<Formula> factors;
    for (auto dimension = choice.rbegin(); dimension != choice.rend(); ++dimension) {
        const auto k = static_cast<std::size_t>(*dimension);
        if (k == transforms.size())
            factors.push_back(
                formula::tile(kron(I(real_dft->rows()), rows_of(real_dft->last, real_dft->direction))));
        else if (real_dft)
            factors.push_back(real_of(along(transforms, k, real_dft->half_spectrum())));
        else
            factors.push_back(along(transforms, k, 1));
    }
    return product(std::move(factors));
}

} // namespace

Formula rdft_multidimensional(std::span<const Integer> lengths, Direction direction) {
    std::vector<Formula> others;
    Integer rows = 1;
    for (const Integer n : lengths.first(lengths.size() - 1)) {
        rows *= n;
        if (n > 1) others.push_back(DFT(n, direction));
    }
    const Integer n = lengths.back();
    others.push_back(I(n / 2 + 1));
    const Formula columns = real_of(kron(std::move(others))), inside = kron(I(rows), rows_of(n, direction));
    return direction == Direction::forward ? product({columns, inside}) : product({inside, columns});
}

bool is_rdft_multidimensional(const Formula& f) { return dimensions_of(f).has_value(); }

bool is_real_kronecker(const Formula& f) {
    const auto is_real = [](const Formula& child) {
        return child.is<RealDft>() || child.is<Dct>() || child.is<Dst>() || child.is<Dht>() ||
               child.is<Wht>();
    };
    return f.is<Kronecker>() && std::all_of(f.children().begin(), f.children().end(), is_real);
}

constinit const BreakdownRule real_row_column = {
    .name = "real-row-column",
    .identity = "A_1 ⊗ … ⊗ A_d = ∏_i tile(I ⊗ A_i ⊗ I); RDFT of d dimensions likewise",
    .applicable = applicable_real_row_column,
    .choices = real_row_column_choices,
    .build = build_real_row_column,
};

} // namespace swirl::rules

//   DFT_{n_1} ⊗ … ⊗ DFT_{n_d} = ∏_i (I_{n_1⋯n_{i−1}} ⊗ DFT_{n_i} ⊗ I_{n_{i+1}⋯n_d})
//
// One dimension at a time, in any order. Choice: the dimensions 0…d−1 in order of execution.

#include "rules/building_blocks.hpp"
#include "rules/rule_list.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::rules {

using namespace formula;

namespace {

Applicability applicable_row_column(const Formula& f) {
    const auto is_dft = [](const Formula& child) { return child.is<Dft>(); };
    if (!f.is<Kronecker>() || !std::all_of(f.children().begin(), f.children().end(), is_dft))
        return not_a("Kronecker product of DFTs");
    return accepted();
}

/// The contiguous dimension first, or last.
std::vector<Choice> row_column_choices(const Formula& f) {
    Choice rising(f.children().size());
    std::iota(rising.begin(), rising.end(), Integer{0});
    return {Choice(rising.rbegin(), rising.rend()), rising};
}

Formula build_row_column(const Formula& f, const Choice& choice) {
    require(row_column.name, f, applicable_row_column(f));
    const auto rank = static_cast<Integer>(f.children().size());
    Choice sorted = choice;
    std::sort(sorted.begin(), sorted.end());
    require_choice(sorted == row_column_choices(f).back(), row_column.name, f, choice,
                   fmt::format("the dimensions 0…{} in some order", rank - 1));
    std::vector<Formula> factors;
    for (auto dimension = choice.rbegin(); dimension != choice.rend(); ++dimension) {
        Integer before = 1, after = 1;
        for (Integer d = 0; d < rank; ++d) {
            if (d < *dimension) before *= f.children()[static_cast<std::size_t>(d)].rows();
            if (d > *dimension) after *= f.children()[static_cast<std::size_t>(d)].rows();
        }
        std::vector<Formula> operands;
        if (before > 1) operands.push_back(I(before));
        operands.push_back(f.children()[static_cast<std::size_t>(*dimension)]);
        if (after > 1) operands.push_back(I(after));
        factors.push_back(kron(std::move(operands)));
    }
    return product(std::move(factors));
}

} // namespace

constinit const BreakdownRule row_column = {
    .name = "row-column",
    .identity = "DFT_{n_1} ⊗ … ⊗ DFT_{n_d} = ∏_i (I ⊗ DFT_{n_i} ⊗ I)",
    .applicable = applicable_row_column,
    .choices = row_column_choices,
    .build = build_row_column,
};

} // namespace swirl::rules

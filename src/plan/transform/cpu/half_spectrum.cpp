#include "plan/transform/cpu/half_spectrum.hpp"

namespace swirl::planning {

using namespace formula;

namespace {

/// Halfcomplex entries to complex elements, or back: r_0, the real components, the imaginary ones, and r_{n/2} if n is
/// even. Elements without an imaginary component get a zero there, or drop the stored value.
Formula pair_halfcomplex(Integer n, bool forward) {
    const Integer m = (n - 1) / 2;
    const Formula alone = forward ? matrix(2, 1, {1, 0}) : matrix(1, 2, {1, 0});
    std::vector<Formula> blocks{alone};
    std::vector<DigitMap> halfcomplex{{{1}, {1}, 0, 0}}, pairs{{{2}, {1}, 0, 0}};
    if (m > 0) {
        blocks.push_back(m > 1 ? kron(codelet(I(2)), I(m)) : codelet(I(2)));
        halfcomplex.push_back({{m}, {1}, 1, 0});
        halfcomplex.push_back({{m}, {-1}, n - 1, 0});
        pairs.push_back({{2, m}, {1, 2}, 2, 0});
    }
    if (n % 2 == 0) {
        blocks.push_back(alone);
        halfcomplex.push_back({{1}, {1}, n / 2, 0});
        pairs.push_back({{2}, {1}, n, 0});
    }
    const IndexMap of_entries = IndexMap::piecewise(std::move(halfcomplex), n);
    const IndexMap of_pairs = IndexMap::piecewise(std::move(pairs), 2 * (n / 2 + 1));
    const Formula sum = blocks.size() > 1 ? direct_sum(std::move(blocks)) : blocks.front();
    return forward ? product({scatter(of_pairs), sum, gather(of_entries)})
                   : product({scatter(of_entries), sum, gather(of_pairs)});
}

} // namespace

void add_half_spectrum(DimensionPass& pass, std::size_t side, loops::Pointwise& pointwise, Integer n) {
    loops::Layout& layout = pass.layouts[side];
    loops::LayoutForm index{std::vector<Integer>(layout.lengths.size(), 0), 0};
    index.strides[pass.left.size() + pass.outer_dimensions] = 1;
    layout.forms->push_back(std::move(index));
    pointwise.half = {static_cast<int>(pointwise.forms.size()), n};
    pointwise.forms.emplace_back();
}

std::optional<DimensionPass> by_complex_entries(const DimensionPass& pass) {
    if (pass.outer_dimensions > 0) return std::nullopt; // complex transforms are next to the half spectrum
    DimensionPass result = pass;
    if (pass.load && pass.load->half)
        result.before = pair_halfcomplex(pass.load->half->n, false);
    else if (pass.store && pass.store->half)
        result.after = pair_halfcomplex(pass.store->half->n, true);
    else
        return std::nullopt;
    return result;
}

} // namespace swirl::planning

#include "plan/transform/dimension_passes.hpp"

#include "base/error.hpp"
#include "formula/properties.hpp"
#include "plan/transform/cpu/half_spectrum.hpp"
#include "plan/transform/cpu/pointwise.hpp"
#include "problem/syntax.hpp"
#include "rules/building_blocks.hpp"
#include "rules/given_formula.hpp"
#include "rules/number_theory.hpp"
#include "rules/real_row_column.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <span>

namespace swirl::planning {

using namespace formula;

namespace {

/// One axis of the data as the current pass reads and writes it.
struct PassAxis {
    Integer length;
    Integer in;
    Integer out;
    Integer auxiliary = 0; ///< in the auxiliary array
    std::array<std::vector<Integer>, 2> forms =
        {};            ///< for each form of either side's expression, its stride along the axis
    Integer first = 0; ///< index of the first of `length` elements

    /// Whether this loop around `inner` is equivalent to one longer loop.
    bool continues(const PassAxis& inner) const {
        if (first != 0 || inner.first != 0) return false;
        const auto goes_on = [&](Integer outer, Integer inside) { return outer == inside * inner.length; };
        bool all = goes_on(in, inner.in) && goes_on(out, inner.out) && goes_on(auxiliary, inner.auxiliary);
        for (const std::size_t side : {0U, 1U})
            for (std::size_t k = 0; k < forms[side].size(); ++k)
                all = all && goes_on(forms[side][k], inner.forms[side][k]);
        return all;
    }
};

/// Sorts loops by stride, outer before inner, and merges neighbours that are equivalent to one loop.
std::vector<PassAxis> merged(std::vector<PassAxis> loops) {
    std::erase_if(loops, [](const PassAxis& a) { return a.length == 1; });
    std::stable_sort(loops.begin(), loops.end(),
                     [](const PassAxis& a, const PassAxis& b) { return std::abs(a.in) > std::abs(b.in); });
    std::vector<PassAxis> result;
    for (const PassAxis& axis : loops) {
        const Integer around = !result.empty() && result.back().continues(axis) ? result.back().length : 0;
        if (around > 0) result.pop_back();
        result.push_back(axis);
        if (around > 0) result.back().length *= around;
    }
    return result;
}

/// The transform along a dimension.
Formula transform_of(const Transform& problem, std::size_t dimension) {
    return transform_along(kind_along(problem, dimension), problem.dimensions[dimension].length,
                           problem.direction);
}

/// A pass's transform axes and the loops around it.
struct Setting {
    DataLocation source;
    DataLocation target;
    std::vector<PassAxis> axes; ///< of the transform, outermost first
    std::vector<PassAxis> others;
};

/// Fused passes: one kernel transforms several dimensions of arrays up to this size, or the inner dimensions of larger
/// arrays, while their data is in a core's private caches.
constexpr Integer largest_fused_bytes = Integer{1} << 20;

/// Splits the other axes into loops outside and inside the transform, and lays out both sides.
DimensionPass make_pass(std::size_t dimension, Formula nonterminal, const Setting& setting) {
    const PassAxis& innermost = setting.axes.back();
    std::vector<PassAxis> outside, inside;
    for (const PassAxis& other : setting.others)
        (std::abs(other.in) >= std::abs(innermost.in) && innermost.length > 1 ? outside : inside)
            .push_back(other);
    outside = merged(std::move(outside));
    inside = merged(std::move(inside));
    const auto* circulant = nonterminal.get_if<Circulant>();
    const bool convolves = circulant != nullptr && !circulant->kernel;
    const bool complex = (convolves && !circulant->of_reals) || nonterminal.is<Dft>() ||
                         nonterminal.is<Identity>() ||
                         (nonterminal.is<Kronecker>() && !rules::is_real_kronecker(nonterminal));
    DimensionPass pass{.dimension = dimension,
                       .nonterminal = std::move(nonterminal),
                       .before = {},
                       .after = {},
                       .complex = complex,
                       .source = setting.source,
                       .target = setting.target,
                       .layouts = {},
                       .left = {},
                       .right = {}};
    if (convolves) pass.auxiliary.emplace();
    const auto append = [&](const PassAxis& a) {
        if (convolves) {
            pass.auxiliary->layout.lengths.push_back(a.length);
            pass.auxiliary->layout.strides.push_back(a.auxiliary);
        }
        for (loops::Layout& layout : pass.layouts) layout.lengths.push_back(a.length);
        pass.layouts[0].strides.push_back(a.in);
        pass.layouts[1].strides.push_back(a.out);
        for (const std::size_t side : {0U, 1U}) {
            if (!pass.layouts[side].forms) pass.layouts[side].forms.emplace(a.forms[side].size());
            for (std::size_t k = 0; k < a.forms[side].size(); ++k)
                (*pass.layouts[side].forms)[k].strides.push_back(a.forms[side][k]);
        }
    };
    for (const PassAxis& a : outside) append(a), pass.left.push_back(a.length);
    for (const PassAxis& a : setting.axes) append(a);
    for (const PassAxis& a : inside) append(a), pass.right.push_back(a.length);
    for (const PassAxis& other : setting.others) {
        pass.bases[0] += other.first * other.in;
        pass.bases[1] += other.first * other.out;
        for (const std::size_t side : {0U, 1U})
            for (std::size_t k = 0; k < other.forms[side].size(); ++k)
                (*pass.layouts[side].forms)[k].constant += other.first * other.forms[side][k];
    }
    return pass;
}

/// The axes of what the intermediate holds: those of the half spectrum in a real convolution, else of the input.
std::vector<Axis> intermediate_axes(const Transform& problem) {
    std::vector<Axis> result = axes(problem, Side::input);
    if (problem.kind == TransformKind::real_convolution) result.back().length = result.back().length / 2 + 1;
    return result;
}

/// Strides of the intermediate, contiguous over the stored elements, in the order in which the input nests its axes: batches
/// and dimensions.
std::vector<Integer> intermediate_strides(const Transform& problem) {
    const std::vector<Axis> stored = intermediate_axes(problem);
    const std::size_t loops = problem.batches.size();
    std::vector<std::size_t> inside_out(stored.size());
    std::iota(inside_out.rbegin(), inside_out.rend(), std::size_t{0});
    std::stable_sort(inside_out.begin(), inside_out.end(), [&](std::size_t a, std::size_t b) {
        const auto distance = [&](std::size_t k) {
            const Dimension& axis = k < loops ? problem.batches[k] : problem.dimensions[k - loops];
            return std::abs(stride_of(axis, Side::input));
        };
        return distance(a) < distance(b);
    });
    std::vector<Integer> strides(stored.size());
    Integer stride = 1;
    for (const std::size_t k : inside_out) {
        strides[k] = stride;
        stride *= stored[k].length;
    }
    return strides;
}

/// Stride of an axis (batches first, then dimensions) at a location.
Integer stride_in(const Transform& problem, std::size_t axis, DataLocation location) {
    if (location == DataLocation::intermediate) return intermediate_strides(problem)[axis];
    const std::size_t loops = problem.batches.size();
    const Dimension& d = axis < loops ? problem.batches[axis] : problem.dimensions[axis - loops];
    return stride_of(d, location == DataLocation::input ? Side::input : Side::output);
}

/// The setting of a pass along the dimensions first … last. Complex strides count complex elements; if the pass's
/// entries are reals, `real_factor` converts a side's strides to reals.
///
/// `kept`, if any, has for each dimension before `first` the indices that the pass loops over.
Setting setting_of(const Transform& problem, std::size_t first, std::size_t last, DataLocation source,
                   DataLocation target, std::array<Integer, 2> real_factor = {1, 1},
                   std::span<const IndexRange> kept = {}) {
    Setting setting{source, target, {}, {}};
    const std::size_t loops = problem.batches.size();
    const Side side = is_complex(problem, Side::input) ? Side::input : Side::output;
    const std::vector<Axis> stored =
        problem.kind == TransformKind::real_convolution
            ? intermediate_axes(problem)
            : axes(problem, problem.kind == TransformKind::real_dft ? side : Side::output);
    for (std::size_t k = 0; k < stored.size(); ++k) {
        PassAxis axis{stored[k].length, real_factor[0] * stride_in(problem, k, source),
                      real_factor[1] * stride_in(problem, k, target)};
        if (is_convolution(problem)) axis.auxiliary = spectrum_strides(problem)[k];
        for (const Side which : {Side::input, Side::output}) {
            if (expression_of(problem, which).is_identity()) continue;
            for (const loops::LayoutForm& form : pointwise_of(problem, which).forms)
                axis.forms[static_cast<std::size_t>(which)].push_back(form.strides[k]);
        }
        const bool transformed = loops + first <= k && k <= loops + last;
        if (!kept.empty() && loops <= k && k < loops + first) {
            axis.first = kept[k - loops].first;
            axis.length = kept[k - loops].end - axis.first;
        }
        if (!transformed)
            setting.others.push_back(axis);
        else if (axis.length > 1 || first == last)
            setting.axes.push_back(axis);
    }
    return setting;
}

/// Lengths above 1 of the dimensions from `first` on.
std::vector<Integer> lengths_from(const Transform& problem, std::size_t first) {
    std::vector<Integer> lengths;
    for (std::size_t k = first; k < problem.dimensions.size(); ++k)
        if (problem.dimensions[k].length > 1) lengths.push_back(problem.dimensions[k].length);
    return lengths;
}

/// The pass between reals and half spectrum along the last dimension, and along all others from `first` on.
DimensionPass real_pass(const Transform& problem, std::size_t first, Direction direction, DataLocation source,
                        DataLocation target, std::span<const IndexRange> kept = {}) {
    const std::size_t last = problem.dimensions.size() - 1;
    const Integer n = problem.dimensions[last].length;
    const bool forward = direction == Direction::forward;
    const std::vector<Integer> lengths = lengths_from(problem, first);
    const bool several = lengths.size() > 1;
    DimensionPass pass =
        make_pass(several ? first : last,
                  several ? rules::rdft_multidimensional(lengths, direction) : RDFT(n, direction),
                  setting_of(problem, several ? first : last, last, source, target,
                             {forward ? 1 : 2, forward ? 2 : 1}, kept));
    if (several) pass.outer_dimensions = lengths.size() - 1;
    // On the half spectrum's side, the transform's digit becomes n/2+1 elements of two reals; on the other side, n
    // reals.
    const std::size_t at = pass.left.size() + pass.outer_dimensions;
    loops::Layout& spectrum = pass.layouts[forward ? 1 : 0];
    spectrum.lengths.insert(spectrum.lengths.begin() + static_cast<std::ptrdiff_t>(at) + 1, 2);
    spectrum.strides.insert(spectrum.strides.begin() + static_cast<std::ptrdiff_t>(at) + 1, 1);
    pass.layouts[forward ? 0 : 1].lengths[at] = n;
    for (loops::LayoutForm& form : *spectrum.forms)
        form.strides.insert(form.strides.begin() + static_cast<std::ptrdiff_t>(at) + 1, 0);
    if (several) return pass;
    (forward ? pass.after : pass.before) =
        forward ? scatter(rules::indices_in_pairs(n)) : gather(rules::indices_in_pairs(n));
    return pass;
}

/// Whether a dimension encloses the next one in memory, on both sides.
bool nests(const Transform& problem, std::size_t outer) {
    const Dimension &a = problem.dimensions[outer], &b = problem.dimensions[outer + 1];
    return std::abs(stride_of(a, Side::input)) >= std::abs(stride_of(b, Side::input)) * b.length &&
           std::abs(stride_of(a, Side::output)) >= std::abs(stride_of(b, Side::output)) * b.length;
}

/// Whether the last two dimensions are matrices larger than the caches whose rows one kernel transforms in bands,
/// together with some of their columns.
bool go_in_bands(const Transform& problem) {
    const std::size_t rank = problem.dimensions.size();
    if (rank < 2 || !nests(problem, rank - 2)) return false;
    const Integer rows = problem.dimensions[rank - 2].length, columns = problem.dimensions[rank - 1].length;
    if (rows < 2 || columns < 2) return false;
    const Integer row_bytes = 2 * bytes_of(problem.precision) * columns;
    const Integer factor = rules::prime_factors(rows).front();
    return factor < rows && row_bytes * rows > largest_fused_bytes &&
           row_bytes * factor <= largest_fused_bytes;
}

/// Index of the first of the last dimensions that one kernel transforms.
std::size_t first_fused(const Transform& problem) {
    if (go_in_bands(problem)) return problem.dimensions.size() - 2;
    std::size_t first = problem.dimensions.size() - 1;
    Integer bytes = 2 * bytes_of(problem.precision) * problem.dimensions[first].length;
    while (first > 0 && bytes * problem.dimensions[first - 1].length <= largest_fused_bytes &&
           nests(problem, first - 1))
        bytes *= problem.dimensions[--first].length;
    return first;
}

/// Fuses the innermost dimensions into one pass if they are small enough; returns the number of remaining dimensions.
std::size_t add_fused_pass(std::vector<DimensionPass>& result, const Transform& problem, std::size_t first) {
    const std::size_t rank = problem.dimensions.size();
    const std::vector<Integer> lengths = lengths_from(problem, first);
    if (lengths.size() < 2) return rank;
    std::vector<Formula> transforms;
    for (std::size_t k = first; k < rank; ++k)
        if (problem.dimensions[k].length > 1) transforms.push_back(transform_of(problem, k));
    result.push_back(
        make_pass(first, kron(std::move(transforms)),
                  setting_of(problem, first, rank - 1, DataLocation::input, DataLocation::output)));
    return first;
}

/// Transforms along the first `end` dimensions, last one first; all but the first pass work in `target`.
void add_passes(std::vector<DimensionPass>& result, const Transform& problem, std::size_t end,
                DataLocation source, DataLocation target) {
    for (std::size_t k = end; k-- > 0;) {
        if (problem.dimensions[k].length == 1) continue;
        result.push_back(make_pass(k, transform_of(problem, k), setting_of(problem, k, k, source, target)));
        source = target;
    }
}

/// The dimensions from `first_fused` on in one pass.
std::vector<DimensionPass> real_dft_passes(const Transform& problem, std::size_t first_fused) {
    const std::size_t first = std::min(first_fused, problem.dimensions.size() - 1);
    std::vector<DimensionPass> result;
    if (problem.direction == Direction::forward) {
        result.push_back(
            real_pass(problem, first, problem.direction, DataLocation::input, DataLocation::output));
        add_passes(result, problem, first, DataLocation::output, DataLocation::output);
        return result;
    }
    // In place the half spectrum may pass between dimensions in the caller's array, but only in elements that the load touches.
    const bool touches_all = problem.load.is_identity() || needed_where(*problem.load.tree()).empty();
    const bool in_place = problem.placement == Placement::in_place && touches_all;
    const DataLocation between = in_place ? DataLocation::input : DataLocation::intermediate;
    add_passes(result, problem, first, DataLocation::input, between);
    result.push_back(real_pass(problem, first, problem.direction,
                               result.empty() ? DataLocation::input : between, DataLocation::output));
    return result;
}

/// Transforms along all dimensions but the first, the convolution along the first, and the transforms back.
std::vector<DimensionPass> convolution_passes(const Transform& problem) {
    std::vector<std::size_t> along;
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k)
        if (problem.dimensions[k].length > 1) along.push_back(k);
    if (along.empty()) along.push_back(0);
    const bool small =
        bytes_of(stored_precision(problem, Side::output)) < 4; // values between the passes must not grow
    // The output holds no results between the passes where some of its elements are left out.
    const bool leaves_out = !problem.store.is_identity() && problem.store.tree()->where;
    const DataLocation between = leaves_out ? DataLocation::intermediate : DataLocation::output;
    const std::size_t passes = 2 * along.size() - 1;
    std::vector<DimensionPass> result;
    const auto add = [&](std::size_t k, Formula transform, double scale) {
        const DataLocation source = result.empty() ? DataLocation::input : between;
        const DataLocation target = result.size() + 1 == passes ? DataLocation::output : between;
        result.push_back(make_pass(k, std::move(transform), setting_of(problem, k, k, source, target)));
        result.back().scale = scale;
    };
    const auto length = [&](std::size_t k) { return problem.dimensions[k].length; };
    const auto fraction = [&](std::size_t k) { return 1 / std::sqrt(static_cast<double>(length(k))); };
    for (std::size_t k = along.size(); k-- > 1;)
        add(along[k], DFT(length(along[k]), Direction::forward), small ? fraction(along[k]) : 1);
    add(along[0], circulant(length(along[0])), 1);
    for (std::size_t k = 1; k < along.size(); ++k)
        add(along[k], DFT(length(along[k]), Direction::backward),
            small ? fraction(along[k]) : 1 / static_cast<double>(length(along[k])));
    result.back().scale *= problem.scale;
    return result;
}

/// For each dimension, the indices at which the problem has inputs that are not zero, or writes outputs.
std::vector<IndexRange> ranges_along_dimensions(const Transform& problem, Side side) {
    std::vector<IndexRange> ranges = ranges_where(problem, side);
    ranges.erase(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(problem.batches.size()));
    return ranges;
}

/// Real transforms along the last dimension and complex ones along the others, whose half spectra lie in the intermediate, with
/// the convolution along the first; in one dimension a convolution of reals.
std::vector<DimensionPass> real_convolution_passes(const Transform& problem) {
    const std::size_t last = problem.dimensions.size() - 1;
    std::vector<std::size_t> along;
    for (std::size_t k = 0; k < last; ++k)
        if (problem.dimensions[k].length > 1) along.push_back(k);
    std::vector<DimensionPass> result;
    if (along.empty()) {
        Setting setting = setting_of(problem, last, last, DataLocation::input, DataLocation::output);
        setting.axes.back().length = problem.dimensions[last].length;
        result.push_back(make_pass(last, transform_of(problem, last), setting));
        result.back().scale = problem.scale;
        return result;
    }
    const DataLocation between = DataLocation::intermediate;
    // Rows of zeros are not transformed on the way there, nor rows without results on the way back.
    const std::vector<IndexRange> read = ranges_along_dimensions(problem, Side::input),
                                  written = ranges_along_dimensions(problem, Side::output);
    const auto add = [&](std::size_t k, Formula transform, double scale,
                         const std::vector<IndexRange>& kept) {
        result.push_back(
            make_pass(k, std::move(transform), setting_of(problem, k, k, between, between, {1, 1}, kept)));
        result.back().scale = scale;
    };
    const auto length = [&](std::size_t k) { return problem.dimensions[k].length; };
    result.push_back(real_pass(problem, last, Direction::forward, DataLocation::input, between, read));
    for (std::size_t k = along.size(); k-- > 1;)
        add(along[k], DFT(length(along[k]), Direction::forward), 1, read);
    add(along[0], circulant(length(along[0])), 1, {});
    for (std::size_t k = 1; k < along.size(); ++k)
        add(along[k], DFT(length(along[k]), Direction::backward), 1 / static_cast<double>(length(along[k])),
            written);
    result.push_back(real_pass(problem, last, Direction::backward, between, DataLocation::output, written));
    result.back().scale = problem.scale / static_cast<long double>(length(last));
    return result;
}

/// Reads only the indices along a pass's dimension that earlier passes wrote, the others being zeros, and writes only those that
/// later passes read.
void skip_zeros_between_passes(std::vector<DimensionPass>& passes, const Transform& problem) {
    const std::size_t convolving = (passes.size() - 1) / 2;
    for (std::size_t p = 1; p + 1 < passes.size(); ++p)
        for (const Side side : {Side::input, Side::output}) {
            DimensionPass& pass = passes[p];
            if (side == Side::input ? p > convolving : p < convolving) continue;
            const IndexRange range = ranges_along_dimensions(problem, side)[pass.dimension];
            const Integer n = problem.dimensions[pass.dimension].length;
            if (range.first == 0 && range.end == n) continue;
            loops::Layout& layout = pass.layouts[static_cast<std::size_t>(side)];
            const std::size_t at = pass.left.size();
            loops::LayoutForm index{std::vector<Integer>(layout.lengths.size(), 0), -range.first};
            index.strides[at] = 1;
            loops::LayoutForm beyond = index, safe{layout.strides, range.first * layout.strides[at]};
            beyond.constant = -range.end;
            safe.strides[at] = 0;
            layout.forms = {index, beyond, safe};
            using Op = loops::Pointwise::Op;
            loops::Pointwise pointwise;
            pointwise.nodes.push_back({.op = Op::x, .operands = {}});
            pointwise.where = {{Op::form_nonnegative, 0}, {Op::form_negative, 1}};
            if (side == Side::input) pointwise.needed = pointwise.where;
            pointwise.safe = 2;
            pointwise.forms = *layout.forms;
            (side == Side::input ? pass.load : pass.store) = std::move(pointwise);
        }
}

/// Whether a formula's factors may run in place: some temporary vector lies between the first read and the last write,
/// in each loop around it.
bool has_temporary_vector(const Formula& f) {
    const auto moves_data = [](const Formula& factor) {
        return factor.is<Identity>() || factor.is<Permutation>() || factor.is<Diagonal>() ||
               factor.is<Gather>() || factor.is<Scatter>();
    };
    return f.is<Product>() && std::count_if(f.children().begin(), f.children().end(),
                                            [&](const Formula& factor) { return !moves_data(factor); }) > 1;
}

/// The formula as one pass. In place, where it might overwrite entries that it has yet to read, through the intermediate.
std::vector<DimensionPass> formula_passes(const Transform& problem) {
    const Formula& given = problem.matrix.term();
    const bool complex = problem.kind == TransformKind::formula;
    const bool by_components = complex && has_real_transform(given);
    const Formula term = complex ? given : rules::on_reals(given).value_or(given);
    const Formula whole = by_components ? real_of(term) : term;
    if (by_components && problem.layout == ComplexLayout::planar)
        throw Unsupported(
            "no kernel applies the formula's real transforms to planar data\n  problem: {}\n  use the "
            "interleaved "
            "layout, or a formula without RDFT, DCT, DST and real[…]",
            to_text(problem));
    if (by_components && !(problem.load.is_identity() && problem.store.is_identity()))
        throw Unsupported(
            "no kernel has load or store callbacks around real transforms of complex data\n  problem: {}\n  "
            "leave out "
            "the callbacks, or use a formula without RDFT, DCT, DST and real[…]",
            to_text(problem));
    const Integer components = by_components ? 2 : 1;
    const auto pass_of = [&](Formula nonterminal, DataLocation source, DataLocation target) {
        const Shape shape = nonterminal.shape();
        DimensionPass pass = make_pass(0, by_components ? real_of(nonterminal) : std::move(nonterminal),
                                       setting_of(problem, 0, 0, source, target, {components, components}));
        pass.complex = complex && !by_components;
        const auto at = static_cast<std::ptrdiff_t>(pass.left.size());
        pass.layouts[0].lengths[pass.left.size()] = shape.columns;
        pass.layouts[1].lengths[pass.left.size()] = shape.rows;
        if (by_components)
            for (loops::Layout& layout : pass.layouts) {
                layout.lengths.insert(layout.lengths.begin() + at + 1, 2);
                layout.strides.insert(layout.strides.begin() + at + 1, 1);
            }
        return pass;
    };
    const bool is_direct =
        problem.placement == Placement::out_of_place || is_nonterminal(given) ||
        has_temporary_vector(rules::is_given_formula(whole) ? rules::simplified_formula(whole) : whole);
    if (is_direct) return {pass_of(term, DataLocation::input, DataLocation::output)};
    return {pass_of(term, DataLocation::input, DataLocation::intermediate),
            pass_of(I(given.rows()), DataLocation::intermediate, DataLocation::output)};
}

/// The factor by which a transform of one point multiplies.
double factor_of_one_point(TransformKind kind) {
    switch (kind) {
    case TransformKind::dct2:
    case TransformKind::dst1:
    case TransformKind::dst2: return 2;
    case TransformKind::dct4:
    case TransformKind::dst4: return std::numbers::sqrt2;
    case TransformKind::dct8:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7: return std::numbers::sqrt3;
    case TransformKind::dft:
    case TransformKind::real_dft:
    case TransformKind::wht:
    case TransformKind::wht_dyadic:
    case TransformKind::wht_sequency:
    case TransformKind::dct3:
    case TransformKind::dst3:
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dst8:
    case TransformKind::dht:
    case TransformKind::r2hc:
    case TransformKind::hc2r:
    case TransformKind::convolution:
    case TransformKind::real_convolution:
    case TransformKind::formula:
    case TransformKind::real_formula: return 1;
    case TransformKind::dct1:
    case TransformKind::mixed: break;
    }
    throw InternalError("unknown kind of transform");
}

/// The problem's scale, times the factors of the dimensions of one point that no pass transforms.
long double scale_of(const std::vector<DimensionPass>& passes, const Transform& problem) {
    long double scale = problem.scale;
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k) {
        const auto transforms_it = [&](const DimensionPass& pass) { return pass.dimension == k; };
        if (problem.dimensions[k].length == 1 && std::none_of(passes.begin(), passes.end(), transforms_it))
            scale *= factor_of_one_point(kind_along(problem, k));
    }
    return scale;
}

/// The last pass applies the scale. With 16-bit types, whose intermediate values lie in the output, each pass applies a
/// share in proportion to the logarithm of its length, so that intermediate values are no larger than those at one of
/// the ends.
void distribute_scale(std::vector<DimensionPass>& passes, const Transform& problem) {
    const long double scale = scale_of(passes, problem);
    passes.back().scale = scale;
    if (bytes_of(stored_precision(problem, Side::output)) >= 4 || scale == 0) return;
    const double points = std::log2(static_cast<double>(transform_size(problem)));
    for (std::size_t k = 0; k + 1 < passes.size(); ++k) {
        const double fraction = std::log2(static_cast<double>(passes[k].nonterminal.rows())) / points;
        passes[k].scale = std::exp2(fraction * std::log2(std::fabs(scale)));
        passes.back().scale /= passes[k].scale;
    }
}

/// The first pass applies the load expression, the last pass the store expression.
void add_expressions(std::vector<DimensionPass>& passes, const Transform& problem) {
    for (const Side side : {Side::input, Side::output}) {
        const auto s = static_cast<std::size_t>(side);
        DimensionPass& own = side == Side::input ? passes.front() : passes.back();
        for (DimensionPass& pass : passes)
            if (&pass != &own || expression_of(problem, side).is_identity()) pass.layouts[s].forms.reset();
        if (expression_of(problem, side).is_identity()) continue;
        loops::Pointwise pointwise = pointwise_of(problem, side);
        for (std::size_t k = 0; k < pointwise.forms.size(); ++k)
            own.layouts[s].forms->at(k).constant += pointwise.forms[k].constant;
        const Extent reach = extent(problem, side);
        own.reaches[s] = {reach.lowest, reach.highest};
        if (has_complex_elements(problem, side) && !own.complex) {
            add_half_spectrum(own, s, pointwise, problem.dimensions.back().length);
            own.reaches[s] = {2 * reach.lowest, 2 * reach.highest + 1};
        }
        (side == Side::input ? own.load : own.store) = std::move(pointwise);
    }
}

} // namespace

Formula transform_along(TransformKind kind, Integer n, Direction direction) {
    switch (kind) {
    case TransformKind::dft: return n == 1 ? I(1) : DFT(n, direction);
    case TransformKind::real_dft: return RDFT(n, direction);
    case TransformKind::wht: return n == 1 ? I(1) : WHT(n);
    case TransformKind::wht_dyadic: return n == 1 ? I(1) : WHT(n, WalshOrder::dyadic);
    case TransformKind::wht_sequency: return n == 1 ? I(1) : WHT(n, WalshOrder::sequency);
    case TransformKind::dct1: return DCT(1, n);
    case TransformKind::dct2: return DCT(2, n);
    case TransformKind::dct3: return DCT(3, n);
    case TransformKind::dct4: return DCT(4, n);
    case TransformKind::dct5: return DCT(5, n);
    case TransformKind::dct6: return DCT(6, n);
    case TransformKind::dct7: return DCT(7, n);
    case TransformKind::dct8: return DCT(8, n);
    case TransformKind::dst1: return DST(1, n);
    case TransformKind::dst2: return DST(2, n);
    case TransformKind::dst3: return DST(3, n);
    case TransformKind::dst4: return DST(4, n);
    case TransformKind::dst5: return DST(5, n);
    case TransformKind::dst6: return DST(6, n);
    case TransformKind::dst7: return DST(7, n);
    case TransformKind::dst8: return DST(8, n);
    case TransformKind::dht: return n == 1 ? I(1) : DHT(n);
    case TransformKind::r2hc: return n == 1 ? I(1) : RDFT(n, Direction::forward);
    case TransformKind::hc2r: return n == 1 ? I(1) : RDFT(n, Direction::backward);
    case TransformKind::convolution: return circulant(n);
    case TransformKind::real_convolution: return real_circulant(n);
    case TransformKind::mixed:
    case TransformKind::formula:
    case TransformKind::real_formula: break;
    }
    throw InternalError("unknown kind of transform");
}

std::vector<DimensionPass> dimension_passes(const Transform& problem, Fusion fusion) {
    const bool fuses = fusion == Fusion::in_caches && problem.kind == TransformKind::dft;
    return dimension_passes(problem, fuses ? first_fused(problem) : problem.dimensions.size());
}

std::optional<std::size_t> first_fused_of(const Transform& problem, std::size_t count) {
    if (count < 2 || is_convolution(problem) || has_formula(problem)) return std::nullopt;
    if (problem.kind == TransformKind::real_dft && problem.dimensions.back().length == 1) return std::nullopt;
    for (std::size_t k = problem.dimensions.size(); k-- > 0;)
        if (problem.dimensions[k].length > 1 && --count == 0) return k;
    return std::nullopt;
}

std::vector<DimensionPass> dimension_passes(const Transform& problem, std::size_t first_fused) {
    std::vector<DimensionPass> result;
    if (problem.kind == TransformKind::convolution) {
        result = convolution_passes(problem);
    } else if (problem.kind == TransformKind::real_convolution) {
        result = real_convolution_passes(problem);
    } else if (has_formula(problem)) {
        result = formula_passes(problem);
    } else if (problem.kind == TransformKind::real_dft) {
        result = real_dft_passes(problem, first_fused);
    } else {
        const std::size_t rest = add_fused_pass(result, problem, first_fused);
        add_passes(result, problem, rest, result.empty() ? DataLocation::input : DataLocation::output,
                   DataLocation::output);
        if (result.empty()) {
            const Setting setting = setting_of(problem, 0, 0, DataLocation::input, DataLocation::output);
            result.push_back(make_pass(0, transform_of(problem, 0), setting));
            result[0].complex = problem.kind == TransformKind::dft;
        }
    }
    if (!is_convolution(problem)) distribute_scale(result, problem);
    add_expressions(result, problem);
    if (problem.kind == TransformKind::real_convolution) skip_zeros_between_passes(result, problem);
    for (DimensionPass& pass : result) {
        pass.position = static_cast<std::size_t>(&pass - result.data());
        pass.arrays = auxiliary_buffers(problem);
    }
    // In place, both locations are the caller's one array; the strides of either side have already been used.
    if (problem.placement == Placement::in_place)
        for (DimensionPass& pass : result)
            for (DataLocation* const location : {&pass.source, &pass.target})
                if (*location == DataLocation::input) *location = DataLocation::output;
    return result;
}

bool is_planar(const Transform& problem, DataLocation location) {
    if (problem.layout != ComplexLayout::planar || location == DataLocation::intermediate) return false;
    return is_complex(problem, location == DataLocation::input ? Side::input : Side::output);
}

bool stores_reals_at(const Transform& problem, DataLocation location) {
    return location == DataLocation::output && stores_reals(problem);
}

std::size_t intermediate_bytes(const Transform& problem) {
    return intermediate_bytes(problem, dimension_passes(problem));
}

std::size_t intermediate_bytes(const Transform& problem, std::span<const DimensionPass> passes) {
    for (const DimensionPass& pass : passes)
        if (pass.target == DataLocation::intermediate) {
            Integer elements = 1;
            for (const Axis& axis : intermediate_axes(problem)) elements *= axis.length;
            return static_cast<std::size_t>(2 * elements * bytes_of(arithmetic_of(problem.precision)));
        }
    return 0;
}

void require_passes_for(const Schedule& schedule, const std::vector<DimensionPass>& passes) {
    if (schedule.transform().passes.size() != passes.size())
        throw UserError("schedule \"{}\" has {} passes; this problem needs {}", to_string(schedule),
                        schedule.transform().passes.size(), passes.size());
    for (std::size_t k = 0; k < passes.size(); ++k)
        if (schedule.transform().passes[k].dimension != passes[k].dimension)
            throw UserError(
                "schedule \"{}\": pass {} is over dimension {}; this problem needs dimension {} there",
                to_string(schedule), k, schedule.transform().passes[k].dimension, passes[k].dimension);
}

} // namespace swirl::planning

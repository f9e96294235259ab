#include "plan/steps.hpp"

#include "base/error.hpp"
#include "plan/half_spectrum.hpp"
#include "plan/pointwise.hpp"
#include "rules/number_theory.hpp"
#include "rules/row_column.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>

namespace swirl::planning {

using namespace formula;

namespace {

/// One axis of the data as the stage at hand reads and writes it.
struct StageAxis {
    Integer length;
    Integer in;
    Integer out;
    Integer beside = 0; ///< in the array beside them
    std::array<std::vector<Integer>, 2> forms =
        {}; ///< of each form of either side's expression, the step along it

    /// Whether a loop around one steps as if both were one.
    bool continues(const StageAxis& inner) const {
        const auto goes_on = [&](Integer outer, Integer inside) { return outer == inside * inner.length; };
        bool all = goes_on(in, inner.in) && goes_on(out, inner.out) && goes_on(beside, inner.beside);
        for (const std::size_t side : {0U, 1U})
            for (std::size_t k = 0; k < forms[side].size(); ++k)
                all = all && goes_on(forms[side][k], inner.forms[side][k]);
        return all;
    }
};

/// Outer loops before inner ones, as memory lies; neighbours that step as one loop would become one.
std::vector<StageAxis> merged(std::vector<StageAxis> loops) {
    std::erase_if(loops, [](const StageAxis& a) { return a.length == 1; });
    std::stable_sort(loops.begin(), loops.end(),
                     [](const StageAxis& a, const StageAxis& b) { return std::abs(a.in) > std::abs(b.in); });
    std::vector<StageAxis> result;
    for (const StageAxis& axis : loops) {
        const Integer around = !result.empty() && result.back().continues(axis) ? result.back().length : 0;
        if (around > 0) result.pop_back();
        result.push_back(axis);
        if (around > 0) result.back().length *= around;
    }
    return result;
}

Formula transform_of(const Problem& problem, Integer n) {
    if (n == 1 && problem.kind == TransformKind::dft) return I(1);
    switch (problem.kind) {
    case TransformKind::dft: return DFT(n, problem.direction);
    case TransformKind::real_dft: return RDFT(n, problem.direction);
    case TransformKind::wht: return n == 1 ? I(1) : WHT(n);
    case TransformKind::dct2: return DCT(2, n);
    case TransformKind::dct3: return DCT(3, n);
    case TransformKind::dct4: return DCT(4, n);
    case TransformKind::dst2: return DST(2, n);
    case TransformKind::dst3: return DST(3, n);
    case TransformKind::dst4: return DST(4, n);
    case TransformKind::convolution: return circulant(n);
    }
    throw InternalError("unknown kind of transform");
}

/// Where a stage's transform runs and what lies around it.
struct Setting {
    Place source;
    Place target;
    std::vector<StageAxis> axes; ///< of the transform, the outermost first
    std::vector<StageAxis> others;
};

/// Arrays up to this size, or the inner dimensions of larger ones, are transformed along several dimensions by one
/// kernel, while they are in a core's own caches.
constexpr Integer largest_fused_bytes = Integer{1} << 20;

/// Splits the other axes into loops outside and inside the transform and lays out both sides.
Stage make_stage(std::size_t dimension, Formula nonterminal, const Setting& setting) {
    const StageAxis& innermost = setting.axes.back();
    std::vector<StageAxis> outside, inside;
    for (const StageAxis& other : setting.others)
        (std::abs(other.in) >= std::abs(innermost.in) && innermost.length > 1 ? outside : inside)
            .push_back(other);
    outside = merged(std::move(outside));
    inside = merged(std::move(inside));
    const bool convolves = nonterminal.is<Circulant>();
    const bool complex =
        convolves || nonterminal.is<Dft>() || nonterminal.is<Kronecker>() || nonterminal.is<Identity>();
    Stage stage{dimension,      std::move(nonterminal), {}, {}, complex,
                setting.source, setting.target,         {}, {}, {}};
    if (convolves) stage.beside.emplace();
    const auto append = [&](const StageAxis& a) {
        if (convolves) {
            stage.beside->layout.lengths.push_back(a.length);
            stage.beside->layout.strides.push_back(a.beside);
        }
        for (lower::Layout& layout : stage.layouts) layout.lengths.push_back(a.length);
        stage.layouts[0].strides.push_back(a.in);
        stage.layouts[1].strides.push_back(a.out);
        for (const std::size_t side : {0U, 1U}) {
            if (!stage.layouts[side].forms) stage.layouts[side].forms.emplace(a.forms[side].size());
            for (std::size_t k = 0; k < a.forms[side].size(); ++k)
                (*stage.layouts[side].forms)[k].strides.push_back(a.forms[side][k]);
        }
    };
    for (const StageAxis& a : outside) append(a), stage.left.push_back(a.length);
    for (const StageAxis& a : setting.axes) append(a);
    for (const StageAxis& a : inside) append(a), stage.right.push_back(a.length);
    return stage;
}

/// Strides of the intermediate: batches, then dimensions, row-major over what is stored.
std::vector<Integer> intermediate_strides(const Problem& problem) {
    const std::vector<Axis> stored = axes(problem, Side::input);
    std::vector<Integer> strides(stored.size());
    Integer stride = 1;
    for (std::size_t k = stored.size(); k-- > 0; stride *= stored[k].length) strides[k] = stride;
    return strides;
}

/// Stride of an axis (batches first, then dimensions) in a place.
Integer stride_in(const Problem& problem, std::size_t axis, Place place) {
    if (place == Place::intermediate) return intermediate_strides(problem)[axis];
    const std::size_t loops = problem.batches.size();
    const Dimension& d = axis < loops ? problem.batches[axis] : problem.dimensions[axis - loops];
    return stride_of(d, place == Place::input ? Side::input : Side::output);
}

/// The setting of a stage along the dimensions first … last. Complex strides count complex elements: where the stage's entries are
/// reals, `real_factor` turns a side's strides into reals.
Setting setting_of(const Problem& problem, std::size_t first, std::size_t last, Place source, Place target,
                   std::array<Integer, 2> real_factor = {1, 1}) {
    Setting setting{source, target, {}, {}};
    const std::size_t loops = problem.batches.size();
    const Side side = is_complex(problem, Side::input) ? Side::input : Side::output;
    const std::vector<Axis> stored =
        axes(problem, problem.kind == TransformKind::real_dft ? side : Side::output);
    for (std::size_t k = 0; k < stored.size(); ++k) {
        StageAxis axis{stored[k].length, real_factor[0] * stride_in(problem, k, source),
                       real_factor[1] * stride_in(problem, k, target)};
        if (problem.kind == TransformKind::convolution) axis.beside = spectrum_strides(problem)[k];
        for (const Side which : {Side::input, Side::output}) {
            if (expression_of(problem, which).is_identity()) continue;
            for (const lower::PlaceForm& form : pointwise_of(problem, which).forms)
                axis.forms[static_cast<std::size_t>(which)].push_back(form.strides[k]);
        }
        const bool transformed = loops + first <= k && k <= loops + last;
        if (!transformed)
            setting.others.push_back(axis);
        else if (axis.length > 1 || first == last)
            setting.axes.push_back(axis);
    }
    return setting;
}

/// The stage between reals and half spectrum, always along the last dimension.
Stage real_stage(const Problem& problem, Place source, Place target) {
    const std::size_t last = problem.dimensions.size() - 1;
    const Integer n = problem.dimensions[last].length;
    const bool forward = problem.direction == Direction::forward;
    Stage stage =
        make_stage(last, RDFT(n, problem.direction),
                   setting_of(problem, last, last, source, target, {forward ? 1 : 2, forward ? 2 : 1}));
    // The half spectrum's side: the transform's digit becomes n/2+1 numbers of two reals. The other side has n reals.
    const std::size_t at = stage.left.size();
    lower::Layout& spectrum = stage.layouts[forward ? 1 : 0];
    spectrum.lengths.insert(spectrum.lengths.begin() + static_cast<std::ptrdiff_t>(at) + 1, 2);
    spectrum.strides.insert(spectrum.strides.begin() + static_cast<std::ptrdiff_t>(at) + 1, 1);
    stage.layouts[forward ? 0 : 1].lengths[at] = n;
    for (lower::PlaceForm& form : *spectrum.forms)
        form.strides.insert(form.strides.begin() + static_cast<std::ptrdiff_t>(at) + 1, 0);
    (forward ? stage.after : stage.before) =
        forward ? scatter(places_in_pairs(n)) : gather(places_in_pairs(n));
    return stage;
}

/// Whether a dimension goes around the next one, on both sides.
bool nests(const Problem& problem, std::size_t outer) {
    const Dimension &a = problem.dimensions[outer], &b = problem.dimensions[outer + 1];
    return std::abs(stride_of(a, Side::input)) >= std::abs(stride_of(b, Side::input)) * b.length &&
           std::abs(stride_of(a, Side::output)) >= std::abs(stride_of(b, Side::output)) * b.length;
}

/// Whether the last two dimensions are matrices beyond the caches whose rows go through one kernel in bands, with a
/// part of their columns.
bool go_in_bands(const Problem& problem) {
    const std::size_t rank = problem.dimensions.size();
    if (rank < 2 || !nests(problem, rank - 2)) return false;
    const Integer rows = problem.dimensions[rank - 2].length, columns = problem.dimensions[rank - 1].length;
    if (rows < 2 || columns < 2) return false;
    const Integer row_bytes = 2 * real_bytes(problem.precision) * columns;
    const Integer factor = rules::prime_factors(rows).front();
    return factor < rows && row_bytes * rows > largest_fused_bytes &&
           row_bytes * factor <= largest_fused_bytes;
}

/// The first of the last dimensions that one kernel transforms.
std::size_t first_fused(const Problem& problem) {
    if (go_in_bands(problem)) return problem.dimensions.size() - 2;
    std::size_t first = problem.dimensions.size() - 1;
    Integer bytes = 2 * real_bytes(problem.precision) * problem.dimensions[first].length;
    while (first > 0 && bytes * problem.dimensions[first - 1].length <= largest_fused_bytes &&
           nests(problem, first - 1))
        bytes *= problem.dimensions[--first].length;
    return first;
}

/// The innermost dimensions in one go where they are small enough; returns how many dimensions are left.
std::size_t add_fused_stage(std::vector<Stage>& result, const Problem& problem, std::size_t first) {
    const std::size_t rank = problem.dimensions.size();
    std::vector<Integer> lengths;
    for (std::size_t k = first; k < rank; ++k)
        if (problem.dimensions[k].length > 1) lengths.push_back(problem.dimensions[k].length);
    if (lengths.size() < 2) return rank;
    result.push_back(make_stage(first, rules::dft_multidimensional(lengths, problem.direction),
                                setting_of(problem, first, rank - 1, Place::input, Place::output)));
    return first;
}

/// Transforms along the first `end` dimensions, the last of them first, in `target` after the first.
void add_stages(std::vector<Stage>& result, const Problem& problem, std::size_t end, Place source,
                Place target) {
    for (std::size_t k = end; k-- > 0;) {
        const Integer n = problem.dimensions[k].length;
        if (n == 1) continue;
        const bool complex = problem.kind == TransformKind::dft || problem.kind == TransformKind::real_dft;
        Formula transform = complex ? DFT(n, problem.direction) : transform_of(problem, n);
        result.push_back(make_stage(k, std::move(transform), setting_of(problem, k, k, source, target)));
        source = target;
    }
}

std::vector<Stage> real_dft_stages(const Problem& problem) {
    const std::size_t last = problem.dimensions.size() - 1;
    std::vector<Stage> result;
    if (problem.direction == Direction::forward) {
        result.push_back(real_stage(problem, Place::input, Place::output));
        add_stages(result, problem, last, Place::output, Place::output);
        return result;
    }
    const bool in_place = problem.placement == Placement::in_place;
    const Place between = in_place ? Place::input : Place::intermediate;
    add_stages(result, problem, last, Place::input, between);
    result.push_back(real_stage(problem, result.empty() ? Place::input : between, Place::output));
    return result;
}

/// Transforms along all dimensions but the first, the convolution along that, and the transforms back.
std::vector<Stage> convolution_stages(const Problem& problem) {
    std::vector<std::size_t> along;
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k)
        if (problem.dimensions[k].length > 1) along.push_back(k);
    if (along.empty()) along.push_back(0);
    const bool small =
        real_bytes(stored_precision(problem, Side::output)) < 4; // what lies between must not grow
    std::vector<Stage> result;
    const auto add = [&](std::size_t k, Formula transform, double scale) {
        const Place source = result.empty() ? Place::input : Place::output;
        result.push_back(
            make_stage(k, std::move(transform), setting_of(problem, k, k, source, Place::output)));
        result.back().scale = scale;
    };
    const auto length = [&](std::size_t k) { return problem.dimensions[k].length; };
    const auto share = [&](std::size_t k) { return 1 / std::sqrt(static_cast<double>(length(k))); };
    for (std::size_t k = along.size(); k-- > 1;)
        add(along[k], DFT(length(along[k]), Direction::forward), small ? share(along[k]) : 1);
    add(along[0], circulant(length(along[0])), 1);
    for (std::size_t k = 1; k < along.size(); ++k)
        add(along[k], DFT(length(along[k]), Direction::backward),
            small ? share(along[k]) : 1 / static_cast<double>(length(along[k])));
    result.back().scale *= problem.scale;
    return result;
}

/// What a transform of one point multiplies it by.
double factor_of_one_point(TransformKind kind) {
    switch (kind) {
    case TransformKind::dct2:
    case TransformKind::dst2: return 2;
    case TransformKind::dct4:
    case TransformKind::dst4: return std::numbers::sqrt2;
    case TransformKind::dft:
    case TransformKind::real_dft:
    case TransformKind::wht:
    case TransformKind::dct3:
    case TransformKind::dst3:
    case TransformKind::convolution: return 1;
    }
    throw InternalError("unknown kind of transform");
}

/// The problem's scale, times the factors of those dimensions of one point that no stage transforms.
long double scale_of(const std::vector<Stage>& parts, const Problem& problem) {
    long double scale = problem.scale;
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k) {
        const auto transforms_it = [&](const Stage& stage) { return stage.dimension == k; };
        if (problem.dimensions[k].length == 1 && std::none_of(parts.begin(), parts.end(), transforms_it))
            scale *= factor_of_one_point(problem.kind);
    }
    return scale;
}

/// The scale goes with the last stage; numbers of 16 bits, which lie in the output between the stages, are scaled by each
/// in proportion to the logarithm of its length, so that they are in between no larger than at one of the ends.
void share_scale(std::vector<Stage>& parts, const Problem& problem) {
    const long double scale = scale_of(parts, problem);
    parts.back().scale = scale;
    if (real_bytes(stored_precision(problem, Side::output)) >= 4 || scale == 0) return;
    const double points = std::log2(static_cast<double>(transform_size(problem)));
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
        const double share = std::log2(static_cast<double>(parts[k].nonterminal.rows())) / points;
        parts[k].scale = std::exp2(share * std::log2(std::fabs(scale)));
        parts.back().scale /= parts[k].scale;
    }
}

/// Expressions go with the first stage's input and the last one's output.
void add_expressions(std::vector<Stage>& parts, const Problem& problem) {
    for (const Side side : {Side::input, Side::output}) {
        const auto s = static_cast<std::size_t>(side);
        Stage& own = side == Side::input ? parts.front() : parts.back();
        for (Stage& stage : parts)
            if (&stage != &own || expression_of(problem, side).is_identity()) stage.layouts[s].forms.reset();
        if (expression_of(problem, side).is_identity()) continue;
        lower::Pointwise pointwise = pointwise_of(problem, side);
        for (std::size_t k = 0; k < pointwise.forms.size(); ++k)
            own.layouts[s].forms->at(k).constant = pointwise.forms[k].constant;
        const Extent reach = extent(problem, side);
        own.reaches[s] = {reach.lowest, reach.highest};
        if (is_complex(problem, side) && !own.complex) {
            add_half_spectrum(own, s, pointwise, problem.dimensions.back().length);
            own.reaches[s] = {2 * reach.lowest, 2 * reach.highest + 1};
        }
        (side == Side::input ? own.load : own.store) = std::move(pointwise);
    }
}

} // namespace

std::vector<Stage> stages(const Problem& problem, Fusion fusion) {
    const std::size_t rank = problem.dimensions.size();
    return stages(problem, fusion == Fusion::none ? rank : first_fused(problem));
}

std::vector<Stage> stages(const Problem& problem, std::size_t first_fused) {
    std::vector<Stage> result;
    if (problem.kind == TransformKind::convolution) {
        result = convolution_stages(problem);
    } else if (problem.kind == TransformKind::real_dft) {
        result = real_dft_stages(problem);
    } else {
        const bool fuses = problem.kind == TransformKind::dft && first_fused < problem.dimensions.size();
        const std::size_t rest =
            fuses ? add_fused_stage(result, problem, first_fused) : problem.dimensions.size();
        add_stages(result, problem, rest, result.empty() ? Place::input : Place::output, Place::output);
        if (result.empty()) {
            const Setting setting = setting_of(problem, 0, 0, Place::input, Place::output);
            result.push_back(make_stage(0, transform_of(problem, 1), setting));
            result[0].complex = problem.kind == TransformKind::dft;
        }
    }
    if (problem.kind != TransformKind::convolution) share_scale(result, problem);
    add_expressions(result, problem);
    for (Stage& stage : result) stage.arrays = callers_arrays(problem);
    // In place both names mean the caller's one array; the strides of either side have done their work.
    if (problem.placement == Placement::in_place)
        for (Stage& stage : result) stage.source = stage.target = Place::output;
    return result;
}

bool is_planar(const Problem& problem, Place place) {
    if (problem.layout != ComplexLayout::planar || place == Place::intermediate) return false;
    return is_complex(problem, place == Place::input ? Side::input : Side::output);
}

std::size_t intermediate_bytes(const Problem& problem) {
    for (const Stage& stage : stages(problem))
        if (stage.target == Place::intermediate) {
            Integer elements = 1;
            for (const Axis& axis : axes(problem, Side::input)) elements *= axis.length;
            return static_cast<std::size_t>(2 * elements *
                                            ir::size_in_bytes(arithmetic_of(problem.precision)));
        }
    return 0;
}

void require_steps_for(const Recipe& recipe, const std::vector<Stage>& stages) {
    if (recipe.steps.size() != stages.size())
        throw UserError("recipe \"{}\" has {} steps; this problem needs {}", to_string(recipe),
                        recipe.steps.size(), stages.size());
    for (std::size_t k = 0; k < stages.size(); ++k)
        if (recipe.steps[k].dimension != stages[k].dimension)
            throw UserError(
                "recipe \"{}\": step {} is for dimension {}; this problem needs dimension {} there",
                to_string(recipe), k, recipe.steps[k].dimension, stages[k].dimension);
}

} // namespace swirl::planning

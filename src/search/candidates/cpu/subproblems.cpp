#include "search/candidates/cpu/subproblems.hpp"

#include "base/error.hpp"
#include "problem/validate.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace swirl::search {

using namespace formula;

namespace {

Integer product_of(const std::vector<Integer>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>());
}

struct Kind {
    TransformKind kind;
    Direction direction = Direction::forward;
};

std::optional<Kind> kind_of(const Formula& transform) {
    if (transform.is<Dft>())
        return Kind{TransformKind::dft}; // a backward DFT is as fast with the same schedule
    if (const auto* rdft = transform.get_if<RealDft>()) return Kind{TransformKind::real_dft, rdft->direction};
    if (const auto* wht = transform.get_if<Wht>())
        return Kind{wht_kinds[static_cast<std::size_t>(wht->order)]};
    if (const auto* dct = transform.get_if<Dct>())
        return Kind{dct_kinds[static_cast<std::size_t>(dct->type) - 1]};
    if (const auto* dst = transform.get_if<Dst>())
        return Kind{dst_kinds[static_cast<std::size_t>(dst->type) - 1]};
    if (transform.is<Dht>()) return Kind{TransformKind::dht};
    return std::nullopt;
}

/// Strides of one axis on both sides.
struct Strides {
    Integer in = 1, out = 1;
};

struct Loop {
    Integer count;
    Strides strides;
};

/// The problem if it is valid.
std::optional<Transform> if_valid(Transform problem) {
    try {
        validate(problem);
    } catch (const UserError&) {
        return std::nullopt;
    }
    return problem;
}

std::optional<Transform> looped(const Formula& transform, DataType precision, ComplexLayout layout,
                                Strides strides, const std::vector<Loop>& loops) {
    const std::optional<Kind> kind = kind_of(transform);
    if (!kind) return std::nullopt;
    Transform problem;
    problem.kind = kind->kind;
    problem.direction = kind->direction;
    problem.precision = precision;
    if (problem.kind == TransformKind::dft) problem.layout = layout;
    problem.dimensions = {{transform.rows(), strides.in, strides.out}};
    for (const Loop& loop : loops)
        if (loop.count > 1) problem.batches.push_back({loop.count, loop.strides.in, loop.strides.out});
    return if_valid(std::move(problem));
}

/// The context of a pass's subproblems.
struct Around {
    DataType precision;
    Integer size; ///< of the transform
    Integer outside, inside;

    /// A contiguous problem with the outer loops, `more` further ones, and the inner loops.
    std::optional<Transform> contiguous(const Formula& child, ComplexLayout layout, Integer more) const {
        const bool real = child.is<RealDft>(); // n reals on one side, n/2+1 complex elements on the other
        const Integer n = child.rows(), half = n / 2 + 1;
        const bool forward = !real || child.get_if<RealDft>()->direction == Direction::forward;
        const Strides row{(real && !forward ? half : n) * inside, (real && forward ? half : n) * inside};
        return looped(child, precision, layout, {inside, inside}, {{outside * more, row}, {inside, {1, 1}}});
    }
};

/// A tile of t columns of the first sweep, or a block of g columns of the second, in cache.
std::vector<Subproblem> subproblems_of_two_sweeps(const std::vector<Formula>& children,
                                                  const rules::Choice& choice, const Around& around) {
    const Integer first = choice[0], second = around.size / first, tile = choice[1], block = choice[2];
    const auto loops = static_cast<double>(around.outside * around.inside);
    std::vector<Subproblem> subproblems;
    for (const Formula& child : children) {
        const bool rows = child.rows() == second;
        Subproblem subproblem{child, {}, loops * static_cast<double>(rows ? first / block : second / tile)};
        subproblem.problem = rows ? looped(child, around.precision, ComplexLayout::interleaved,
                                           {block, first}, {{block, {1, 1}}})
                                  : looped(child, around.precision, ComplexLayout::interleaved, {second, 1},
                                           {{tile, {1, first}}});
        if (first == second) subproblem.times *= 1 + static_cast<double>(block) / static_cast<double>(tile);
        subproblems.push_back(std::move(subproblem));
    }
    return subproblems;
}

/// Rows; the columns of a band, in cache; the remaining columns, across the bands.
std::vector<Subproblem> subproblems_of_bands(const std::vector<Formula>& children,
                                             const rules::Choice& choice, const Formula& transform,
                                             const Around& around) {
    const Formula& rows = transform.children()[1];
    const Integer n = rows.rows(), band = choice[0], bands = around.size / n / band;
    const Integer loops = around.outside * around.inside;
    std::vector<Subproblem> subproblems;
    for (const Formula& child : children) {
        Subproblem subproblem{child, {}, 1};
        if (child == rows) {
            subproblem.problem = around.contiguous(child, ComplexLayout::interleaved, band * bands);
        } else if (child.rows() == bands) {
            subproblem.times = static_cast<double>(loops * band);
            subproblem.problem =
                looped(child, around.precision, ComplexLayout::interleaved, {n, band * n}, {{n, {1, 1}}});
        } else {
            subproblem.times = static_cast<double>(loops * bands);
            subproblem.problem =
                looped(child, around.precision, ComplexLayout::interleaved, {n, n}, {{n, {1, 1}}});
        }
        subproblems.push_back(std::move(subproblem));
    }
    return subproblems;
}

/// Each dimension with the others as loops around it, in the given layout; equal transforms share a tree, timed in the
/// outermost dimension.
std::vector<Subproblem> subproblems_of_dimensions(const std::vector<Formula>& children,
                                                  const Formula& transform, const Around& around) {
    std::vector<Subproblem> subproblems;
    for (const Formula& child : children) {
        Subproblem subproblem{child, {}, 0};
        Integer before = 1, after = transform.rows();
        for (const Formula& dimension : transform.children()) {
            after /= dimension.rows();
            if (dimension == child && subproblem.times++ == 0) {
                const Integer stride = after * around.inside;
                subproblem.problem =
                    looped(child, around.precision, ComplexLayout::interleaved, {stride, stride},
                           {{around.outside * before, {child.rows() * stride, child.rows() * stride}},
                            {stride, {1, 1}}});
            }
            before *= dimension.rows();
        }
        subproblems.push_back(std::move(subproblem));
    }
    return subproblems;
}

/// Strides of a pass's axes; layouts count a half spectrum in reals, two per complex element.
class PassAxes {
public:
    explicit PassAxes(const planning::DimensionPass& pass) : pass_(pass) {
        const auto* rdft = pass.nonterminal.get_if<RealDft>();
        if (!rdft) return;
        const bool forward = rdft->direction == Direction::forward;
        if (pass.before || pass.after)
            spectrum_ = forward ? 1 : 0;
        else
            halfcomplex_ = Kind{forward ? TransformKind::r2hc : TransformKind::hc2r};
    }
    /// The kind of a real DFT whose spectrum is halfcomplex.
    std::optional<Kind> halfcomplex() const { return halfcomplex_; }
    Dimension dimension(Integer length, std::size_t axis) const {
        return {length, stride(0, axis), stride(1, axis)};
    }

private:
    Integer stride(int side, std::size_t axis) const {
        const bool is_spectrum = side == spectrum_;
        const std::size_t pair = is_spectrum && axis > pass_.left.size() ? 1 : 0;
        return pass_.layouts[static_cast<std::size_t>(side)].strides[axis + pair] / (is_spectrum ? 2 : 1);
    }

    const planning::DimensionPass& pass_;
    int spectrum_ = -1; ///< side that holds half a spectrum
    std::optional<Kind> halfcomplex_;
};

} // namespace

std::vector<Formula> children_of(std::string_view rule, const rules::Choice& choice,
                                 const Formula& transform) {
    if (rule == "rader" || rule == "bluestein") { // avoids computing their spectra
        const Formula first =
            DFT(rule == "rader" ? transform.rows() - 1 : choice[0], transform.get_if<Dft>()->direction);
        return {conjugate(first), first};
    }
    return rules::nonterminals(rules::rule_named(rule).build(transform, choice));
}

std::vector<Subproblem> subproblems_of(const Transform& whole, const planning::DimensionPass& pass,
                                       std::string_view rule, const rules::Choice& given) {
    const Formula& transform = pass.nonterminal;
    const rules::Choice choice = given.empty() ? rules::rule_named(rule).choices(transform).front() : given;
    const Around around{whole.precision, transform.rows(), product_of(pass.left), product_of(pass.right)};
    const std::vector<Formula> children = children_of(rule, choice, transform);
    if (rule == "two-sweep") return subproblems_of_two_sweeps(children, choice, around);
    if (rule == "bands") return subproblems_of_bands(children, choice, transform, around);
    if (rule == "row-column") return subproblems_of_dimensions(children, transform, around);
    const bool has_each_once =
        rule == "rader" || rule == "bluestein" || rule == "dct1-dct3" || rule == "dst1-dst3";
    std::vector<Subproblem> subproblems;
    if (rule == "buffered") { // from one contiguous buffer to another
        const Around alone{around.precision, around.size, around.outside * around.inside, 1};
        return {{children[0], alone.contiguous(children[0], ComplexLayout::planar, 1), 1}};
    }
    for (const Formula& child : children) {
        const Integer times = has_each_once ? 1 : std::max(around.size / child.rows(), Integer{1});
        Subproblem subproblem{child, {}, 1};
        if (rule == "stockham") { // a pass over interleaved columns
            const Integer stride = times * around.inside;
            subproblem.problem =
                looped(child, around.precision, ComplexLayout::planar, {stride, stride},
                       {{around.outside, {child.rows() * stride, child.rows() * stride}}, {stride, {1, 1}}});
        } else {
            const bool has_pairs = rule == "rdft-half-size"; // it reads the user's data
            subproblem.problem =
                around.contiguous(child, has_pairs ? ComplexLayout::interleaved : ComplexLayout::planar,
                                  times / (has_pairs ? 2 : 1));
        }
        subproblems.push_back(std::move(subproblem));
    }
    return subproblems;
}

std::optional<Transform> problem_of(const Transform& whole, const planning::DimensionPass& pass) {
    if (has_formula(whole)) return std::nullopt; // its passes are no transforms of their own
    const PassAxes axes(pass);
    Transform problem;
    problem.precision = whole.precision;
    const Formula& transform = pass.nonterminal;
    const std::vector<Formula> single{transform};
    const std::vector<Formula>& lengths = transform.is<Kronecker>() ? transform.children() : single;
    const std::optional<Kind> kind = axes.halfcomplex() ? axes.halfcomplex() : kind_of(lengths[0]);
    if (!kind) return std::nullopt;
    problem.kind = kind->kind;
    problem.direction = kind->direction;
    problem.layout = whole.layout;
    std::size_t axis = 0;
    for (const Integer count : pass.left) problem.batches.push_back(axes.dimension(count, axis)), ++axis;
    for (const Formula& each : lengths)
        problem.dimensions.push_back(axes.dimension(each.rows(), axis)), ++axis;
    for (const Integer count : pass.right) problem.batches.push_back(axes.dimension(count, axis)), ++axis;
    if (pass.source == pass.target) {
        problem.placement = Placement::in_place;
        if (auto in_place = if_valid(problem)) return in_place;
        problem.placement = Placement::out_of_place;
    }
    return if_valid(std::move(problem));
}

} // namespace swirl::search

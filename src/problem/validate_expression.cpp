#include "problem/validate_expression.hpp"

#include "base/error.hpp"
#include "problem/expression_scope.hpp"
#include "problem/syntax.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

class ExpressionCheck {
public:
    ExpressionCheck(const Transform& problem, Side side)
        : problem_(problem), side_(side), tree_(expression_of(problem, side).tree()) {}

    void run() const {
        ExpressionScope scope = scope_of(problem_, side_);
        scope.indices = known_indices();
        scope.reject = [this](const std::string& what, const std::string& remedy) { reject(what, remedy); };
        check_types(*tree_, scope);
        check_names(*tree_, scope);
        if (is_convolution(problem_))
            for_each_term(tree_->value, [&](const ExpressionNode& node) {
                if (node.kind == Kind::array && node.name == "spectrum")
                    reject("an array has the reserved name spectrum", "use another name");
            });
        check_reals();
        check_where();
        const auto ranges = touched_ranges(problem_, side_);
        for (const IndexRange& range : ranges)
            if (range.first >= range.end)
                reject("its conditions exclude every index", "leave some indices to touch");
    }

private:
    [[noreturn]] void reject(const std::string& what, const std::string& remedy) const {
        throw UserError("{} in the expression {}=\"{}\"\n  problem: {}\n  {}", what,
                        side_ == Side::input ? "load" : "store", expression_of(problem_, side_).text(),
                        to_text(problem_), remedy);
    }

    std::string known_indices() const {
        std::vector<std::string> names;
        const auto add = [&](const char* letter, std::size_t count) {
            if (count == 1) names.emplace_back(letter);
            for (std::size_t k = 0; k < count && count > 1; ++k)
                names.push_back(fmt::format("{}{}", letter, k));
        };
        add("i", problem_.dimensions.size());
        add("b", problem_.batches.size());
        return fmt::format("{}", fmt::join(names, ", "));
    }

    void check_reals() const {
        if (!tree_->real) return;
        if (side_ == Side::input)
            reject("elements are stored as reals", "that is for a store expression: leave out 'real:'");
        if (!has_complex_elements(problem_, side_)) reject("results are real already", "leave out 'real:'");
        if (type_of(tree_->value, true) != ExpressionType::real)
            reject("a complex value is stored as real",
                   "store abs2(x), re(x), im(x) or another real value of x");
        if (problem_.placement == Placement::in_place)
            reject("reals take the place of complex elements", "use an out-of-place transform");
        if (transformed_dimensions() > 1)
            reject("results of several dimensions cannot be stored as reals",
                   "their output holds intermediate results: leave out 'real:'");
    }

    /// Dimensions with a pass. A real transform along the last one has its own, even of one point.
    std::ptrdiff_t transformed_dimensions() const {
        const auto several = std::count_if(problem_.dimensions.begin(), problem_.dimensions.end(),
                                           [](const Dimension& d) { return d.length > 1; });
        const bool has_own =
            problem_.kind == TransformKind::real_dft && problem_.dimensions.back().length == 1;
        return several + (has_own ? 1 : 0);
    }

    void check_where() const {
        if (!tree_->where) return;
        if (!index_conditions(tree_->where))
            reject("conditions after 'where' compare integer combinations of indices, joined by 'and'",
                   "as in: where i >= 8 and i < 700; or choose by them: c ? x : 0");
        if (side_ == Side::output && transformed_dimensions() > 1 && !is_convolution(problem_))
            reject("results of several dimensions cannot be left out",
                   "their output holds intermediate results: leave out 'where'");
    }

    const Transform& problem_;
    Side side_;
    const ExpressionTree* tree_;
};

/// One name is one array, of one type and shape.
void check_arrays(const Transform& problem) {
    std::map<std::string, std::string> shapes;
    for (const Side side : {Side::input, Side::output}) {
        const ExpressionTree* const tree = expression_of(problem, side).tree();
        if (tree == nullptr) continue;
        ExpressionScope scope = scope_of(problem, side);
        scope.reject = [&](const std::string& what, const std::string& remedy) {
            throw UserError("{}\n  problem: {}\n  {}", what, to_text(problem), remedy);
        };
        check_shapes(*tree, scope, shapes);
    }
    if (arrays_of(problem).size() > max_arrays)
        throw UserError("the problem has {} arrays\n  problem: {}\n  use at most {}",
                        arrays_of(problem).size(), to_text(problem), max_arrays);
}

} // namespace

void check_expressions(const Transform& problem) {
    for (const Side side : {Side::input, Side::output})
        if (!expression_of(problem, side).is_identity()) ExpressionCheck(problem, side).run();
    check_arrays(problem);
    if (problem.placement == Placement::in_place &&
        stored_precision(problem, Side::input) != stored_precision(problem, Side::output))
        throw UserError(
            "input and output have different data types\n  problem: {}\n  give both the same type, or use an "
            "out-of-place transform",
            to_text(problem));
}

} // namespace swirl

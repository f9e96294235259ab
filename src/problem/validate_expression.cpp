#include "problem/validate_expression.hpp"

#include "base/error.hpp"
#include "problem/expression.hpp"
#include "problem/syntax.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

/// The most arrays of a problem.
constexpr std::size_t most_arrays = 8;

class ExpressionCheck {
public:
    ExpressionCheck(const Problem& problem, Side side)
        : problem_(problem), side_(side), tree_(expression_of(problem, side).tree()) {}

    void run() const {
        check_types();
        for (const ExpressionTerm& term : {tree_->value, tree_->where})
            for_each_term(term, [&](const ExpressionNode& node) { check_names(node); });
        check_where();
        const auto ranges = touched_ranges(problem_, side_);
        for (const IndexRange& range : ranges)
            if (range.first >= range.end)
                reject("nothing is left by its conditions", "leave some indices to touch");
    }

private:
    [[noreturn]] void reject(const std::string& what, const std::string& remedy) const {
        throw UserError("{} in the expression {}=\"{}\"\n  problem: {}\n  {}", what,
                        side_ == Side::input ? "load" : "store", expression_of(problem_, side_).text(),
                        to_text(problem_), remedy);
    }

    void check_types() const {
        const bool complex = is_complex(problem_, side_);
        try {
            const ExpressionType type = type_of(tree_->value, complex);
            if (type == ExpressionType::boolean) reject("the result is a condition", "choose: c ? x : 0");
            if (type == ExpressionType::complex && !complex)
                reject("the result is complex", "the side has reals: use re(…) or im(…)");
            if (tree_->where && type_of(tree_->where, complex) != ExpressionType::boolean)
                reject("there is no condition after 'where'", "compare an index, as in: where i < 100");
        } catch (const UserError& error) {
            if (std::string(error.what()).find("problem:") != std::string::npos) throw;
            reject(error.what(), "compare and order reals only, and choose by conditions");
        }
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

    void check_index(const std::string& name) const {
        if (!axis_of_index(problem_, name))
            reject(fmt::format("there is no index {}", name),
                   fmt::format("indices of this problem: {}; arrays are written with theirs, as in w[i]",
                               known_indices()));
    }

    void check_names(const ExpressionNode& node) const {
        if (node.kind == Kind::index) check_index(node.name);
        if (node.kind != Kind::array) return;
        std::set<std::size_t> seen;
        for (const std::string& index : node.indices) {
            check_index(index);
            if (!seen.insert(*axis_of_index(problem_, index)).second)
                reject(fmt::format("array {} has index {} twice", node.name, index), "name each index once");
        }
        constexpr std::string_view reserved[] = {"x",       "re",  "im",  "conj",     "complex", "abs2",
                                                 "min",     "max", "and", "or",       "not",     "where",
                                                 "float16", "in",  "out", "bfloat16", "float32", "float64"};
        const bool is_reserved =
            std::find(std::begin(reserved), std::end(reserved), node.name) != std::end(reserved) ||
            (problem_.kind == TransformKind::convolution && node.name == "spectrum");
        if (is_reserved) reject(fmt::format("an array is named {}", node.name), "use another name");
    }

    void check_where() const {
        if (!tree_->where) return;
        if (!index_conditions(tree_->where))
            reject("conditions after 'where' compare whole numbers of indices, joined by 'and'",
                   "as in: where i >= 8 and i < 700; or choose by them: c ? x : 0");
        const auto several = std::count_if(problem_.dimensions.begin(), problem_.dimensions.end(),
                                           [](const Dimension& d) { return d.length > 1; });
        if (side_ == Side::output && several > 1)
            reject("results of several dimensions cannot be left out",
                   "their output holds intermediate results: leave out 'where'");
    }

    const Problem& problem_;
    Side side_;
    const ExpressionTree* tree_;
};

/// One name is one array, of one type and shape.
void check_arrays(const Problem& problem) {
    std::map<std::string, std::string> shapes;
    for (const Side side : {Side::input, Side::output}) {
        const Expression& expression = expression_of(problem, side);
        if (expression.is_identity()) continue;
        for_each_term(expression.tree()->value, [&](const ExpressionNode& node) {
            if (node.kind != Kind::array) return;
            std::vector<std::size_t> axes_of;
            std::vector<Integer> lengths; // a half spectrum's is another than that of the reals
            for (const std::string& index : node.indices) {
                axes_of.push_back(*axis_of_index(problem, index));
                lengths.push_back(axes(problem, side)[axes_of.back()].length);
            }
            const std::string shape = fmt::format("{} {} {} {}", node.is_complex,
                                                  static_cast<int>(node.stored.value_or(problem.precision)),
                                                  fmt::join(axes_of, ","), fmt::join(lengths, ","));
            const auto [known, is_new] = shapes.emplace(node.name, shape);
            if (!is_new && known->second != shape)
                throw UserError(
                    "array {} is used with different types, indices or lengths\n  problem: {}\n  write it "
                    "the "
                    "same way everywhere, 'complex' and a type included",
                    node.name, to_text(problem));
        });
    }
    if (arrays_of(problem).size() > most_arrays)
        throw UserError("the problem has {} arrays\n  problem: {}\n  there may be {}",
                        arrays_of(problem).size(), to_text(problem), most_arrays);
}

} // namespace

void check_expressions(const Problem& problem) {
    for (const Side side : {Side::input, Side::output})
        if (!expression_of(problem, side).is_identity()) ExpressionCheck(problem, side).run();
    check_arrays(problem);
    if (problem.placement == Placement::in_place &&
        stored_precision(problem, Side::input) != stored_precision(problem, Side::output))
        throw UserError(
            "input and output are of different types\n  problem: {}\n  in place they must be the same",
            to_text(problem));
}

} // namespace swirl

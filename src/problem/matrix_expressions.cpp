// Epilogues and reductions of matrix multiplications.
#include "base/error.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace swirl {

namespace {

using Reject = std::function<void(const std::string& what, const std::string& remedy)>;

ExpressionScope scope_with(const MatrixProduct& product, Reject reject) {
    const auto axis_of = [](std::string_view index) -> std::optional<std::size_t> {
        if (index == "b") return 0;
        if (index == "i") return 1;
        if (index == "j") return 2;
        return std::nullopt;
    };
    const DataType data_type = epilogue_type(product);
    const bool is_single = data_type == DataType::float32 || data_type == DataType::complex64;
    return {.lengths = {product.batch, product.rows, product.columns},
            .axis_of = axis_of,
            .indices = "i, j, b",
            .x_is_complex = is_complex(product.data_type),
            .precision = is_single ? DataType::float32 : DataType::float64,
            .reject = std::move(reject)};
}

/// Indices become values of the arithmetic's type in an expression; they must be exact.
void check_index_range(const ExpressionTree& tree, const ExpressionScope& scope) {
    const Integer largest = scope.precision == DataType::float32 ? Integer{1} << 24 : Integer{1} << 53;
    for_each_term(tree.value, [&](const ExpressionNode& node) {
        if (node.kind != ExpressionNode::Kind::index) return;
        const Integer length = scope.lengths[*scope.axis_of(node.name)];
        if (length > largest)
            scope.reject(fmt::format("index {} reaches {}", node.name, length),
                         fmt::format("it may reach {} in this precision", largest));
    });
}

/// `shapes`: arrays of the preceding expressions.
void check_terms(const ExpressionTree& tree, const ExpressionScope& scope,
                 std::map<std::string, std::string>& shapes) {
    if (tree.where) scope.reject("an expression has 'where'", "every element counts; choose: c ? x : 0");
    check_types(tree, scope);
    check_names(tree, scope);
    check_shapes(tree, scope, shapes);
    if (tree.stored) scope.reject("an expression has a data type", "leave it out; c_type says what C is");
    check_index_range(tree, scope);
}

/// Checks the arrays of all expressions, whose terms must be valid.
void check_arrays(const MatrixProduct& product, const ExpressionScope& scope) {
    const std::vector<AuxiliaryArray> arrays = arrays_of(product);
    if (arrays.size() > max_arrays)
        scope.reject(fmt::format("there are {} arrays", arrays.size()),
                     fmt::format("there may be {}", max_arrays));
    for (const AuxiliaryArray& array : arrays)
        if (array.precision != scope.precision)
            scope.reject(fmt::format("array {} is of another type than the product's", array.name),
                         "leave its type out");
}

void check_floating(const MatrixProduct& product, const ExpressionScope& scope) {
    if (product.type_of_c() == DataType::int32)
        scope.reject("C has int32 elements",
                     "expressions have floating-point values: give C a floating-point type with c_type");
}

void check_epilogue(const MatrixProduct& product, std::map<std::string, std::string>& shapes) {
    const ExpressionTree* const tree = product.epilogue.tree();
    if (tree == nullptr) return;
    const ExpressionScope scope = scope_of(product);
    check_floating(product, scope);
    check_terms(*tree, scope, shapes);
}

bool is_name(std::string_view name) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && !is_digit(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

void check_reduction(const MatrixProduct& product, const Reduction& reduction,
                     std::map<std::string, std::string>& shapes) {
    const ExpressionScope scope = scope_of(product, reduction);
    if (!is_name(reduction.name))
        scope.reject(fmt::format("its name is '{}'", reduction.name),
                     "use letters, digits and '_', no digit first");
    if (reduction.operation > Reduce::minimum || reduction.over > Over::all)
        scope.reject(fmt::format("operation is {}, over {}", static_cast<int>(reduction.operation),
                                 static_cast<int>(reduction.over)),
                     "use values of Reduce and Over");
    check_floating(product, scope);
    const ExpressionTree* const tree = reduction.of.tree();
    if (tree != nullptr) check_terms(*tree, scope, shapes);
    if (tree == nullptr ? scope.x_is_complex
                        : type_of(tree->value, scope.x_is_complex) == ExpressionType::complex)
        scope.reject("the reduced expression is complex", "use re(x), im(x) or abs2(x)");
}

void check_names_of_results(const MatrixProduct& product) {
    std::set<std::string> names;
    for (const AuxiliaryArray& array : arrays_of(product)) names.insert(array.name);
    for (const Reduction& reduction : product.reductions)
        if (!names.insert(reduction.name).second)
            scope_of(product, reduction)
                .reject("the name is taken by another array", "give each reduction a name of its own");
}

} // namespace

DataType epilogue_type(const MatrixProduct& product) {
    return product.data_type == DataType::int32 ? DataType::float32 : product.data_type;
}

ExpressionScope scope_of(const MatrixProduct& product) {
    return scope_with(product, [&product](const std::string& what, const std::string& remedy) {
        throw UserError("{}: epilogue \"{}\" of a product of {} by {} by {}\n  {}", what,
                        product.epilogue.text(), product.rows, product.columns, product.k, remedy);
    });
}

ExpressionScope scope_of(const MatrixProduct& product, const Reduction& reduction) {
    return scope_with(product, [&product, &reduction](const std::string& what, const std::string& remedy) {
        throw UserError("{}: reduction {} of \"{}\" of a product of {} by {} by {}\n  {}", what,
                        reduction.name, reduction.of.is_identity() ? "x" : reduction.of.text(), product.rows,
                        product.columns, product.k, remedy);
    });
}

std::vector<AuxiliaryArray> arrays_of(const MatrixProduct& product) {
    std::vector<AuxiliaryArray> arrays;
    if (product.epilogue.tree() != nullptr) add_arrays(*product.epilogue.tree(), scope_of(product), arrays);
    for (const Reduction& reduction : product.reductions)
        if (reduction.of.tree() != nullptr)
            add_arrays(*reduction.of.tree(), scope_of(product, reduction), arrays);
    return arrays;
}

Integer results_of_matrix(const MatrixProduct& product, Over over) {
    return over == Over::columns ? product.rows : over == Over::rows ? product.columns : 1;
}

std::vector<AuxiliaryArray> results_of(const MatrixProduct& product) {
    std::vector<AuxiliaryArray> results;
    for (const Reduction& reduction : product.reductions)
        results.push_back({reduction.name, false, scope_of(product, reduction).precision,
                           product.batch * results_of_matrix(product, reduction.over)});
    return results;
}

std::vector<AuxiliaryArray> given_arrays_of(const MatrixProduct& product) {
    std::vector<AuxiliaryArray> arrays = arrays_of(product);
    for (AuxiliaryArray& result : results_of(product)) arrays.push_back(std::move(result));
    return arrays;
}

void check_matrix_expressions(const MatrixProduct& product) {
    std::map<std::string, std::string> shapes;
    check_epilogue(product, shapes);
    if (product.reductions.size() > most_reductions)
        throw UserError("{} reductions are given; use at most {}", product.reductions.size(),
                        most_reductions);
    for (const Reduction& reduction : product.reductions) check_reduction(product, reduction, shapes);
    check_arrays(product, product.epilogue.is_identity() && !product.reductions.empty()
                              ? scope_of(product, product.reductions.front())
                              : scope_of(product));
    check_names_of_results(product);
}

std::string_view name_of(Reduce operation) {
    switch (operation) {
    case Reduce::sum: return "sum";
    case Reduce::maximum: return "max";
    case Reduce::minimum: return "min";
    }
    return "?";
}

std::string_view name_of(Over over) {
    switch (over) {
    case Over::columns: return "columns";
    case Over::rows: return "rows";
    case Over::all: return "all";
    }
    return "?";
}

} // namespace swirl

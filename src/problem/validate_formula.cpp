#include "problem/validate_formula.hpp"

#include "base/error.hpp"
#include "formula/print.hpp"
#include "formula/properties.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace swirl {

namespace {

using formula::Formula;

/// Entries that a sum's summands read or write in all: they become straight-line code.
constexpr Integer longest_sum = 4096;

[[noreturn]] void reject_formula(const Transform& problem, const std::string& what,
                                 const std::string& remedy) {
    throw UserError("{}\n  problem: {}\n  {}", what, to_text(problem), remedy);
}

/// Checks a formula's terms; the enclosing sums give values to their variables.
class Terms {
public:
    explicit Terms(const Transform& problem) : problem_(problem) {}

    void check(const Formula& f) {
        std::visit([&](const auto& payload) { check(payload, f); }, f.payload());
    }

private:
    template <class Payload> void check(const Payload&, const Formula& f) {
        for (const Formula& child : f.children()) check(child);
    }
    void check(const formula::Tagged&, const Formula& f) { reject_implementation(f); }
    void check(const formula::Circulant& p, const Formula& f) {
        if (!p.kernel) reject_argument(f);
        check_entries(*p.kernel, f);
    }
    void check(const formula::FirFilter& p, const Formula& f) { check_entries(*p.taps, f); }
    void check(const formula::Diagonal& p, const Formula& f) {
        if (std::holds_alternative<formula::ArgumentFunction>(p.function)) reject_argument(f);
        if (const auto* constant = std::get_if<formula::ConstantFunction>(&p.function))
            check_entries(std::span(&constant->value, 1), f);
        if (const auto* list = std::get_if<formula::ExplicitFunction>(&p.function))
            check_entries(*list->values, f);
        check_map(p.index, f);
    }
    void check(const formula::Permutation& p, const Formula& f) { check_map(p.map, f); }
    void check(const formula::Gather& p, const Formula& f) { check_map(p.map, f); }
    void check(const formula::Scatter& p, const Formula& f) {
        check_map(p.map, f);
        check_targets(p.map, f);
    }
    void check(const formula::Matrix& p, const Formula& f) { check_entries(p.entries, f); }
    void check(const formula::IterativeSum& p, const Formula& f) {
        const auto entries = checked_multiply(iterations_ * std::max(f.rows(), f.columns()), p.count);
        if (!entries || *entries > longest_sum)
            throw Unsupported(
                "the sum {} has too many terms: they become straight-line code\n  problem: {}\n  use a "
                "Kronecker product, or sums of at most {} entries in all",
                formula::to_short_text(f), to_text(problem_), longest_sum);
        iterations_ *= p.count;
        const std::map<Variable, Integer> outside = values_;
        for (Integer value = 0; value < p.count; ++value) {
            values_[p.variable] = value;
            check(f.children().front());
        }
        values_ = outside;
        iterations_ /= p.count;
    }

    void check_map(const formula::IndexMap& map, const Formula& f) {
        if (!map.has_variables()) return;
        try {
            values_of(map, f);
        } catch (const InternalError&) {
            reject_formula(
                problem_,
                fmt::format("{} reaches beyond its range in some term of its sum", formula::to_short_text(f)),
                "use a larger range, a smaller stride or fewer terms");
        }
    }

    std::vector<Integer> values_of(const formula::IndexMap& map, const Formula& f) const {
        return map.values([&](Variable variable) {
            if (const auto value = values_.find(variable); value != values_.end()) return value->second;
            reject_formula(problem_,
                           fmt::format("i{} in {} is the index of no sum around it", variable,
                                       formula::to_short_text(f)),
                           fmt::format("enclose it: Σ(i{} < n)[…]", variable));
        });
    }

    /// A scatter stores entries; it does not add them.
    void check_targets(const formula::IndexMap& map, const Formula& f) {
        if (formula::has_separate_digits(map)) return;
        std::vector<Integer> source(static_cast<std::size_t>(map.range()), -1);
        const std::vector<Integer> targets = values_of(map, f);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            Integer& other = source[static_cast<std::size_t>(targets[i])];
            if (other >= 0)
                reject_formula(
                    problem_,
                    fmt::format("{} stores entries {} and {} at index {}", formula::to_short_text(f), other,
                                i, targets[i]),
                    "give each entry an index of its own; a matrix before the scatter adds entries, "
                    "as matrix(1, 2; 1, 1) ⊗ I(n) does");
            other = static_cast<Integer>(i);
        }
    }

    void check_entries(std::span<const formula::Complex> entries, const Formula& f) const {
        const auto largest = problem_.precision == DataType::float64
                                 ? static_cast<long double>(std::numeric_limits<double>::max())
                                 : static_cast<long double>(std::numeric_limits<float>::max());
        for (const formula::Complex& entry : entries)
            for (const long double component : {entry.real(), entry.imag()})
                if (!(std::abs(component) <= largest))
                    reject_formula(problem_,
                                   fmt::format("{:.6g} in {} is beyond the largest {}", component,
                                               formula::to_short_text(f), name_of(arithmetic())),
                                   fmt::format("use components up to {:.6g}", largest));
    }
    DataType arithmetic() const {
        return problem_.precision == DataType::float64 ? DataType::float64 : DataType::float32;
    }

    [[noreturn]] void reject_implementation(const Formula& f) const {
        reject_formula(
            problem_,
            fmt::format("{} says how to compute a matrix, not which one", formula::to_short_text(f)),
            "leave out pass, tile and codelet: plans choose them");
    }
    [[noreturn]] void reject_argument(const Formula& f) const {
        reject_formula(
            problem_,
            fmt::format("{} is given at execution; a formula is a constant matrix",
                        formula::to_short_text(f)),
            "write its entries, as circulant(1, 2, 3) or diag(1, 2, 3), or use a load or store expression");
    }

    const Transform& problem_;
    std::map<Variable, Integer> values_; ///< of the enclosing sums' variables
    Integer iterations_ = 1;             ///< of the enclosing sums
};

} // namespace

void check_formula(const Transform& problem) {
    if (!has_formula(problem)) {
        if (!problem.matrix.is_empty())
            reject_formula(problem,
                           fmt::format("a {} has no formula, but one is given", name_of(problem.kind)),
                           "leave out the formula, or use TransformKind::formula");
        return;
    }
    if (problem.matrix.is_empty())
        throw UserError("the transform has no formula\n  use Transform::formula(text)");
    const Integer rows = problem.matrix.rows(), columns = problem.matrix.columns();
    if (problem.dimensions.size() != 1 || problem.dimensions[0].length != columns)
        throw UserError(
            "the formula {} has {} columns\n  a formula's transform has one dimension, of this length",
            formula::to_short_text(problem.matrix.term()), columns);
    if (problem.kind == TransformKind::formula && bytes_of(problem.precision) < 4)
        reject_formula(
            problem, fmt::format("complex elements of {} are not formulas' data", name_of(problem.precision)),
            "use complex64, or real data with a formula that has no complex entries");
    if (problem.placement == Placement::in_place && rows != columns)
        reject_formula(problem, fmt::format("the formula has {} rows and {} columns", rows, columns),
                       "a transform in place has as many of both; use an out-of-place one");
    Terms(problem).check(problem.matrix.term());
    if (problem.kind == TransformKind::formula) return;
    if (const auto complex = formula::find_complex(problem.matrix.term()))
        reject_formula(
            problem,
            fmt::format("{} has complex entries, but the data is real", formula::to_short_text(*complex)),
            fmt::format("use complex data ({}), or real[…] for its real matrix on pairs of reals",
                        problem.precision == DataType::float32 ? "complex64" : "complex128"));
}

} // namespace swirl

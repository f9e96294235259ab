#include "plan/time_need.hpp"

#include "base/error.hpp"
#include "formula/properties.hpp"
#include "plan/check/scope.hpp"
#include "problem/syntax.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "runtime/cpu/team.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace swirl::planning {

namespace {

using namespace formula;

/// Longer chirps are products of entries of small tables.
constexpr Integer largest_table = Integer{1} << 18;

/// Entries for twiddles of so many values. Many are products of entries of two small tables (loops/split_twiddles.cpp).
double entries_of_twiddles(Integer size) {
    constexpr double largest_whole = 8192, per_root = 32;
    const auto values = static_cast<double>(size);
    if (values <= largest_whole) return values;
    constexpr double most = 4 * static_cast<double>(largest_table);
    return std::clamp(per_root * std::sqrt(values), largest_whole, most);
}

/// Operations of a transform's straight-line code: an odd factor p takes about (p + 1)/2 for each entry, as entries i and
/// p − i share products.
double operations_of(const Formula& nonterminal) {
    const Integer n = nonterminal.rows();
    double of_entry = 1;
    if (n > 1)
        for (const Integer p : rules::prime_factors(n)) of_entry += static_cast<double>((p + 1) / 2);
    const double components = nonterminal.is<Dft>() || nonterminal.is<Circulant>() ? 2 : 1;
    return components * of_entry * static_cast<double>(n);
}

double entries_of(const IndexMap& map) {
    const bool is_listed =
        std::holds_alternative<TableMap>(map.kind()) || std::holds_alternative<PowerMap>(map.kind());
    return is_listed ? static_cast<double>(map.domain()) : 0;
}

double entries_of(const Diagonal& diagonal, Integer size) {
    if (std::holds_alternative<TwiddleFunction>(diagonal.function)) return entries_of_twiddles(size);
    if (std::holds_alternative<ChirpFunction>(diagonal.function) ||
        std::holds_alternative<ChirpSpectrumFunction>(diagonal.function))
        return static_cast<double>(std::min(size, largest_table));
    if (const auto* const list = std::get_if<ExplicitFunction>(&diagonal.function))
        return static_cast<double>(list->values.size());
    return 0; // a constant, or an array that the caller has
}

/// Adds what a formula takes whose straight-line code occurs so many times.
class Counter {
public:
    PlanningWork work;

    void add(const Formula& f, double times, bool is_straight) {
        if (is_nonterminal(f)) return add_codelet(operations_of(f), times);
        if (const auto* const matrix = f.get_if<Matrix>())
            return add_codelet(static_cast<double>(matrix->entries.size()), times);
        if (const auto* const diagonal = f.get_if<Diagonal>())
            work.entries += entries_of(*diagonal, f.rows());
        else if (const auto* const permutation = f.get_if<Permutation>())
            work.entries += entries_of(permutation->map);
        else if (const auto* const gather = f.get_if<Gather>())
            work.entries += entries_of(gather->map);
        else if (const auto* const scatter = f.get_if<Scatter>())
            work.entries += entries_of(scatter->map);
        if (const auto* const tagged = f.get_if<Tagged>()) is_straight |= tagged->tag == Tag::codelet;
        if (const auto* const sum = f.get_if<IterativeSum>()) times *= static_cast<double>(sum->count);
        if (is_straight && f.is<Kronecker>())
            for (const Formula& child : f.children())
                if (child.is<Identity>()) times *= static_cast<double>(child.rows());
        for (const Formula& child : f.children()) add(child, times, is_straight);
    }

private:
    void add_codelet(double operations, double times) {
        work.codelets += 1;
        work.operations += times * operations;
    }
};

/// "0.2 s to compile kernels, 1 s to fill tables".
std::string items_of(const TimeNeed& need) {
    std::vector<std::string> items;
    const auto add = [&](double seconds, std::string_view what) {
        if (seconds > 0) items.push_back(fmt::format("{:.2g} s {}", seconds, what));
    };
    add(need.code, "to derive and compile kernels");
    add(need.tables, "to fill tables");
    add(need.check, "for the check before first use");
    if (std::isfinite(need.search)) add(need.search, "for benchmarks");
    return fmt::format("{}", fmt::join(items, ", "));
}

/// What would work.
std::string remedy_of(const TimeNeed& need, double limit, bool has_large_prime) {
    const auto would_fit_without = [&](double TimeNeed::*item) {
        TimeNeed less = need;
        less.*item = 0;
        return need.*item > 0 && total(less) <= limit;
    };
    std::vector<std::string> remedies;
    if (std::isfinite(total(need))) remedies.push_back(fmt::format("allow {:.2g} seconds", total(need)));
    if (would_fit_without(&TimeNeed::check)) remedies.emplace_back("plan without the check (check = false)");
    if (would_fit_without(&TimeNeed::search))
        remedies.emplace_back("search for less time (time_budget_seconds) or not (effort = estimate)");
    if (need.tables > limit && has_large_prime)
        remedies.emplace_back("use a length with small prime factors");
    if (remedies.empty()) remedies.emplace_back("limit the search (time_budget_seconds)");
    return fmt::format("{}", fmt::join(remedies, ", or "));
}

bool has_large_prime(const Transform& problem) {
    return std::ranges::any_of(problem.dimensions, [](const Dimension& dimension) {
        return rules::largest_prime_factor(dimension.length) > rules::largest_base_prime;
    });
}
bool has_large_prime(const MatrixProduct&) { return false; }

template <class Kind> void require(double limit, const TimeNeed& need, const Kind& problem) {
    if (limit <= 0 || total(need) <= limit) return;
    if (std::isinf(need.search))
        throw OutOfTime(
            "an exhaustive search has no time limit, and planning_limit_seconds is {:g}\n  problem: {}\n  {}",
            limit, to_text(problem), remedy_of(need, limit, has_large_prime(problem)));
    throw OutOfTime(
        "planning will take about {:.2g} seconds ({}), and planning_limit_seconds is {:g}\n"
        "  problem: {}\n  {}",
        total(need), items_of(need), limit, to_text(problem),
        remedy_of(need, limit, has_large_prime(problem)));
}

} // namespace

PlanningRates fitted_rates() {
    return {
        // About those of `bench_planning --predict 120 --seed 1 --fit`: release build, one core of an AMD EPYC with AVX-512.
        .codelet = 1.2e-4,      .operation = 1.6e-6, .entry = 1.6e-7, .checked = 2.2e-8,
        .applied = 7e-8,        // `swirl plan 'formula …'` with and without --no-check
        .product_kernel = 4e-4, // plans of `gemm 6x6x6` take 0.1 ms, of `gemm 30x20x100 complex128` 1.4 ms
        .gpu_kernel = 0.06,     // `bench_kernel_cache`: an H100's driver
        .gpu_checked = 1e-9,
    };
}

double total(const TimeNeed& need) { return need.code + need.tables + need.check + need.search; }

PlanningWork& PlanningWork::operator+=(const PlanningWork& other) {
    codelets += other.codelets;
    operations += other.operations;
    entries += other.entries;
    checked += other.checked;
    applied += other.applied;
    product_kernels += other.product_kernels;
    gpu_kernels += other.gpu_kernels;
    gpu_checked += other.gpu_checked;
    return *this;
}

TimeNeed time_of(const PlanningWork& work, const PlanningRates& rates) {
    return {.code = rates.codelet * work.codelets + rates.operation * work.operations +
                    rates.product_kernel * work.product_kernels + rates.gpu_kernel * work.gpu_kernels,
            .tables = rates.entry * work.entries,
            .check = rates.checked * work.checked + rates.applied * work.applied +
                     rates.gpu_checked * work.gpu_checked};
}

PlanningWork work_of(const Formula& expanded) {
    Counter counter;
    counter.add(expanded, 1, false);
    return counter.work;
}

PlanningWork work_of(const CheckScope& scope, const Transform& problem) {
    const Transform* checked = nullptr;
    switch (scope.kind) {
    case CheckScope::Kind::none: return {};
    case CheckScope::Kind::whole: checked = &problem; break;
    case CheckScope::Kind::sample: checked = &scope.sample->problem(); break;
    case CheckScope::Kind::shorter_batch: checked = &*scope.shorter; break;
    }
    const bool is_complex_side = is_complex(*checked, Side::input) || is_complex(*checked, Side::output);
    PlanningWork work;
    work.checked = (is_complex_side ? 2 : 1) * static_cast<double>(transform_size(*checked)) *
                   static_cast<double>(batch_count(*checked));
    constexpr double executed_alone = 0.4; // of the time of an element that is also filled and compared
    if (scope.kind == CheckScope::Kind::sample)
        work.checked *= 1 + executed_alone * static_cast<double>(batch_count(problem)) /
                                static_cast<double>(batch_count(*checked));
    if (!has_formula(*checked)) return work;
    constexpr double applications = 4; // to random data, and transposed to a functional and to single outputs
    const Formula& given = checked->matrix.term();
    const auto factors = static_cast<double>(given.is<Product>() ? given.children().size() : 1);
    work.applied = applications * factors * static_cast<double>(longest_vector(given));
    return work;
}

void require_in_time(double limit, const TimeNeed& need, const Transform& problem) {
    require(limit, need, problem);
}
void require_in_time(double limit, const TimeNeed& need, const MatrixProduct& problem) {
    require(limit, need, problem);
}

double compilation_rounds(std::size_t kernels) {
    return std::ceil(static_cast<double>(kernels) / static_cast<double>(runtime::processors()));
}

} // namespace swirl::planning

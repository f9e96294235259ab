#include "plan/memory_need.hpp"

#include "base/error.hpp"
#include "formula/properties.hpp"
#include "gemm/epilogue.hpp"
#include "problem/syntax.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"
#include "runtime/memory_limit.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace swirl::planning {

namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr Integer saturated = std::numeric_limits<Integer>::max();
constexpr Integer moderate = Integer{1} << 26; ///< every machine has it: saves asking

Integer longest(const Transform& problem) {
    Integer length = has_formula(problem) ? formula::longest_vector(problem.matrix.term()) : 1;
    for (const Dimension& dimension : problem.dimensions) length = std::max(length, dimension.length);
    return length;
}

/// Real scalars per point: two for complex data, one if both sides are real.
Integer scalars_per_point(const Transform& problem) {
    return has_complex_elements(problem, Side::input) && has_complex_elements(problem, Side::output) ? 2 : 1;
}

/// Bytes per point in the caller's precision.
Integer point_bytes(const Transform& problem) {
    return bytes_of(problem.precision) * scalars_per_point(problem);
}

/// Bytes per point in a GPU's arithmetic.
Integer gpu_point_bytes(const Transform& problem) {
    return std::max<Integer>(bytes_of(problem.precision), 4) * scalars_per_point(problem);
}

/// Shared memory of all blocks of a cluster.
Integer bytes_within_a_kernel(const target::Gpu& gpu) {
    return gpu.max_shared_bytes_per_block * std::max(1, gpu.largest_cluster);
}

/// Number of copies of the longest transform.
Integer copies_on_a_gpu(Integer length) {
    constexpr Integer of_convolution = 2 + 2 + 1; // double length, its spectrum, the chirp
    return rules::largest_prime_factor(length) > rules::largest_base_prime ? of_convolution : 1;
}

[[noreturn]] void too_long(const Transform& problem, Integer need, Integer limit, std::string_view limited,
                           Integer bytes_of_point) {
    const auto most =
        std::bit_floor(static_cast<std::uint64_t>(std::max<Integer>(limit / bytes_of_point, 1)));
    throw UserError(
        "length {} is too long: a plan needs at least {:.1f} GiB of memory besides the arrays, and {} {:.1f} "
        "GiB\n  problem: "
        "{}\n  use lengths up to about {}, float32, or several dimensions",
        longest(problem), static_cast<double>(need) / gibibyte, limited,
        static_cast<double>(limit) / gibibyte, to_text(problem), most);
}

/// Bytes of the elements of one side.
Integer bytes_of_side(const Transform& problem, Side side) {
    const Extent reach = extent(problem, side); // smaller if elements coincide
    const Integer of_element =
        bytes_of(stored_precision(problem, side)) * (is_complex(problem, side) ? 2 : 1);
    std::optional<Integer> bytes = of_element;
    for (const IndexRange& range : touched_ranges(problem, side))
        if (bytes) bytes = checked_multiply(*bytes, range.end - range.first);
    const auto span = checked_multiply(reach.highest - reach.lowest + 1, of_element);
    return std::min(bytes.value_or(saturated), span.value_or(saturated));
}

Integer added(Integer a, Integer b) { return a > saturated - b ? saturated : a + b; }

[[noreturn]] void too_large(const Transform& problem, Integer arrays, Integer need) {
    const Integer batch = batch_count(problem), of_one = ceil_divide(arrays, batch);
    const Integer points = transform_size(problem);
    const auto per_point = std::max<Integer>(added(of_one, need) / points, 1);
    const std::string remedy =
        batch > 1 && added(of_one, need) <= largest_gpu_memory
            ? fmt::format("use a batch of {} at most", (largest_gpu_memory - need) / of_one)
            : fmt::format("use up to about {} points in all",
                          std::bit_floor(static_cast<std::uint64_t>(largest_gpu_memory / per_point)));
    throw UserError(
        "input and output have {:.1f} GiB{}, and GPUs have {:.1f} GiB at most\n  problem: {}\n  {}",
        static_cast<double>(arrays) / gibibyte,
        need == 0 ? ""
                  : fmt::format(", a plan needs at least {:.1f} GiB besides them",
                                static_cast<double>(need) / gibibyte),
        static_cast<double>(largest_gpu_memory) / gibibyte, to_text(problem), remedy);
}

Integer total(const MemoryNeed& need) {
    return added(added(added(need.workspace, need.packing), need.tables), std::max(need.check, need.search));
}

/// "1000 of workspace, 24 of tables".
std::string items_of(const MemoryNeed& need) {
    std::vector<std::string> items;
    const auto add = [&](Integer bytes, std::string_view what) {
        if (bytes > 0) items.push_back(fmt::format("{} {}", bytes, what));
    };
    add(need.workspace, "of workspace");
    add(need.packing, "of packed operands");
    add(need.tables, "of tables");
    add(need.check, "for the check before first use");
    add(need.search, "for benchmarks");
    return fmt::format("{}", fmt::join(items, ", "));
}

/// What would work, as far as it is known.
std::string remedy_of(const MemoryNeed& need, Integer limit) {
    std::string remedy = need.is_whole ? fmt::format("allow {} bytes", total(need)) : "allow more";
    const auto would_fit_without = [&](Integer MemoryNeed::*item) {
        MemoryNeed less = need;
        less.*item = 0;
        return need.*item > 0 && total(less) <= limit;
    };
    if (would_fit_without(&MemoryNeed::check)) remedy += ", or plan without the check (check = false)";
    if (would_fit_without(&MemoryNeed::search)) remedy += ", or without a search (effort = estimate)";
    if (need.workspace > 0 || need.packing > 0)
        remedy += "; a smaller problem or fewer threads may need less";
    return remedy;
}

template <class Kind> void require(Integer limit, const MemoryNeed& need, const Kind& problem) {
    if (total(need) <= limit) return;
    throw OutOfMemory(
        "a plan needs {}{} bytes of memory besides the caller's arrays ({}), and {} {}\n  problem: {}\n  {}",
        need.is_whole ? "" : "at least ", total(need), items_of(need),
        limit == runtime::memory_limit() ? "this process may have" : "memory_limit_bytes is", limit,
        to_text(problem), remedy_of(need, limit));
}

template <class Kind> void require_limit(std::size_t limit, const MemoryNeed& need, const Kind& problem) {
    if (limit == 0 || limit > static_cast<std::uint64_t>(saturated)) return;
    require(static_cast<Integer>(limit), need, problem);
}

template <class Kind>
void require_limit_on_host(std::size_t limit, const MemoryNeed& need, const Kind& problem) {
    require_limit(limit, need, problem);
    if (limit == 0 && total(need) > moderate) require(runtime::memory_limit(), need, problem);
}

} // namespace

void require_within(std::size_t limit, const MemoryNeed& need, const Transform& problem) {
    require_limit(limit, need, problem);
}
void require_within(std::size_t limit, const MemoryNeed& need, const MatrixProduct& problem) {
    require_limit(limit, need, problem);
}
void require_on_host(std::size_t limit, const MemoryNeed& need, const Transform& problem) {
    require_limit_on_host(limit, need, problem);
}
void require_on_host(std::size_t limit, const MemoryNeed& need, const MatrixProduct& problem) {
    require_limit_on_host(limit, need, problem);
}

Integer free_host_bytes(std::size_t limit, const Transform& problem) {
    const bool is_limited = limit > 0 && limit <= static_cast<std::uint64_t>(saturated);
    const Integer allowed = is_limited ? static_cast<Integer>(limit) : saturated;
    const Integer arrays = array_bytes(problem);
    if (arrays <= moderate) return allowed;
    return std::min(allowed, std::max<Integer>(runtime::memory_limit() / 4 * 3 - arrays, 0));
}

Integer min_workspace(const Transform& problem) {
    constexpr Integer small = Integer{1} << 20; // some plans need no workspace for this many points
    const Integer length = longest(problem);
    if (length <= small) return 0;
    return checked_multiply(length, point_bytes(problem)).value_or(saturated);
}

void require_memory(const Transform& problem) {
    const Integer need = min_workspace(problem);
    if (need == 0) return;
    const Integer limit = runtime::memory_limit();
    if (need > limit) too_long(problem, need, limit, "this process may have", point_bytes(problem));
}

Integer min_gpu_memory(const Transform& problem, const target::Gpu& gpu) {
    const Integer length = longest(problem);
    const auto copy = checked_multiply(length, gpu_point_bytes(problem));
    if (!copy) return saturated;
    if (*copy <= bytes_within_a_kernel(gpu)) return 0;
    if (*copy > largest_gpu_memory) return *copy; // avoids a long factorisation
    return *copy * copies_on_a_gpu(length);
}

Integer array_bytes(const Transform& problem) {
    const Integer input = bytes_of_side(problem, Side::input), output = bytes_of_side(problem, Side::output);
    return problem.placement == Placement::in_place ? std::max(input, output) : added(input, output);
}

Integer array_bytes(const MatrixProduct& problem) {
    Integer bytes = 0;
    const auto add = [&](const MatrixLayout& layout, Integer rows, Integer columns, DataType type) {
        if (rows == 0 || columns == 0 || problem.batch == 0) return;
        const Extent reach = extent_of(layout, rows, columns, problem.listed ? 1 : problem.batch);
        const auto span = checked_multiply(reach.highest - reach.lowest + 1, bytes_of(type));
        const auto all = checked_multiply(span.value_or(saturated), problem.listed ? problem.batch : 1);
        bytes = added(bytes, all.value_or(saturated));
    };
    add(problem.a, problem.rows, problem.k, problem.type_of_a());
    add(problem.b, problem.k, problem.columns, problem.type_of_b());
    add(problem.c, problem.rows, problem.columns, problem.type_of_c());
    for (const AuxiliaryArray& array : given_arrays_of(problem))
        bytes = added(bytes, array.elements * bytes_of(gemm::epilogue_scalar(problem.data_type)) *
                                 (array.is_complex ? 2 : 1));
    return bytes;
}

void require_gpu_memory(const Transform& problem, const target::Gpu& gpu, Integer memory) {
    const Integer need = min_gpu_memory(problem, gpu);
    const Integer arrays = array_bytes(problem), length = longest(problem);
    if (need > memory)
        too_long(
            problem, need, memory, "the GPU has",
            added(std::max(gpu_point_bytes(problem), need / length), arrays / batch_count(problem) / length));
    if (added(arrays, need) > largest_gpu_memory) too_large(problem, arrays, need);
}

} // namespace swirl::planning

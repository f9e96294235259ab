#include "cli/tune/grid.hpp"

#include "base/error.hpp"
#include "problem/problem.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace swirl::cli {
namespace {

constexpr Integer points_of_gpu_batch = Integer{1} << 24;
constexpr Integer shortest = 4;
constexpr Integer primes[] = {2, 3, 5, 7};

bool is_power_of_two(Integer n) { return (n & (n - 1)) == 0; }

/// The lengths from `n` on that multiply it by primes from this one on.
void add_multiples(Integer n, std::size_t prime, Integer largest, std::vector<Integer>& lengths) {
    if (n >= shortest) lengths.push_back(n);
    for (std::size_t k = prime; k < std::size(primes); ++k)
        if (n <= largest / primes[k]) add_multiples(n * primes[k], k, largest, lengths);
}

/// Van der Corput's sequence: the binary digits in reverse order.
std::uint32_t reversed(std::uint32_t index) {
    std::uint32_t result = 0;
    for (int bit = 0; bit < 32; ++bit) result = result << 1 | (index >> bit & 1U);
    return result;
}

std::vector<Integer> ordered_lengths(Integer largest) {
    std::vector<Integer> lengths;
    add_multiples(1, 0, largest, lengths);
    std::sort(lengths.begin(), lengths.end());
    std::vector<std::pair<std::uint32_t, Integer>> ranked;
    for (std::size_t k = 0; k < lengths.size(); ++k)
        ranked.emplace_back(reversed(static_cast<std::uint32_t>(k)), lengths[k]);
    std::sort(ranked.begin(), ranked.end());
    for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = ranked[k].second;
    std::stable_partition(lengths.begin(), lengths.end(), is_power_of_two);
    return lengths;
}

} // namespace

std::vector<Problem> transform_grid(Integer largest, const std::vector<DataType>& types, bool on_gpu) {
    if (largest < shortest) throw UserError("--largest is {}; use at least {}", largest, shortest);
    std::vector<Problem> problems;
    for (const Integer n : ordered_lengths(largest))
        for (const DataType type : types)
            for (const TransformKind kind : {TransformKind::dft, TransformKind::real_dft}) {
                TransformOptions options{.precision = type};
                if (on_gpu && points_of_gpu_batch / n > 1)
                    options.batches = {{.count = points_of_gpu_batch / n}};
                problems.emplace_back(Transform::make(kind, {n}, options));
                validate(problems.back());
            }
    return problems;
}

} // namespace swirl::cli

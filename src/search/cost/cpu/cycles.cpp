#include "search/cost/cpu/cycles.hpp"

#include "rules/number_theory.hpp"
#include "search/cost/cpu/fitted_cycles.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

// Fitted together with the constants of fitted_cycles.hpp.
/// Per spilled value; the deep cost applies if live values exceed four times the register count.
constexpr double spill_cycles = 0.316, deep_spill_cycles = 0.713, deep_fold = 4;
/// Per loop iteration, and per pass: filling the pipeline and draining the last stores.
constexpr double iteration_cycles = 3.07, loop_cycles = 14.5;
/// Per pass that overlaps with the next transform.
constexpr double overlapped_loop_cycles = 4;
/// Per cache line that does not stay in L1.
constexpr double outer_line_cycles = 0.807;
/// Per cache line from beyond the private caches that is not accessed next to the one before it.
constexpr double scattered_line_cycles = 2.2;
/// Extra real operations per entry for twiddles in two factors instead of one.
constexpr double second_twiddle_operations = 8;

/// Cycles of spills: a radix r keeps 2r reals live between its log₂ r butterfly levels.
double spilling_cycles(double values, const Setting& setting) {
    const double fold = values / setting.registers;
    if (fold <= 1) return 0;
    return values * (spill_cycles * std::log2(fold) + (fold > deep_fold ? deep_spill_cycles : 0));
}

/// Overhead of a pass, per transform.
double pass_cycles(const Setting& setting) {
    if (!setting.is_alone()) return overlapped_loop_cycles / setting.side_by_side;
    return setting.loops > 1 ? overlapped_loop_cycles : loop_cycles;
}

/// A vectorised butterfly with `shuffles` per entry. More than four shuffles mean a transpose, which keeps as many
/// vectors live as there are lanes.
double butterfly_cycles(Integer radix, bool twiddles, double shuffles, const Setting& setting) {
    const auto r = static_cast<double>(radix);
    const double operations = codelet_operations(radix) + (twiddles ? 4 * (r - 1) : 0);
    const double moves = 4 * r + (twiddles ? 2 * (r - 1) : 0);
    const double values = 2 * r + (shuffles > 4 ? 2 * setting.lanes : 0);
    // Prime factors other than two need more live values for their sums than radix-2 butterflies do.
    const double wide = (radix & (radix - 1)) == 0 ? 1 : 1.6;
    const double vectors = operation_cycles * operations + shuffle_cycles * shuffles * r +
                           move_cycles * moves + wide * spilling_cycles(values, setting);
    return setting.machine->vector_operation * vectors + iteration_cycles;
}

/// Utilisation of a transform's own loop, whose remainder has separate code that costs half a vector more.
double own_utilization(double count, double lanes) {
    constexpr double ragged_vectors = 0.5;
    const double used = utilization(count, lanes), vectors = count / (used * lanes);
    return used < 1 && vectors > 1 ? count / ((vectors + ragged_vectors) * lanes) : used;
}

/// Whether `rows` at this distance in bytes map to the same L1 set.
bool collide(Integer rows, double distance, const Setting& setting) {
    return rows > setting.machine->colliding_lines() &&
           std::fmod(distance, setting.machine->colliding_distance()) == 0;
}

/// Cycles to read and write so many cache lines if they do not stay in L1.
double outer_lines_cycles(double lines, const Setting& setting) {
    return 2 * lines * outer_line_cycles * setting.machine->near_line;
}

/// One of several passes over n entries, and how many arrays the passes alternate between.
struct Pass {
    Integer radix;
    bool first, last;
    double arrays;
};

/// Cycles that a pass stalls on a core's private caches.
double cache_cycles(Integer n, const Pass& pass, const Setting& setting) {
    const double lines = static_cast<double>(n) * setting.element_bytes / line_bytes;
    const double bytes = lines * line_bytes * setting.side_by_side;
    const double capacity = setting.machine->nearest_cache_bytes;
    if (!setting.is_alone()) { // traffic between the passes; the sweep counts input and output
        const double sides = (pass.first ? 0 : 1) + (pass.last ? 0 : 1);
        return bytes > capacity ? outer_lines_cycles(lines, setting) * sides / 2 : 0;
    }
    double cycles = pass.arrays * bytes > capacity ? outer_lines_cycles(lines, setting) : 0;
    const double distance = bytes / static_cast<double>(pass.radix);
    // Between passes real and imaginary components are stored separately: rows of half the length.
    if (collide(pass.radix, pass.first ? distance : distance / 2, setting))
        cycles += lines * colliding_load_cycles;
    if (pass.last && collide(pass.radix, distance, setting)) cycles += lines * colliding_store_cycles;
    return cycles;
}

} // namespace

double utilization(double count, double lanes) { return count / (std::ceil(count / lanes) * lanes); }

double sweep_cycles(Integer n, const Setting& setting) {
    const double bytes = static_cast<double>(n) * setting.element_bytes;
    return bytes > setting.cache_bytes ? 2 * bytes / setting.machine->bytes_per_cycle(bytes) : 0;
}

double cached_sweep_cycles(Integer n, const Setting& setting) {
    const double bytes = static_cast<double>(n) * setting.element_bytes;
    return 2 * bytes > setting.machine->nearest_cache_bytes ? outer_lines_cycles(bytes / line_bytes, setting)
                                                            : 0;
}

double colliding_rows_cycles(Integer n, Integer row, const Setting& setting) {
    const double lines = static_cast<double>(n) * setting.element_bytes / line_bytes;
    const bool collides = std::fmod(static_cast<double>(row) * setting.element_bytes,
                                    setting.machine->colliding_distance()) == 0;
    return collides && sweep_cycles(n, setting) == 0 ? lines * colliding_store_cycles : 0;
}

double conflict_cycles(Integer radix, Integer stride) {
    constexpr Integer sets_bytes = 1024, ways = 16;
    constexpr double cycles_for_each_entry = 1.2;
    if (radix <= ways || stride == 0 || stride % sets_bytes != 0) return 0;
    return cycles_for_each_entry * std::log2(static_cast<double>(radix) / static_cast<double>(ways));
}

double stockham_cycles(const rules::Choice& radices, Integer n, const Setting& setting) {
    const double arrays = std::min(static_cast<double>(radices.size()) + 1, 4.0);
    double cycles = 0;
    Integer before = 1;
    for (const Integer radix : radices) {
        const Integer rest = n / (before * radix);
        const bool first = before == 1, last = rest == 1;
        // Lanes are neighbours in memory: iterations of the transform's own loops, or whole transforms.
        const double own_loop = static_cast<double>(first ? rest : before);
        const double used = setting.is_alone() ? own_utilization(own_loop, setting.lanes)
                                               : utilization(setting.loops, setting.lanes);
        const double lanes = std::max(setting.lanes * used, 1.0);
        const double vectors = static_cast<double>(n / radix) / lanes;
        const double transposes = setting.is_alone() && first ? 2 * std::log2(setting.lanes) : 0;
        const double shuffles = (first ? 2 + transposes : 0) + (last ? 2 : 0);
        cycles += vectors * butterfly_cycles(radix, !first, shuffles, setting) + pass_cycles(setting) +
                  cache_cycles(n, {radix, first, last, arrays}, setting) + sweep_cycles(n, setting);
        before *= radix;
    }
    return cycles;
}

double codelet_cycles(Integer n, const Setting& setting) {
    const double lanes = setting.loops > 1 ? setting.lanes * utilization(setting.loops, setting.lanes) : 1;
    const bool transposes = lanes > 1 && setting.is_alone();
    const double shuffles = lanes <= 1 ? 0 : transposes ? 4 * std::log2(setting.lanes) : 4;
    const double lines = 2 * static_cast<double>(n) * setting.element_bytes / line_bytes;
    const bool far = lines * line_bytes * setting.loops > setting.cache_bytes;
    return butterfly_cycles(n, false, shuffles, setting) / std::max(lanes, 1.0) +
           loop_cycles / setting.loops +
           (transposes && far ? lines * scattered_line_cycles * setting.machine->far_line : 0);
}

double loaded_twiddle_cycles(Integer radix, const Setting& setting) {
    const double values = 2 * static_cast<double>(radix);
    const bool deep = values >= deep_fold * setting.registers;
    const double spills = deep ? spilling_cycles(2 * values, setting) - spilling_cycles(values, setting) : 0;
    return setting.machine->vector_operation *
           (2 * values * operation_cycles + values * move_cycles + spills) / setting.lanes;
}

double second_twiddle_cycles(Integer n, const Setting& setting) {
    return setting.machine->vector_operation * second_twiddle_operations * operation_cycles *
           static_cast<double>(n) / setting.lanes;
}

double codelet_operations(Integer n) {
    if (n == 1) return 0;
    const auto size = static_cast<double>(n);
    if ((n & (n - 1)) == 0) return size == 2 ? 4 : size * (2.65 * std::log2(size) - 1.6);
    const Integer p = rules::least_prime_factor(n);
    if (p == n) return (size - 1) * (size - 1) + 4 * (size - 1);
    Integer power = p; // the largest power of p that divides n
    while (n / power % p == 0) power *= p;
    const bool coprime = power != n; // then no twiddle factors
    const Integer first = coprime ? power : p, second = n / first;
    const auto a = static_cast<double>(first), b = static_cast<double>(second);
    return a * codelet_operations(second) + b * codelet_operations(first) +
           (coprime ? 0 : 2 * (a - 1) * (b - 1));
}

} // namespace swirl::search

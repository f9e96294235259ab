#include "search/cost/cpu/cycles.hpp"

#include "rules/number_theory.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

/// More live values than this multiple of the registers are deep spills.
constexpr double deep_fold = 4;
/// Extra real operations per entry for twiddles in two factors instead of one.
constexpr double second_twiddle_operations = 8;

/// Cycles of spills: a radix r keeps 2r reals live between its log₂ r butterfly levels.
double spilling_cycles(double values, const Setting& setting) {
    const double fold = values / setting.registers;
    if (fold <= 1) return 0;
    return values * (setting.constants->spill * std::log2(fold) +
                     (fold > deep_fold ? setting.constants->deep_spill : 0));
}

/// Overhead of a pass, per transform.
double pass_cycles(const Setting& setting) {
    if (!setting.is_alone()) return setting.constants->overlapped_loop / setting.side_by_side;
    return setting.loops > 1 ? setting.constants->overlapped_loop : setting.constants->loop;
}

/// A vectorised butterfly with `shuffles` per entry. More than four shuffles mean a transpose, which keeps as many
/// vectors live as there are lanes.
double butterfly_cycles(Integer radix, bool twiddles, double shuffles, const Setting& setting) {
    const auto r = static_cast<double>(radix);
    const double operations = codelet_operations(radix) + (twiddles ? 4 * (r - 1) : 0);
    const double moves = 4 * r + (twiddles ? 2 * (r - 1) : 0);
    const double values = 2 * r + (shuffles > 4 ? 2 * setting.lanes : 0);
    const double wide = (radix & (radix - 1)) == 0 ? 1 : setting.constants->wide_spill;
    const double vectors = setting.constants->operation * operations +
                           setting.constants->shuffle * shuffles * r + setting.constants->move * moves +
                           wide * spilling_cycles(values, setting);
    return setting.machine->vector_operation * vectors + setting.constants->iteration;
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
    return 2 * lines * setting.constants->outer_line * setting.machine->near_line;
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
        cycles += lines * setting.constants->colliding_load;
    if (pass.last && collide(pass.radix, distance, setting))
        cycles += lines * setting.constants->colliding_store;
    return cycles;
}

} // namespace

double utilization(double count, double lanes) { return count / (std::ceil(count / lanes) * lanes); }

double sweep_cycles(Integer n, const Setting& setting, double arrays) {
    const double bytes = static_cast<double>(n) * setting.element_bytes;
    if (bytes * arrays / 2 <= setting.cache_bytes) return 0;
    return setting.constants->far_sweep * 2 * bytes / setting.machine->bytes_per_cycle(bytes);
}

double far_rows_cycles(Integer radix, double bytes, const Setting& setting, double arrays) {
    constexpr double followed_rows = 16;
    const double fold = static_cast<double>(radix) / followed_rows;
    if (bytes * arrays / 2 <= setting.cache_bytes || fold <= 1) return 0;
    return setting.constants->far_rows * setting.machine->far_line * std::log2(fold) * bytes / line_bytes;
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
    return collides && sweep_cycles(n, setting) == 0 ? lines * setting.constants->colliding_store : 0;
}

double conflict_cycles(Integer radix, Integer stride) {
    constexpr Integer sets_bytes = 1024, ways = 16;
    constexpr double cycles_for_each_entry = 1.2;
    if (radix <= ways || stride == 0 || stride % sets_bytes != 0) return 0;
    return cycles_for_each_entry * std::log2(static_cast<double>(radix) / static_cast<double>(ways));
}

double stockham_cycles(const rules::Choice& radices, Integer n, const Setting& setting) {
    // Of input, results and temporaries; loops/reuse_output.hpp saves one.
    const double arrays = std::min(static_cast<double>(radices.size()), 3.0);
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
                  cache_cycles(n, {radix, first, last, arrays}, setting) + sweep_cycles(n, setting, arrays) +
                  far_rows_cycles(radix, static_cast<double>(n) * setting.element_bytes, setting, arrays);
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
           setting.constants->loop / setting.loops +
           (transposes && far ? lines * setting.constants->scattered_line * setting.machine->far_line : 0);
}

double loaded_twiddle_cycles(Integer radix, const Setting& setting) {
    const double values = 2 * static_cast<double>(radix);
    const bool deep = values >= deep_fold * setting.registers;
    const double spills = deep ? spilling_cycles(2 * values, setting) - spilling_cycles(values, setting) : 0;
    return setting.machine->vector_operation *
           (2 * values * setting.constants->operation + values * setting.constants->move + spills) /
           setting.lanes;
}

double second_twiddle_cycles(Integer n, const Setting& setting) {
    return setting.machine->vector_operation * second_twiddle_operations * setting.constants->operation *
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

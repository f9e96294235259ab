#include "search/cost/cpu/real_cycles.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::search {

namespace {

/// A butterfly: its arithmetic, its loads, stores and shuffles, and its live reals.
struct Butterfly {
    double operations;
    double moves;
    double shuffles;
    double values;
};

double cycles_of(const Butterfly& butterfly, const Setting& setting) {
    const double fold = butterfly.values / setting.registers;
    const double spills = fold > 1 ? setting.constants->real_spill * butterfly.values * std::log2(fold) : 0;
    const double vectors = setting.constants->operation * butterfly.operations +
                           setting.constants->move * butterfly.moves +
                           setting.constants->shuffle * butterfly.shuffles + spills;
    return setting.machine->vector_operation * vectors + setting.constants->real_iteration;
}

/// A vectorised real transform of a pass, with `shuffles` per real.
double real_butterfly_cycles(Integer radix, double shuffles, const Setting& setting) {
    const auto r = static_cast<double>(radix);
    return cycles_of({codelet_operations(radix) / 2, 2 * r, shuffles * r, r}, setting);
}

/// The columns of frequency 0 and, for even spectra, of half the spectrum: one real transform each. `blocks` of them
/// lie a fixed distance apart.
double real_columns_cycles(Integer radix, Integer blocks, Integer spectrum, const Setting& setting) {
    const auto count = static_cast<double>(blocks);
    const double lanes = std::max(1.0, setting.lanes * utilization(count, setting.lanes));
    const double shuffles = lanes > 1 ? 1 + std::log2(setting.lanes) : 0;
    const int columns = spectrum % 2 == 0 ? 2 : 1;
    return columns * std::ceil(count / lanes) * real_butterfly_cycles(radix, shuffles, setting);
}

/// The complex columns: `frequencies` of each of `blocks` blocks.
double complex_columns_cycles(Integer radix, Integer blocks, Integer frequencies, bool last,
                              const Setting& setting) {
    if (frequencies == 0) return 0;
    const double down = utilization(static_cast<double>(frequencies), setting.lanes);
    const double across = utilization(static_cast<double>(blocks), setting.lanes) / 2;
    const double lanes = std::max(1.0, setting.lanes * std::max(down, across));
    // Half of the results are stored in reverse order; the last pass stores complex pairs.
    const double shuffles = 1 + (last ? 2 : 0) + (across > down ? 2 * std::log2(setting.lanes) : 0);
    const auto r = static_cast<double>(radix);
    return static_cast<double>(blocks * frequencies) / lanes *
           cycles_of({codelet_operations(radix) + 4 * (r - 1), 6 * r - 2, shuffles * r, 2 * r}, setting);
}

/// How many of `rows` at this distance in bytes map to the same L1 set.
double colliding_rows(Integer rows, double distance, const Setting& setting) {
    double spacing = 1;
    while (spacing < static_cast<double>(rows) &&
           std::fmod(spacing * distance, setting.machine->colliding_distance()) != 0)
        spacing *= 2;
    return static_cast<double>(rows) / spacing;
}

/// Cycles that a pass over so many bytes stalls on a core's private caches. A forward pass reads the rows of all
/// spectra and writes those of one; a backward pass does the reverse. Entries of a spectrum in memory are complex
/// pairs.
double waiting_cycles(Integer radix, double bytes, double arrays, bool forward, bool last,
                      const Setting& setting) {
    const double row = bytes / static_cast<double>(radix), lines = bytes / line_bytes;
    const double read = forward ? row : 2 * row, written = forward ? 2 * row : row;
    double cycles = cached_sweep_cycles(static_cast<Integer>(bytes / setting.element_bytes), setting);
    const auto held = static_cast<double>(setting.machine->colliding_lines());
    if ((forward || last) && static_cast<double>(radix) > held &&
        std::fmod(read, setting.machine->colliding_distance()) == 0)
        cycles += lines * setting.constants->colliding_load;
    if ((!forward || last) && colliding_rows(radix, written, setting) > held)
        cycles += lines * setting.constants->colliding_store;
    return cycles + sweep_cycles(static_cast<Integer>(bytes / setting.element_bytes), setting, arrays) +
           far_rows_cycles(radix, bytes, setting, arrays);
}

double bytes_of(Integer n, const Setting& setting) {
    return static_cast<double>(n) * setting.element_bytes / 2;
}

} // namespace

double real_codelet_cycles(Integer n, const Setting& setting) {
    if (setting.loops > 1) return codelet_cycles(n, setting) / 2;
    return setting.constants->real_codelet_call +
           setting.constants->real_codelet_operation * codelet_operations(n) / 2;
}

double rdft_stockham_cycles(const rules::Choice& radices, Integer n, Direction direction,
                            const Setting& setting) {
    const bool forward = direction == Direction::forward;
    const double arrays =
        std::min(static_cast<double>(radices.size()), 3.0); // loops/reuse_output.hpp saves one
    double cycles = 0;
    Integer before = 1;
    for (const Integer radix : radices) {
        const Integer blocks = n / (before * radix);
        const bool last = blocks == 1;
        if (before == 1)
            cycles += std::ceil(static_cast<double>(blocks) / setting.lanes) *
                      real_butterfly_cycles(radix, 1 + std::log2(setting.lanes), setting);
        else
            cycles += real_columns_cycles(radix, blocks, before, setting) +
                      complex_columns_cycles(radix, blocks, (before - 1) / 2, last, setting);
        cycles += waiting_cycles(radix, bytes_of(n, setting), arrays, forward, last, setting) +
                  setting.constants->real_pass;
        before *= radix;
    }
    return cycles;
}

double half_size_cycles(Integer n, const Setting& setting) {
    const double iterations =
        std::ceil(static_cast<double>(n) / (4 * setting.lanes)); // of pairs from both ends
    return setting.machine->vector_operation * setting.constants->half_size * static_cast<double>(n) /
               setting.lanes +
           setting.constants->real_iteration * iterations + setting.constants->real_pass +
           cached_sweep_cycles(n / 2, setting) + sweep_cycles(n / 2, setting);
}

} // namespace swirl::search

#pragma once

#include "bench/gpu_products/clock.hpp"
#include "bench/gpu_products/operands.hpp"
#include "bench/gpu_products/rows.hpp"
#include "bench/support/gpu_implementations.hpp"

#include <optional>
#include <string>
#include <vector>

/// A row of the benchmark: swirl and cuBLAS on the same matrices in the same stream.
namespace swirl::bench {

struct Options {
    search::InterleavedTimingOptions timing = {};
    std::vector<std::string> schedules = {}; ///< of swirl; empty: its own choice
    std::size_t candidates = 0;              ///< number of schedules timed instead of the chosen one; 0: none
    /// Of all sets together, for operands that come from memory; per side, for the copy.
    std::size_t bytes = 0;
    bool use_cache = true; ///< disk cache of swirl's kernels
    bool compare = true;   ///< results with the definition in long double
    /// Executions of each schedule whose C must equal, bit for bit, that of the first schedule's first execution.
    std::size_t soak = 0;
};

struct Result {
    const Group* group = nullptr;
    Row row;
    std::vector<Entry> entries; ///< swirl's first
    Absences absent;
    double hertz = 0; ///< clock frequency of the GPU right after the first entry; 0: unknown
};

/// 10^12 operations per second or, for batches, 10^9 bytes per second: "TFLOP/s" and "GB/s".
double figure_of(const Result& result, const Entry& entry);
std::string_view unit_of(const Result& result);
/// Fraction of copy bandwidth: the bytes of A, B and C, each once, over the time.
double fraction_of_copy(const Result& result, const Entry& entry, double copy_bandwidth);
/// Whether swirl reaches all goals of its row; false if the comparison needs cuBLAS and it is missing.
bool reaches_goal(const Result& result, double copy_bandwidth);
/// Whether an entry's results differ from the exact ones by more than its arithmetic explains.
bool is_wrong(const Result& result, const Entry& entry);

class Measurements {
public:
    Measurements(const runtime::GpuDevice& device, const Options& options);

    /// Bytes per second, read and written together.
    double copy_bandwidth() const { return copy_bandwidth_; }

    /// A failure of swirl or cuBLAS is part of the result.
    Result measure(const Group& group, const Row& row);

private:
    double measure_copy();
    void measure(Result& result);
    void add_swirl(Result& result, const Operands& operands,
                   std::vector<Implementation>& implementations) const;
    void add_cublas(const std::string& name, const peers::GpuMatrixCall& call, Result& result,
                    const Operands& operands, std::vector<Implementation>& implementations) const;
    void compare(const peers::GpuMatrixCall& call, const Operands& operands,
                 std::vector<Implementation>& implementations) const;
    void soak(const Operands& operands, std::vector<Implementation>& implementations) const;
    double clock_after(const Implementation& implementation, double seconds) const;
    const RandomPattern& pattern_for(const peers::GpuMatrixCall& call);

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    Options options_;
    Clock clock_;
    std::optional<RandomPattern> pattern_; ///< of the last row's data
    double copy_bandwidth_ = 0;
};

} // namespace swirl::bench

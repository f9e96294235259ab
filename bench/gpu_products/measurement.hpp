#pragma once

#include "bench/gpu_products/clock.hpp"
#include "bench/gpu_products/operands.hpp"
#include "bench/gpu_products/rows.hpp"
#include "bench/support/gpu_contenders.hpp"

#include <optional>
#include <string>
#include <vector>

/// A row of the benchmark: swirl and cuBLAS on the same matrices in the same stream.
namespace swirl::bench {

struct Options {
    search::GpuTurnOptions turns = {};
    std::vector<std::string> schedules = {}; ///< of swirl; none: the one that it chooses
    std::size_t candidates = 0;              ///< schedules that are timed in place of the chosen one; 0: none
    std::size_t bytes =
        0; ///< of all sets together, of operands that come from memory; of a side, of the copy
    bool use_cache = true; ///< of swirl's kernels on disk
    bool compare = true;   ///< results with products in long double
    std::size_t soak =
        0; ///< executions of each schedule whose C has to be that of the first one's first, bit for bit
};

struct Result {
    const Group* group = nullptr;
    Row row;
    std::vector<Entry> entries; ///< swirl's first
    Absences absent;
    double hertz = 0; ///< of the GPU right after the first of them; 0: not known
};

/// The product's operations a second in 10^12, or of batches its bytes in 10^9: "TFLOP/s" and "GB/s".
double figure_of(const Result& result, const Entry& entry);
std::string_view unit_of(const Result& result);
/// The bytes of A, B and C, each once, over the time, over a copy's bandwidth.
double part_of_copy(const Result& result, const Entry& entry, double copy_bandwidth);
/// Whether swirl reaches all goals of its row; not where cuBLAS is missing that it is to be compared with.
bool reaches_goal(const Result& result, double copy_bandwidth);
/// Whether an entry's results differ from the exact ones by more than their arithmetic does.
bool is_wrong(const Result& result, const Entry& entry);

class Measurements {
public:
    Measurements(const runtime::GpuDevice& device, const Options& options);

    /// Bytes a second, read and written together.
    double copy_bandwidth() const { return copy_bandwidth_; }

    /// What swirl or cuBLAS cannot do is part of the result.
    Result measure(const Group& group, const Row& row);

private:
    double measure_copy();
    void measure(Result& result);
    void add_swirl(Result& result, const Operands& operands, std::vector<Contender>& contenders) const;
    void add_cublas(const std::string& name, const peers::GpuMatrixCall& call, Result& result,
                    const Operands& operands, std::vector<Contender>& contenders) const;
    void compare(const peers::GpuMatrixCall& call, const Operands& operands,
                 std::vector<Contender>& contenders) const;
    void soak(const Operands& operands, std::vector<Contender>& contenders) const;
    double clock_after(const Contender& contender, double seconds) const;
    const RandomPattern& pattern_for(const peers::GpuMatrixCall& call);

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    Options options_;
    Clock clock_;
    std::optional<RandomPattern> pattern_; ///< of the last row's numbers
    double copy_bandwidth_ = 0;
};

} // namespace swirl::bench

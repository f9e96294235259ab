#pragma once

#include <swirl/plan.hpp>

#include "gemm/cpu/loop_nest.hpp"
#include "ir/cache_misses.hpp"
#include "runtime/cpu/aligned_buffer.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "target/cpu.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The GEMM ladder: Püschel, Franchetti and Chellappa climb it by hand in section 5.
namespace swirl::cli {

/// Settings shared by the steps of one size.
struct GemmLadderOptions {
    Integer n = 0;
    DataType data_type = DataType::float64;
    int threads = 1;         ///< of the last step
    Integer cache_bytes = 0; ///< of the L1 cache
    Integer cache_ways = 0;

    Integer elements_per_cache_line() const { return target::line_bytes / bytes_of(data_type); }
    MatrixProduct product() const { return MatrixProduct::row_major(data_type, n, n, n); }
};

/// One setting of the generator of loop nests or, without a nest, a plan of the library.
struct GemmRung {
    std::string name;
    std::string what; ///< what this step adds, for display
    std::optional<gemm::LoopNest> nest;
    const target::Cpu* cpu = nullptr;
    int threads = 1;
    /// Cache lines loaded according to the tutorial's count (section 5.1), for matrices much larger than the cache; 0:
    /// no prediction.
    double predicted_cache_lines = 0;
};
std::vector<GemmRung> gemm_rungs(const GemmLadderOptions& setting);

/// Three adjacent row-major matrices; A and B have random elements in [−1, 1).
struct Matrices {
    Matrices(const GemmLadderOptions& setting, std::uint32_t seed);
    void clear_c(); ///< fills C with NaN

    runtime::AlignedBuffer a, b, c;
};

/// An executable step.
class MatrixProgram {
public:
    MatrixProgram(const GemmLadderOptions& setting, const GemmRung& step);
    void execute(const Matrices& matrices) const;
    int threads() const { return plan_ ? plan_.threads() : 1; }
    std::string description() const { return description_; }

private:
    DataType data_type_;
    Plan plan_;
    std::unique_ptr<runtime::ExecutableCode> code_;
    std::vector<runtime::AlignedBuffer> copies_; ///< its scratch, in the order of its buffers
    std::string description_;
};

/// Number of cache lines that a step loads into L1.
struct CacheLineCounts {
    ir::CacheMisses fully_associative; ///< in a fully associative cache
    ir::CacheMisses set_associative;   ///< in this machine's set-associative cache
    std::optional<Integer> by_cachegrind;
};
/// Counts for a step with a nest. Uses cachegrind for scalar steps, if requested: swirl then runs itself once more.
CacheLineCounts count_cache_lines(const GemmLadderOptions& setting, const GemmRung& step, bool by_cachegrind);

/// Throws UserError if valgrind, which includes cachegrind, is missing.
void require_cachegrind();

} // namespace swirl::cli

#pragma once

#include "gemm/cpu/schedule.hpp"
#include "search/candidates/search_space.hpp"
#include "target/cpu.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// What a search tries for packed blocks of a matrix multiplication on a CPU.
namespace swirl::search {

/// A schedule parameter for the line search.
struct BlockedGemmParameter {
    std::string_view name;
    /// Schedules to try that differ from the best in this parameter alone: distant values first, then near values to
    /// refine.
    std::vector<gemm::BlockedGemm> (*candidates)(DataType data_type, const target::Cpu& cpu,
                                                 const gemm::BlockedGemm& best, bool refines);
};

/// The same blocks with another K extent, and as many rows and columns as keep their bytes.
gemm::BlockedGemm with_kc(gemm::BlockedGemm blocked, Integer kc);

/// Why lanes along K are not considered for a canonical product; empty if they are.
std::string_view dot_candidate_infeasibility(const MatrixProduct& canonical, const target::Cpu& cpu);

/// Whether the extents of packed blocks were found by timing, and stay.
enum class BlockOrigin : std::uint8_t { model, timing };

/// Schedules of one product, canonical and not empty, on one thread: kernels for exactly this product, if it suits them, and
/// packed blocks. Those that take part of K at once take the same part.
std::vector<planning::Schedule> gemm_candidates(const MatrixProduct& canonical, const target::Cpu& cpu,
                                                const gemm::BlockedGemm& blocked,
                                                BlockOrigin origin = BlockOrigin::model);

/// The same, as the model rates them, best first.
std::vector<planning::Schedule> ranked_gemm_candidates(const MatrixProduct& canonical, const target::Cpu& cpu,
                                                       const gemm::BlockedGemm& blocked,
                                                       BlockOrigin origin = BlockOrigin::model);

/// In search order: register blocking, cache blocking, then loop order and prefetch distance.
std::span<const BlockedGemmParameter> blocked_gemm_parameters();

/// Data types that have schedules of their own.
inline constexpr DataType tuned_types[] = {DataType::float64, DataType::float32, DataType::complex128,
                                           DataType::complex64};

/// The product on which schedules of a data type are compared: the largest square that CpuTimer runs.
MatrixProduct tuned_product(DataType data_type);

/// From the model's schedule, each action sets one parameter to distant values; then again to near values, as ATLAS does.
/// `others` are from wisdom.
SearchSpace cpu_gemm_space(DataType data_type, const target::Cpu& cpu,
                           std::vector<planning::Schedule> others = {});

} // namespace swirl::search

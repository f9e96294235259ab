#pragma once

#include <swirl/matrix_product.hpp>

#include "gemm/loop_nest.hpp"
#include "ir/line_loads.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/executable_memory.hpp"
#include "target/cpu.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The ladder of matrix products: Püschel, Franchetti and Chellappa climb it by hand in section 5.
namespace swirl::cli {

/// What the steps of one size are made for.
struct MatrixLadderSetting {
    Integer n = 0;
    Number number = Number::float64;
    int threads = 1;         ///< of the last step
    Integer cache_bytes = 0; ///< of the first level
    Integer cache_ways = 0;

    Integer numbers_in_line() const { return target::line_bytes / bytes_of(number); }
    MatrixProduct product() const { return MatrixProduct::row_major(number, n, n, n); }
};

/// One setting of the generator of loop nests or, without a nest, a plan of the library.
struct MatrixStep {
    std::string name;
    std::string what; ///< is new in it, for people
    std::optional<gemm::LoopNest> nest;
    const target::Cpu* cpu = nullptr;
    int threads = 1;
    /// Lines loaded by the tutorial's count (section 5.1), for matrices much larger than the cache; 0: it has none.
    double predicted_lines = 0;
};
std::vector<MatrixStep> matrix_steps(const MatrixLadderSetting& setting);

/// Three matrices next to each other row by row, A and B of random numbers in [−1, 1).
struct Matrices {
    Matrices(const MatrixLadderSetting& setting, std::uint32_t seed);
    void forget_c(); ///< fills C with NaN

    runtime::AlignedBuffer a, b, c;
};

/// A step that can be executed.
class MatrixProgram {
public:
    MatrixProgram(const MatrixLadderSetting& setting, const MatrixStep& step);
    void execute(const Matrices& matrices) const;
    int threads() const { return plan_ ? plan_->threads() : 1; }
    std::string description() const { return description_; }

private:
    Number number_;
    std::optional<MatrixPlan> plan_;
    std::unique_ptr<runtime::ExecutableCode> code_;
    runtime::AlignedBuffer a_copy_, b_copy_;
    std::string description_;
};

/// How often a step loads a line into the first cache.
struct LineCounts {
    ir::LineLoads any_place; ///< each line may be anywhere in the cache
    ir::LineLoads in_sets;   ///< in the sets of the machine's
    std::optional<Integer> by_cachegrind;
};
/// Of a step with a nest. By cachegrind for scalar steps, if wanted: swirl runs itself once more.
LineCounts count_lines(const MatrixLadderSetting& setting, const MatrixStep& step, bool by_cachegrind);

/// Throws UserError if valgrind, of which cachegrind is a part, is not there.
void require_cachegrind();

} // namespace swirl::cli

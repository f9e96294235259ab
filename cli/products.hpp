#pragma once

#include <swirl/matrix_product.hpp>

#include "cli/bench_output.hpp"
#include "cli/costs.hpp"
#include "cli/planning.hpp"
#include "plan/gemm/cpu/plan.hpp"

#include <memory>
#include <string>
#include <vector>

/// Commands on GEMM: `gemm 100x80x60 float32 …` in place of a transform.
namespace swirl::cli {

/// Whether a command's words describe a GEMM.
bool is_product(const std::vector<std::string>& words);

/// Parses and validates the GEMM; rejects planning options that do not apply to GEMM.
MatrixProduct parse_product(const std::vector<std::string>& words, const PlanningOptions& options);

/// A plan for a CPU.
std::shared_ptr<const planning::MatrixPlan> make_matrix_plan(const MatrixProduct& product,
                                                             const PlanningOptions& options);
/// By the plan's schedule. Nothing is timed: wisdom has what was measured.
PlanCosts costs_of(const planning::MatrixPlan& plan, const PlanningOptions& options);

void report_product(const MatrixProduct& product, const PlanningOptions& options, bool json);

/// A schedule's kernels at one stage.
struct KernelTexts {
    struct Kernel {
        std::string name;
        std::string text;
    };
    std::string schedule;
    std::string target; ///< CPU or GPU
    std::vector<Kernel> kernels;
};
/// Programs for a CPU at stage ir, machine-ir, c++ or asm.
std::vector<KernelTexts::Kernel> texts_at_stage(const std::vector<ir::Program>& programs,
                                                const target::Cpu& cpu, const std::string& stage, bool full);
/// At these stages; on GPUs at ir or ptx.
KernelTexts kernels_at_stage(const MatrixProduct& product, const PlanningOptions& options,
                             const std::string& stage, bool full);

/// Its kernels as one C++ file. A single kernel is a function with typed arguments of this name, unless the name is
/// empty.
struct ProductText {
    std::string source;
    std::string header; ///< empty if there are several kernels
};
ProductText product_as_cpp(const MatrixProduct& product, const PlanningOptions& options,
                           const std::string& function);

/// Compares results with the definition in long double.
void verify_product(const MatrixProduct& product, const PlanningOptions& options, std::uint32_t seed,
                    double tolerance, bool json);

struct ProductTiming {
    double seconds;
    std::string peers;
    std::uint32_t seed;
    BenchOutput output;
};
void bench_product(const MatrixProduct& product, const PlanningOptions& options, const ProductTiming& timing);

} // namespace swirl::cli

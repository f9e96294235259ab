#pragma once

#include <swirl/options.hpp>

#include "base/fork_gate.hpp"
#include "plan/gemm/cpu/code.hpp"
#include "plan/gemm/cpu/extras.hpp"
#include "plan/gemm/cpu/small_gemm_cache.hpp"
#include "plan/gemm/values.hpp"
#include "plan/schedule.hpp"
#include "plan/time_need.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace swirl::planning {

/// One matrix of the product, with A and B exchanged if C has row stride 1 only then; without epilogue and reductions.
/// Schedules are for this problem.
MatrixProduct canonical(const MatrixProduct& product);

/// K extent of the blocks of a schedule for a canonical product: C is updated after each.
Integer kc_of_blocks(const gemm::BlockedGemm& blocked, const MatrixProduct& canonical,
                     const target::Cpu& cpu);

/// How threads share one matrix of a product with a specialised kernel: a grid of ranges of rows and of columns of C. All
/// ranges of a dimension have the same extent but the last.
struct SmallShares {
    struct Ranges {
        Integer extent = 0;
        Integer count = 1;
    };
    Ranges rows, columns;
    Integer count() const { return rows.count * columns.count; }
};
/// At most as many shares as threads, each of whole tiles; of a batch, whole matrices if there are enough. The largest share
/// is as small as possible.
SmallShares small_shares(const MatrixProduct& canonical, const gemm::CpuGemm& schedule, int threads,
                         Integer batch);

/// A product ready to run, by a schedule of its own. A product with a specialised kernel holds it, so an execution looks
/// nothing up.
class MatrixPlan {
public:
    struct Options {
        int threads = 1; ///< maximum per execution; only one is used where more would not pay
        int team = 0;    ///< that work on an execution; 0: as many as its work is worth
        Accuracy accuracy = Accuracy::ordinary;
        KernelCheck check = KernelCheck::on;
        std::size_t memory_limit = 0; ///< swirl::Options::memory_limit_bytes
        double planning_limit = 0;    ///< swirl::Options::planning_limit_seconds
    };
    /// The product must be valid. Throws UserError if the schedule does not suit it, or is for no CPU; OutOfMemory
    /// or OutOfTime if it needs too much.
    MatrixPlan(const MatrixProduct& product, const Schedule& schedule, const Options& options);

    /// Throws UserError, before anything is written, for null or misaligned pointers and if C overlaps A or B. The
    /// caller classifies α and β. `arrays` are in the order of given_arrays_of; those of reductions are written.
    void execute(const MatrixArguments& arguments, ScalarKind alpha, ScalarKind beta,
                 const void* const* arrays = nullptr) const {
        if (is_one_kernel_ && alpha != ScalarKind::zero && look_right(arguments))
            run_small(arguments, alpha, beta);
        else
            execute_any(arguments, alpha, beta, arrays);
    }

    /// For one matrix that one kernel computes: C = A·B. Returns false where the pointers need a closer look.
    bool run_plain(const void* a, const void* b, void* c) const {
        const MatrixArguments arguments{nullptr, a, b, nullptr, c};
        if (!look_right(arguments)) return false;
        kernel(gemm::Update::overwrite, true)
            .run({nullptr, is_swapped_ ? b : a, is_swapped_ ? a : b, nullptr, c});
        return true;
    }

    /// Throws what execute() would throw, without computing anything.
    void check(const MatrixArguments& arguments, ScalarKind alpha, const void* const* arrays) const;

    /// Packs A or B for this plan and others of the same form. Throws UserError for null and misaligned pointers.
    std::shared_ptr<const PackedMatrix> pack(MatrixKernels::Operand operand, const void* data) const;
    /// Executes with prepacked operands; a null one is taken from the arguments instead. Throws UserError if one has
    /// another form.
    void execute_packed(const MatrixArguments& arguments, ScalarKind alpha, ScalarKind beta,
                        const void* const* arrays, const PackedMatrix* a, const PackedMatrix* b) const;

    const MatrixProduct& product() const { return product_; }
    /// One specialised kernel does everything: no epilogue, reductions or conversion follow.
    bool is_one_kernel() const { return is_one_kernel_; }
    /// The data types of A, B and C in one integer.
    static constexpr unsigned type_key_of(DataType a, DataType b, DataType c) {
        return static_cast<unsigned>(a) | static_cast<unsigned>(b) << 8 | static_cast<unsigned>(c) << 16;
    }
    unsigned type_key() const { return type_key_; }
    int threads() const { return threads_; } ///< that pay off for one execution
    int threads_asked_for() const { return threads_asked_for_; }
    double work() const { return is_empty_ ? 0 : flops() / 2; } ///< approximate number of multiply-adds
    /// Upper bound on the packed operands of one execution, of all threads together. They stay with the threads, for their
    /// next products.
    Integer packing_bytes() const;
    /// Of its kernels that are compiled when planning: others are when they are first used.
    PlanningWork planning_work() const;
    Accuracy accuracy() const { return route_ ? accuracy_ : Accuracy::ordinary; }
    std::string description() const;
    const Schedule& schedule() const { return schedule_; }
    const target::Cpu& cpu() const { return *cpu_; }
    /// The programs that run, for inspection: the specialised kernel for α = 1 and β = 0, or a tile and the packing of
    /// A and B panels; then what is done to finished elements in memory. Empty for an empty product and for
    /// tiles compiled into the library.
    std::vector<ir::Program> programs() const;
    double flops() const;

private:
    using Address = std::uintptr_t;
    static constexpr std::size_t kinds =
        96; ///< kernel variants: what is prepacked, update of C, whether α is one, whether the share is in the last ranges

    /// Two byte ranges around two pointers overlap if (second − first − from), as an unsigned value, is below `length`.
    struct Overlap {
        Address from;
        Address length;
        bool holds(const void* first, const void* second) const {
            return address(second) - address(first) - from < length;
        }
    };
    static Address address(const void* pointer) { return reinterpret_cast<Address>(pointer); }
    static Overlap overlap_of(const Extent& first, Integer first_bytes, const Extent& second,
                              Integer second_bytes);
    /// Mask of address bits that must be 0 for alignment to a scalar.
    static Address misaligned_bits(DataType data_type) {
        return static_cast<Address>(bytes_of(data_type) / (is_complex(data_type) ? 2 : 1) - 1);
    }

    /// Fast check of the operands' pointers: true if nothing is wrong; false for matrices that interleave.
    bool look_right(const MatrixArguments& arguments) const {
        const void *const a = arguments.a, *const b = arguments.b, *const c = arguments.c;
        const bool is_null = a == nullptr || b == nullptr || c == nullptr;
        const bool is_misaligned = ((address(a) & misaligned_[0]) | (address(b) & misaligned_[1]) |
                                    (address(c) & misaligned_[2])) != 0;
        return !is_null && !is_misaligned && !a_with_c_.holds(a, c) && !b_with_c_.holds(b, c);
    }
    void execute_any(const MatrixArguments& arguments, ScalarKind alpha, ScalarKind beta,
                     const void* const* arrays) const;
    void make_code();
    std::vector<ir::Program> programs_without_products() const;
    void add_elementwise(std::vector<ir::Program>& programs) const;
    /// Throws UserError for arrays that are missing or overlap something written. Prepacked operands have no pointer.
    void check_arrays(const MatrixArguments& arguments, ScalarKind alpha, const void* const* arrays) const;
    void finish_small(MatrixArguments arguments, ScalarKind alpha, ScalarKind beta,
                      MatrixExtras extras) const;
    /// The exact check, where look_right finds something wrong or matrices that interleave.
    void check_closely(const MatrixArguments& arguments) const;
    /// Throws UserError if C shares an element with an operand.
    void check_disjoint_from_c(MatrixKernels::Operand operand, const void* pointer, const void* c) const;
    static void report_pointer(const char* name, const void* pointer, Address misaligned);

    /// Which operands of the canonical product are given prepacked.
    struct GivenPacked {
        bool a, b;
    };
    /// Whether a share is in the last range of rows, and of columns.
    struct LastShare {
        bool of_rows, of_columns;
    };
    const SmallKernel& kernel(gemm::Update update, bool alpha_is_one, GivenPacked packed = {false, false},
                              LastShare last = {true, true}) const {
        const std::size_t kind =
            (((packed.a ? 1U : 0U) + (packed.b ? 2U : 0U)) * 3 + static_cast<std::size_t>(update)) * 8 +
            (alpha_is_one ? 4U : 0U) + (last.of_rows ? 2U : 0U) + (last.of_columns ? 1U : 0U);
        const SmallKernel* made = kernels_[kind].load(std::memory_order_acquire);
        return made != nullptr ? *made : make_kernel(kind, update, alpha_is_one, packed, last);
    }
    const SmallKernel& make_kernel(std::size_t kind, gemm::Update update, bool alpha_is_one,
                                   GivenPacked packed, LastShare last) const;
    MatrixProduct product_of_kernel(GivenPacked packed) const;
    gemm::SmallGemm small_of(const MatrixProduct& product, gemm::Update update, bool alpha_is_one) const;
    bool copies_operands() const;
    PackedForm form_of(MatrixKernels::Operand operand) const;
    /// Form of the canonical operand if it is a copy.
    const PackedForm& canonical_form(MatrixKernels::Operand operand) const {
        return forms_[(operand == MatrixKernels::Operand::a) != is_swapped_ ? 0 : 1];
    }
    void check_packed(const char* name, const void* pointer, const PackedMatrix* packed,
                      MatrixKernels::Operand operand, const void* c) const;
    void run_small(const MatrixArguments& arguments, ScalarKind alpha, ScalarKind beta) const {
        const SmallKernel& chosen = kernel(update_for(beta), alpha == ScalarKind::one);
        const void *const a = arguments.a, *const b = arguments.b;
        const MatrixArguments canonical{arguments.alpha, is_swapped_ ? b : a, is_swapped_ ? a : b,
                                        arguments.beta, arguments.c};
        if (product_.batch == 1)
            chosen.run(canonical);
        else
            run_batch(chosen, canonical);
    }
    void to_next_matrix(MatrixArguments& arguments) const;
    void run_batch(const SmallKernel& chosen, MatrixArguments of_matrix) const;

    unsigned type_key_;
    Schedule schedule_;
    const target::Cpu* cpu_;
    MatrixProduct product_;
    MatrixProduct canonical_;
    bool is_swapped_; ///< A and B are exchanged in `canonical_`
    bool is_empty_;   ///< nothing to multiply
    bool is_small_;   ///< has a specialised kernel
    bool
        is_one_kernel_; ///< small, on one thread, without epilogue, reductions or other extras: the fast path applies
    int threads_asked_for_;
    int threads_;
    SmallShares shares_;                ///< of a product with a specialised kernel
    std::array<Address, 3> misaligned_; ///< alignment masks of A's, B's and C's addresses
    Accuracy accuracy_;
    MatrixCode code_;
    AmxRoute route_; ///< for executions without prepacked operands
    Overlap a_with_c_, b_with_c_;
    std::vector<AuxiliaryArray> arrays_;       ///< passed to executions
    std::array<PackedForm, 2> forms_;          ///< packed forms of A and B of `product_`
    std::unique_ptr<MatrixEpilogue> epilogue_; ///< null: none
    std::unique_ptr<MatrixReductions> reductions_;
    mutable std::array<std::atomic<const SmallKernel*>, kinds> kernels_{};
    mutable std::array<std::unique_ptr<const SmallKernel>, kinds> made_;
    mutable ForkSafeMutex making_;
};

} // namespace swirl::planning

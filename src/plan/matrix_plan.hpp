#pragma once

#include "base/fork_gate.hpp"
#include "plan/matrix_extras.hpp"
#include "plan/matrix_values.hpp"
#include "plan/small_products.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace swirl::planning {

/// A product ready to run. Products that suit a kernel of their own have it at hand: nothing is looked up.
class MatrixPlan {
public:
    /// Of a valid product.
    MatrixPlan(const MatrixProduct& product, int threads, Accuracy accuracy = Accuracy::ordinary);

    /// Throws UserError, before anything is written, for null or misaligned pointers and where C overlaps A or B. The caller
    /// says what is special about α and β. `arrays` are in the order of given_arrays_of; those of reductions are written.
    void execute(const MatrixArguments& arguments, Factor alpha, Factor beta,
                 const void* const* arrays = nullptr) const {
        if (is_direct_ && alpha != Factor::zero && look_right(arguments))
            run_small(arguments, alpha, beta);
        else
            execute_any(arguments, alpha, beta, arrays);
    }

    /// What execute() would throw, where nothing is computed yet.
    void check(const MatrixArguments& arguments, Factor alpha, const void* const* arrays) const;

    /// A or B as executions of this plan, and of others of the same form, take it. UserError for null and misaligned pointers.
    std::shared_ptr<const PackedMatrix> pack(MatrixKernels::Operand operand, const void* data) const;
    /// The same with operands that are packed, or null: those of the arguments then count. UserError where one is of
    /// another form.
    void execute_packed(const MatrixArguments& arguments, Factor alpha, Factor beta,
                        const void* const* arrays, const PackedMatrix* a, const PackedMatrix* b) const;

    const MatrixProduct& product() const { return product_; }
    /// The kinds of A's, B's and C's numbers in one.
    static constexpr unsigned kinds_of(Number a, Number b, Number c) {
        return static_cast<unsigned>(a) | static_cast<unsigned>(b) << 8 | static_cast<unsigned>(c) << 16;
    }
    unsigned kinds_of_numbers() const { return kinds_of_numbers_; }
    int threads() const { return threads_; } ///< that are worth their while for one execution
    int threads_asked_for() const { return threads_asked_for_; }
    double work() const { return is_empty_ ? 0 : flops() / 2; } ///< about as many multiply-adds
    Accuracy accuracy() const { return route_ ? accuracy_ : Accuracy::ordinary; }
    std::string description() const;
    /// What runs, for inspection: the kernel of its own for α = 1 and β = 0; or a tile and what packs the panels of A and B;
    /// nothing of products through slices.
    std::vector<ir::Program> programs() const;
    double flops() const;

private:
    using Address = std::uintptr_t;
    static constexpr std::size_t kinds =
        24; ///< of kernels: what becomes of C, whether α is one, what is packed

    /// Two ranges of bytes around two pointers overlap where the distance of the pointers, from the first to the second, less
    /// `from` is below `length`, without sign.
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
    /// Of an address: those that are 0 where it is a multiple of a scalar's bytes.
    static Address misaligned_bits(Number number) {
        return static_cast<Address>(bytes_of(number) / (is_complex(number) ? 2 : 1) - 1);
    }

    /// Whether nothing is wrong with the operands' pointers.
    bool look_right(const MatrixArguments& arguments) const {
        const void *const a = arguments.a, *const b = arguments.b, *const c = arguments.c;
        const bool is_null = a == nullptr || b == nullptr || c == nullptr;
        const bool is_misaligned = ((address(a) & misaligned_[0]) | (address(b) & misaligned_[1]) |
                                    (address(c) & misaligned_[2])) != 0;
        return !is_null && !is_misaligned && !a_with_c_.holds(a, c) && !b_with_c_.holds(b, c);
    }
    void execute_any(const MatrixArguments& arguments, Factor alpha, Factor beta,
                     const void* const* arrays) const;
    void choose_route();
    /// UserError for arrays that are not given, or lie where something else is written; of matrices that are packed there is no pointer.
    void check_arrays(const MatrixArguments& arguments, Factor alpha, const void* const* arrays) const;
    void finish_small(MatrixArguments arguments, Factor alpha, Factor beta, MatrixExtras extras) const;
    [[noreturn]] void report(const MatrixArguments& arguments) const;
    static void report_pointer(const char* name, const void* pointer, Address misaligned);

    /// Which operands, as they are oriented, are given packed.
    struct GivenPacked {
        bool a, b;
    };
    const SmallKernel& kernel(gemm::Update update, bool alpha_is_one,
                              GivenPacked packed = {false, false}) const {
        const std::size_t kind = ((packed.a ? 1U : 0U) + (packed.b ? 2U : 0U)) * 6 +
                                 static_cast<std::size_t>(update) * 2 + (alpha_is_one ? 1 : 0);
        const SmallKernel* made = kernels_[kind].load(std::memory_order_acquire);
        return made != nullptr ? *made : make_kernel(kind, update, alpha_is_one, packed);
    }
    const SmallKernel& make_kernel(std::size_t kind, gemm::Update update, bool alpha_is_one,
                                   GivenPacked packed) const;
    bool copies_operands() const;
    gemm::Tile small_tile() const;
    PackedForm form_of(MatrixKernels::Operand operand) const;
    /// Of the oriented operand, where it is a copy.
    const PackedForm& oriented_form(MatrixKernels::Operand operand) const {
        return forms_[(operand == MatrixKernels::Operand::a) != is_turned_ ? 0 : 1];
    }
    void check_packed(const char* name, const void* pointer, const PackedMatrix* packed,
                      MatrixKernels::Operand operand, const void* c) const;
    void run_small(MatrixArguments arguments, Factor alpha, Factor beta) const {
        const SmallKernel& chosen = kernel(update_for(beta), alpha == Factor::one);
        if (is_turned_) std::swap(arguments.a, arguments.b);
        if (product_.batch == 1)
            chosen.run(arguments);
        else
            run_batch(chosen, arguments);
    }
    void to_next_matrix(MatrixArguments& arguments) const;
    void run_batch(const SmallKernel& chosen, MatrixArguments of_matrix) const;

    unsigned kinds_of_numbers_;
    MatrixProduct product_;
    MatrixProduct oriented_; ///< of one matrix, with C's rows next to each other, if they can be
    bool is_turned_;         ///< A and B have changed places in `oriented_`
    bool is_empty_;          ///< there is nothing to multiply
    bool is_small_;          ///< it has a kernel of its own
    bool is_direct_;         ///< and that is all
    int threads_asked_for_;
    int threads_;
    std::array<Address, 3> misaligned_; ///< bits of A's, B's and C's addresses
    Accuracy accuracy_;
    SlicedRoute route_; ///< of executions without extras
    Overlap a_with_c_, b_with_c_;
    std::vector<ProblemArray> arrays_;         ///< that executions are given
    std::array<PackedForm, 2> forms_;          ///< of A and B as the product states them, packed
    std::unique_ptr<MatrixEpilogue> epilogue_; ///< null: there is none
    std::unique_ptr<MatrixReductions> reductions_;
    mutable std::array<std::atomic<const SmallKernel*>, kinds> kernels_{};
    mutable std::array<std::unique_ptr<const SmallKernel>, kinds> made_;
    mutable ForkSafeMutex making_;
};

} // namespace swirl::planning

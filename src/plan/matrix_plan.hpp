#pragma once

#include "plan/small_products.hpp"
#include "problem/matrix_product.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>

namespace swirl::planning {

/// A product ready to run. Products that suit a kernel of their own have it at hand: nothing is looked up.
class MatrixPlan {
public:
    /// Of a valid product.
    MatrixPlan(const MatrixProduct& product, int threads);

    /// Throws UserError, before anything is written, for null or misaligned pointers and where C overlaps A or B.
    void execute(const MatrixArguments& arguments) const;

    const MatrixProduct& product() const { return product_; }
    int threads() const { return threads_; }
    std::string description() const;
    double flops() const;

private:
    static constexpr std::size_t kinds = 6; ///< of kernels: what becomes of C, whether α is one

    void check(const MatrixArguments& arguments) const;
    void check_pointer(const char* name, const void* pointer) const;
    void check_apart(const char* name, const void* pointer, const Extent& extent, const void* c) const;
    const SmallKernel& kernel(gemm::Update update, bool alpha_is_one) const;
    void run_small(const MatrixArguments& arguments) const;

    MatrixProduct product_;
    MatrixProduct oriented_; ///< the same with C's rows next to each other, if they can be
    bool is_turned_;         ///< A and B have changed places in `oriented_`
    bool is_small_;
    int threads_;
    Extent a_, b_, c_;
    mutable std::array<std::atomic<const SmallKernel*>, kinds> kernels_{};
    mutable std::array<std::unique_ptr<const SmallKernel>, kinds> made_;
    mutable std::mutex making_;
};

} // namespace swirl::planning

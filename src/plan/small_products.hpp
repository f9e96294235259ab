#pragma once

#include "gemm/small_product.hpp"
#include "plan/matrix_multiply.hpp"
#include "runtime/executable_memory.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace swirl::planning {

/// The kernel of one small product.
class SmallKernel {
public:
    SmallKernel(const gemm::SmallProduct& small, const target::Cpu& cpu);

    void run(const MatrixArguments& arguments) const;
    const gemm::SmallProduct& small() const { return small_; }

private:
    gemm::SmallProduct small_;
    runtime::ExecutableCode code_;
    std::size_t packed_bytes_;
};

/// Kernels of small products that were asked for often. Looking one up takes no lock.
class SmallProducts {
public:
    /// The kernel for a product like this, or nothing: before the same product has been asked for a number of times a kernel
    /// of its own would cost more than it saves.
    const SmallKernel* find(const MatrixProduct& product, gemm::Update update, bool alpha_is_one);

    static SmallProducts& of_this_machine();

private:
    struct Entry {
        MatrixProduct product;
        gemm::Update update;
        bool alpha_is_one;
        std::atomic<int> calls{0};
        std::atomic<const SmallKernel*> kernel{nullptr};
        bool is(const MatrixProduct& other, gemm::Update its_update, bool its_alpha) const {
            return product == other && update == its_update && alpha_is_one == its_alpha;
        }
    };
    static constexpr std::size_t slots = 4096;
    static constexpr std::size_t probes = 4; ///< neighbouring slots that an entry may be in

    const SmallKernel* make(Entry& entry);
    void add(std::size_t first, const MatrixProduct& product, gemm::Update update, bool alpha_is_one);

    std::vector<std::atomic<Entry*>> table_ = std::vector<std::atomic<Entry*>>(slots);
    std::mutex making_;
};

/// Whether a product is one that a kernel of its own suits best.
bool is_small(const MatrixProduct& product);

} // namespace swirl::planning

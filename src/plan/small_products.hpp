#pragma once

#include "gemm/small_product.hpp"
#include "plan/matrix_multiply.hpp"
#include "plan/packed_blocks.hpp"
#include "runtime/executable_memory.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace swirl::planning {

/// The kernel of one small product.
class SmallKernel {
public:
    SmallKernel(const gemm::SmallProduct& small, const target::Cpu& cpu);

    void run(const MatrixArguments& arguments) const {
        void* const buffers[] = {const_cast<void*>(arguments.a),
                                 const_cast<void*>(arguments.b),
                                 arguments.c,
                                 const_cast<void*>(arguments.alpha),
                                 const_cast<void*>(arguments.beta),
                                 packed_bytes_ == 0 ? nullptr : packed_block(0, packed_bytes_)};
        function_(buffers, nullptr);
    }
    const gemm::SmallProduct& small() const { return small_; }

private:
    gemm::SmallProduct small_;
    runtime::ExecutableCode code_;
    runtime::KernelFunction function_;
    std::size_t packed_bytes_;
};

/// What a kernel of its own is made for.
struct SmallRequest {
    const MatrixProduct& product; ///< of one matrix
    gemm::Update update;
    bool alpha_is_one;
    Integer block_depth;
};

/// Kernels of small products that were asked for often. Looking one up takes no lock.
class SmallProducts {
public:
    /// The kernel for a product like this, or nothing: before the same product has been asked for a number of times a kernel
    /// of its own would cost more than it saves. Where there is no place left it never gets one.
    const SmallKernel* find(const SmallRequest& request);

    static SmallProducts& of_this_machine();

private:
    struct Entry {
        gemm::SmallProduct small;
        SmallKernel kernel;
        bool is(const SmallRequest& request) const {
            return small.product == request.product && small.update == request.update &&
                   small.alpha_is_one == request.alpha_is_one && small.block_depth == request.block_depth;
        }
    };
    static constexpr std::size_t slots = 4096;
    static constexpr std::size_t probes = 4; ///< neighbouring slots that an entry may be in

    bool is_frequent(std::uint64_t hash, const MatrixProduct& product);
    const SmallKernel* make(std::uint64_t hash, const SmallRequest& request);

    std::vector<std::atomic<const Entry*>> table_ = std::vector<std::atomic<const Entry*>>(slots);
    /// Calls of what has no kernel: part of a hash and how many. Others with the same slot take calls away.
    std::vector<std::atomic<std::uint64_t>> calls_ = std::vector<std::atomic<std::uint64_t>>(slots);
    std::mutex making_;
};

} // namespace swirl::planning

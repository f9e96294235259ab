#pragma once

#include "gemm/slice_pack.hpp"
#include "runtime/executable_memory.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace swirl::planning {

/// How products of slices are blocked: C in blocks of columns, each in blocks of the depth, each in blocks of rows, as
/// gemm::Schedule says.
struct SlicedSchedule {
    Integer block_rows;
    Integer block_depth;
    Integer block_columns;
};
SlicedSchedule sliced_schedule(const gemm::SlicedProduct& product);

/// The kernels of one way of slicing float32, each made when it is first asked for; for any number of threads.
class SlicedKernels {
public:
    explicit SlicedKernels(const gemm::SlicedProduct& product)
        : product_(product), schedule_(sliced_schedule(product)) {}

    const gemm::SlicedProduct& product() const { return product_; }
    const SlicedSchedule& schedule() const { return schedule_; }
    /// Bytes of a packed panel of the schedule's depth: panels of blocks lie in this distance.
    Integer panel_bytes() const {
        return 2 * gemm::slice_panel(product_.slices, schedule_.block_depth / gemm::slice_steps);
    }

    /// See gemm::slice_kernel and gemm::slice_pack.
    runtime::KernelFunction tiles(int rows, int columns, gemm::Update update, Integer groups);
    runtime::KernelFunction pack(gemm::SlicePack::Operand operand, ir::Scalar from, gemm::Pack::Source source,
                                 int count, bool is_scaled);

    /// With so many products: 1, 3 or 6.
    static SlicedKernels& of(int products);

private:
    using Tiles = std::tuple<int, int, gemm::Update, int>;
    using Pack = std::tuple<gemm::SlicePack::Operand, ir::Scalar, gemm::Pack::Source, int, bool>;
    template <class Key, class Make>
    runtime::KernelFunction find(std::map<Key, runtime::KernelFunction>& made, const Key& key, Make&& make);

    gemm::SlicedProduct product_;
    SlicedSchedule schedule_;
    std::mutex making_;
    std::map<Tiles, runtime::KernelFunction> tiles_;
    std::map<Pack, runtime::KernelFunction> packs_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning

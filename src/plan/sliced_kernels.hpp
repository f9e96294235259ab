#pragma once

#include "base/fork_gate.hpp"
#include "gemm/slice_pack.hpp"
#include "runtime/executable_memory.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace swirl::planning {

/// How products of slices are blocked: C in blocks of columns, each in blocks of the depth, each in blocks of rows, as
/// gemm::Schedule says.
struct SlicedSchedule {
    Integer block_rows;
    Integer block_depth;
    Integer block_columns;
};
SlicedSchedule sliced_schedule(const gemm::SlicedProduct& product, const gemm::TileNumbers& numbers);

/// The kernels of products in tile registers, of bytes, bfloat16, or float32 in slices, each made when it is first asked for; for any number of threads.
class SlicedKernels {
public:
    /// Tiles end with the epilogue: its operands are buffers behind the others.
    SlicedKernels(const gemm::SlicedProduct& product, const gemm::TileNumbers& numbers,
                  gemm::Epilogue epilogue = {})
        : product_(product),
          numbers_(numbers),
          schedule_(sliced_schedule(product, numbers)),
          epilogue_(std::move(epilogue)) {}

    const gemm::SlicedProduct& product() const { return product_; }
    const gemm::TileNumbers& numbers() const { return numbers_; }
    const SlicedSchedule& schedule() const { return schedule_; }
    Integer groups_in_panel() const { return schedule_.block_depth / numbers_.steps(); }
    /// Bytes of a packed panel of the schedule's depth: panels of blocks lie in this distance.
    Integer panel_bytes() const { return gemm::slice_panel_bytes(product_.slices, groups_in_panel()); }

    /// See gemm::slice_kernel and gemm::slice_pack.
    runtime::KernelFunction tiles(int rows, int columns, gemm::Update update, Integer groups);
    runtime::KernelFunction pack(gemm::Operand operand, ir::Scalar from, gemm::Pack::Source source, int count,
                                 bool is_scaled);

    /// With so many products: 1, 3 or 6; 1 of bytes.
    static SlicedKernels& of(int products, const gemm::TileNumbers& numbers = {});

private:
    using Tiles = std::tuple<int, int, gemm::Update, int>;
    using Pack = std::tuple<gemm::Operand, ir::Scalar, gemm::Pack::Source, int, bool>;
    template <class Key, class Make>
    runtime::KernelFunction find(std::map<Key, runtime::KernelFunction>& made, const Key& key, Make&& make);

    gemm::SlicedProduct product_;
    gemm::TileNumbers numbers_;
    SlicedSchedule schedule_;
    gemm::Epilogue epilogue_;
    ForkSafeMutex making_;
    std::map<Tiles, runtime::KernelFunction> tiles_;
    std::map<Pack, runtime::KernelFunction> packs_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning

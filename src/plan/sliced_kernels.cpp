#include "plan/sliced_kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <array>

namespace swirl::planning {

namespace {

constexpr Integer most_depth = 1 << 16, most_stride = Integer{1} << 36, most_tiles = 1 << 10;

} // namespace

/// Packed rows take at most three quarters of a mebibyte, which stay in a core's own cache while the columns pass by.
SlicedSchedule sliced_schedule(const gemm::SlicedProduct& product, const gemm::TileNumbers& numbers) {
    const Integer groups = product.slices == 3 ? 16 : 32;
    return {.block_rows = 256, .block_depth = groups * numbers.steps(), .block_columns = 4096};
}

template <class Key, class Make>
runtime::KernelFunction SlicedKernels::find(std::map<Key, runtime::KernelFunction>& made, const Key& key,
                                            Make&& make) {
    const std::lock_guard lock(making_);
    runtime::KernelFunction& kernel = made[key];
    if (kernel == nullptr) {
        const target::Cpu& cpu = target::avx512_cpu();
        kernel = code_.emplace_back(jit::compile(passes::run_in_order(make(), cpu), cpu)).function();
    }
    return kernel;
}

runtime::KernelFunction SlicedKernels::tiles(int rows, int columns, gemm::Update update, Integer groups) {
    const int at_once = gemm::columns_at_once(groups);
    return find(tiles_, Tiles{rows, columns, update, at_once}, [&] {
        return gemm::slice_kernel({.product = product_,
                                   .numbers = numbers_,
                                   .rows = rows,
                                   .columns = columns,
                                   .update = update,
                                   .columns_at_once = at_once,
                                   .groups_in_panel = groups_in_panel(),
                                   .most_tiles = most_tiles,
                                   .most_stride = most_stride,
                                   .epilogue = epilogue_});
    });
}

runtime::KernelFunction SlicedKernels::pack(gemm::Operand operand, ir::Scalar from, gemm::Pack::Source source,
                                            int count, bool is_scaled) {
    return find(packs_, Pack{operand, from, source, count, is_scaled}, [&] {
        return gemm::slice_pack({.operand = operand,
                                 .from = from,
                                 .slices = product_.slices,
                                 .count = count,
                                 .source = source,
                                 .is_scaled = is_scaled,
                                 .most_depth = most_depth,
                                 .most_stride = most_stride});
    });
}

SlicedKernels& SlicedKernels::of(int products, const gemm::TileNumbers& numbers) {
    using N = Number;
    const auto make = [](const gemm::SlicedProduct& product, const gemm::TileNumbers& of = {}) {
        return new SlicedKernels(product, of);
    };
    static constinit MadeOnce<std::array<SlicedKernels*, 7>> all;
    const auto make_all = [&] {
        return std::array{make(gemm::single_product()),
                          make(gemm::triple_product()),
                          make(gemm::sixfold_product()),
                          make(gemm::single_product(), {N::int8, N::int8}),
                          make(gemm::single_product(), {N::int8, N::uint8}),
                          make(gemm::single_product(), {N::uint8, N::int8}),
                          make(gemm::single_product(), {N::uint8, N::uint8})};
    };
    for (SlicedKernels* const kernels : all.get(make_all))
        if (kernels->product().products() == products && kernels->numbers() == numbers) return *kernels;
    throw InternalError("no product of slices has {} products", products);
}

} // namespace swirl::planning

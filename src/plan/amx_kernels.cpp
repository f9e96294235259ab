#include "plan/amx_kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <array>

namespace swirl::planning {

namespace {

constexpr Integer max_k = 1 << 16, max_stride = Integer{1} << 36, max_tiles = 1 << 10;

} // namespace

/// A packed block of A takes at most 3/4 MiB and stays in a core's private cache while B's columns stream past.
AmxSchedule amx_schedule(const gemm::Bf16Split& product, const gemm::AmxTypes& types) {
    const Integer k_groups = product.terms == 3 ? 16 : 32;
    return {.mc = 256, .kc = k_groups * types.k_group(), .nc = 4096};
}

template <class Key, class Make>
runtime::KernelFunction AmxKernels::find(std::map<Key, runtime::KernelFunction>& made, const Key& key,
                                         Make&& make) {
    const std::lock_guard lock(making_);
    runtime::KernelFunction& kernel = made[key];
    if (kernel == nullptr) {
        const target::Cpu& cpu = target::avx512_cpu();
        kernel = code_.emplace_back(jit::compile(passes::run_codegen_passes(make(), cpu), cpu)).function();
    }
    return kernel;
}

runtime::KernelFunction AmxKernels::tiles(int rows, int columns, gemm::Update update, Integer k_groups) {
    const int at_once = gemm::columns_at_once(k_groups);
    return find(tiles_, Tiles{rows, columns, update, at_once}, [&] {
        return gemm::amx_kernel({.product = product_,
                                 .types = types_,
                                 .rows = rows,
                                 .columns = columns,
                                 .update = update,
                                 .columns_at_once = at_once,
                                 .k_groups_per_panel = k_groups_per_panel(),
                                 .max_tiles = max_tiles,
                                 .max_stride = max_stride,
                                 .epilogue = epilogue_});
    });
}

runtime::KernelFunction AmxKernels::pack(gemm::Operand operand, DataType from, gemm::Pack::Source source,
                                         int count, bool is_scaled) {
    return find(packs_, Pack{operand, from, source, count, is_scaled}, [&] {
        return gemm::amx_pack({.operand = operand,
                               .from = from,
                               .terms = product_.terms,
                               .count = count,
                               .source = source,
                               .is_scaled = is_scaled,
                               .max_k = max_k,
                               .max_stride = max_stride});
    });
}

AmxKernels& AmxKernels::of(int products, const gemm::AmxTypes& types) {
    using N = DataType;
    const auto make = [](const gemm::Bf16Split& product, const gemm::AmxTypes& of = {}) {
        return new AmxKernels(product, of);
    };
    static constinit LazyValue<std::array<AmxKernels*, 7>> all;
    const auto make_all = [&] {
        return std::array{make(gemm::bf16x1()),
                          make(gemm::bf16x2()),
                          make(gemm::bf16x3()),
                          make(gemm::bf16x1(), {N::int8, N::int8}),
                          make(gemm::bf16x1(), {N::int8, N::uint8}),
                          make(gemm::bf16x1(), {N::uint8, N::int8}),
                          make(gemm::bf16x1(), {N::uint8, N::uint8})};
    };
    for (AmxKernels* const kernels : all.get(make_all))
        if (kernels->product().term_products() == products && kernels->types() == types) return *kernels;
    throw InternalError("no product of slices has {} products", products);
}

} // namespace swirl::planning

#include "plan/gemm/cpu/amx/kernels.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/shared_kernels.hpp"
#include "runtime/cpu/tile_state.hpp"

namespace swirl::planning {

namespace {

constexpr Integer max_amx_k = 1 << 16, max_amx_stride = Integer{1} << 36, max_tiles = 1 << 10;

ir::Program program_of(const gemm::AmxKernel& kernel) { return gemm::amx_kernel(kernel); }
ir::Program program_of(const gemm::AmxPack& kernel) { return gemm::amx_pack(kernel); }

void run_check(const gemm::AmxKernel& kernel, runtime::KernelFunction function) {
    const runtime::TileState tile_state;
    check_amx_tile(kernel, function);
}
void run_check(const gemm::AmxPack& kernel, runtime::KernelFunction function) {
    check_amx_pack(kernel, function);
}

} // namespace

/// A packed block of A takes at most 3/4 MiB and stays in a core's private cache while B's columns stream past.
gemm::AmxGemm model_amx(int term_products, const gemm::AmxTypes& types) {
    const Integer k_groups = split_of(term_products).terms == 3 ? 16 : 32;
    return {.term_products = term_products, .mc = 256, .kc = k_groups * types.k_group(), .nc = 4096};
}

gemm::Bf16Split split_of(int term_products) {
    for (const gemm::Bf16Split& split : {gemm::bf16x1(), gemm::bf16x2(), gemm::bf16x3()})
        if (split.term_products() == term_products) return split;
    throw InternalError("no bf16 split has {} products", term_products);
}

template <class Key, class Description>
runtime::KernelFunction AmxKernels::find(std::map<Key, runtime::KernelFunction>& made, const Key& key,
                                         const Description& description) {
    const std::lock_guard lock(making_);
    runtime::KernelFunction& kernel = made[key];
    if (kernel != nullptr) return kernel;
    const target::Cpu& cpu = target::avx512_cpu();
    runtime::ExecutableCode code(jit::compile(passes::run_codegen_passes(program_of(description), cpu), cpu));
    if (check_ == KernelCheck::on && runtime::may_use_tiles()) run_check(description, code.function());
    return kernel = code_.emplace_back(std::move(code)).function();
}

gemm::AmxKernel AmxKernels::tiles_description(int rows, int columns, gemm::Update update,
                                              Integer k_groups) const {
    return {.product = product_,
            .types = types_,
            .rows = rows,
            .columns = columns,
            .update = update,
            .columns_at_once = gemm::columns_at_once(k_groups),
            .k_groups_per_panel = k_groups_per_panel(),
            .max_tiles = max_tiles,
            .max_stride = max_amx_stride,
            .epilogue = epilogue_};
}

gemm::AmxPack AmxKernels::pack_description(gemm::Operand operand, DataType from, gemm::Pack::Source source,
                                           int count, bool is_scaled) const {
    return {.operand = operand,
            .from = from,
            .terms = product_.terms,
            .count = count,
            .source = source,
            .is_scaled = is_scaled,
            .max_k = max_amx_k,
            .max_stride = max_amx_stride};
}

runtime::KernelFunction AmxKernels::tiles(int rows, int columns, gemm::Update update, Integer k_groups) {
    return find(tiles_, Tiles{rows, columns, update, gemm::columns_at_once(k_groups)},
                tiles_description(rows, columns, update, k_groups));
}

runtime::KernelFunction AmxKernels::pack(gemm::Operand operand, DataType from, gemm::Pack::Source source,
                                         int count, bool is_scaled) {
    return find(packs_, Pack{operand, from, source, count, is_scaled},
                pack_description(operand, from, source, count, is_scaled));
}

std::shared_ptr<AmxKernels> AmxKernels::shared(const gemm::AmxGemm& schedule, const gemm::AmxTypes& types,
                                               const gemm::Epilogue& epilogue, KernelCheck check) {
    struct Description {
        gemm::AmxGemm schedule;
        gemm::AmxTypes types;
        gemm::Epilogue epilogue;
        KernelCheck check;
        bool operator==(const Description&) const = default;
    };
    gemm::AmxGemm own = schedule;
    own.fallback = {}; // has kernels of its own
    static constinit LazyValue<SharedKernels<Description, AmxKernels>> all;
    auto& known = all.get([] { return SharedKernels<Description, AmxKernels>(); });
    return known.find({own, types, epilogue, check},
                      [&] { return std::make_shared<AmxKernels>(own, types, epilogue, check); });
}

} // namespace swirl::planning

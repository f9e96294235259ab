#pragma once

#include "base/fork_gate.hpp"
#include "gemm/cpu/amx_pack.hpp"
#include "gemm/cpu/schedule.hpp"
#include "plan/check/cpu_gemm.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace swirl::planning {

/// The bf16 split with so many products: 1, 3 or 6.
gemm::Bf16Split split_of(int term_products);

/// The model's block sizes, without a fallback.
gemm::AmxGemm model_amx(int term_products, const gemm::AmxTypes& types);

/// AMX kernels (tile registers) for 8-bit integers, bfloat16, and float32 as bf16 splits. Compiled and, where they can
/// run, checked on first use; safe for any number of threads.
class AmxKernels {
public:
    /// Tiles end with the epilogue, whose operands are buffers after the others.
    AmxKernels(const gemm::AmxGemm& schedule, const gemm::AmxTypes& types, gemm::Epilogue epilogue = {},
               KernelCheck check = KernelCheck::on)
        : product_(split_of(schedule.term_products)),
          types_(types),
          schedule_(schedule),
          epilogue_(std::move(epilogue)),
          check_(check) {}

    /// The kernels with these parameters that plans share.
    static std::shared_ptr<AmxKernels> shared(const gemm::AmxGemm& schedule, const gemm::AmxTypes& types,
                                              const gemm::Epilogue& epilogue, KernelCheck check);

    const gemm::Bf16Split& product() const { return product_; }
    const gemm::AmxTypes& types() const { return types_; }
    KernelCheck check() const { return check_; }
    const gemm::AmxGemm& schedule() const { return schedule_; }
    Integer k_groups_per_panel() const { return schedule_.kc / types_.k_group(); }
    /// Bytes of a packed panel with the schedule's full kc; also the distance between panels of a block.
    Integer panel_bytes() const { return gemm::amx_panel_bytes(product_.terms, k_groups_per_panel()); }

    /// A kernel for tiles of these sizes, in blocks of this extent along K; and one for panels of an operand.
    gemm::AmxKernel tiles_description(int rows, int columns, gemm::Update update, Integer k_groups) const;
    gemm::AmxPack pack_description(gemm::Operand operand, DataType from, gemm::Pack::Source source, int count,
                                   bool is_scaled) const;

    /// See gemm::amx_kernel and gemm::amx_pack.
    runtime::KernelFunction tiles(int rows, int columns, gemm::Update update, Integer k_groups);
    runtime::KernelFunction pack(gemm::Operand operand, DataType from, gemm::Pack::Source source, int count,
                                 bool is_scaled);

private:
    using Tiles = std::tuple<int, int, gemm::Update, int>;
    using Pack = std::tuple<gemm::Operand, DataType, gemm::Pack::Source, int, bool>;
    template <class Key, class Description>
    runtime::KernelFunction find(std::map<Key, runtime::KernelFunction>& made, const Key& key,
                                 const Description& description);

    gemm::Bf16Split product_;
    gemm::AmxTypes types_;
    gemm::AmxGemm schedule_;
    gemm::Epilogue epilogue_;
    KernelCheck check_;
    ForkSafeMutex making_;
    std::map<Tiles, runtime::KernelFunction> tiles_;
    std::map<Pack, runtime::KernelFunction> packs_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning

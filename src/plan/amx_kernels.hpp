#pragma once

#include "base/fork_gate.hpp"
#include "gemm/cpu/amx_pack.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace swirl::planning {

/// Block sizes of AMX products: columns in blocks of nc, k in blocks of kc, rows in blocks of mc, nested in this order
/// as in gemm::Schedule.
struct AmxSchedule {
    Integer mc;
    Integer kc;
    Integer nc;
};
AmxSchedule amx_schedule(const gemm::Bf16Split& product, const gemm::AmxTypes& types);

/// AMX kernels (tile registers) for 8-bit integers, bfloat16, and float32 as bf16 splits. Compiled on first use; safe
/// for any number of threads.
class AmxKernels {
public:
    /// Tiles end with the epilogue, whose operands are buffers after the others.
    AmxKernels(const gemm::Bf16Split& product, const gemm::AmxTypes& types, gemm::Epilogue epilogue = {})
        : product_(product),
          types_(types),
          schedule_(amx_schedule(product, types)),
          epilogue_(std::move(epilogue)) {}

    const gemm::Bf16Split& product() const { return product_; }
    const gemm::AmxTypes& types() const { return types_; }
    const AmxSchedule& schedule() const { return schedule_; }
    Integer k_groups_per_panel() const { return schedule_.kc / types_.k_group(); }
    /// Bytes of a packed panel with the schedule's full kc; also the distance between panels of a block.
    Integer panel_bytes() const { return gemm::amx_panel_bytes(product_.terms, k_groups_per_panel()); }

    /// See gemm::amx_kernel and gemm::amx_pack.
    runtime::KernelFunction tiles(int rows, int columns, gemm::Update update, Integer k_groups);
    runtime::KernelFunction pack(gemm::Operand operand, DataType from, gemm::Pack::Source source, int count,
                                 bool is_scaled);

    /// Shared kernels by the number of bf16 products per element product: 1, 3 or 6; 1 for 8-bit integers.
    static AmxKernels& of(int products, const gemm::AmxTypes& types = {});

private:
    using Tiles = std::tuple<int, int, gemm::Update, int>;
    using Pack = std::tuple<gemm::Operand, DataType, gemm::Pack::Source, int, bool>;
    template <class Key, class Make>
    runtime::KernelFunction find(std::map<Key, runtime::KernelFunction>& made, const Key& key, Make&& make);

    gemm::Bf16Split product_;
    gemm::AmxTypes types_;
    AmxSchedule schedule_;
    gemm::Epilogue epilogue_;
    ForkSafeMutex making_;
    std::map<Tiles, runtime::KernelFunction> tiles_;
    std::map<Pack, runtime::KernelFunction> packs_;
    std::deque<runtime::ExecutableCode> code_;
};

} // namespace swirl::planning

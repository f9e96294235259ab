#pragma once

#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/packed_matrix.hpp"
#include "runtime/cpu/team.hpp"

#include <cstddef>
#include <functional>

namespace swirl::planning {

/// Whether something happens to C after its last block of k. `epilogue` may be null; `by_amx`: tile registers multiply.
bool needs_all_blocks(const MatrixProduct& product, const MatrixEpilogue* epilogue, bool by_amx);

/// k blocks whose panels, of all rows and columns, a team packs at a time into memory that its members share: as many as
/// their caches hold. 0: not one, or not all of a product whose C is finished after its last block (`needs_all_blocks`);
/// then each member packs what it reads.
Integer k_blocks_at_once(const MatrixProduct& product, const PanelShape& a, const PanelShape& b, int members,
                         bool needs_all_blocks, const target::Cpu& cpu);

/// Panels of one operand that a team's members pack together, each panel once.
class SharedPanels {
public:
    using Pack = std::function<void(const PanelRange& range, std::byte* to)>;

    /// `extent`: rows or columns of the operand. `memory` is for the panels of `k_blocks` blocks.
    SharedPanels(const PanelShape& shape, Pack pack, Integer extent, std::byte* memory)
        : shape_(shape), pack_(std::move(pack)), extent_(extent), memory_(memory) {}

    /// Packs these rows or columns, from a panel's first to a panel's last. `of_k` begins with a block.
    void pack(runtime::IterationRange rows_or_columns, runtime::IterationRange of_k) const;
    /// The panels, after all have been packed with this first k.
    PackedPanels from(Integer first_k) const;

private:
    PanelShape shape_;
    Pack pack_;
    Integer extent_;
    std::byte* memory_;
};

} // namespace swirl::planning

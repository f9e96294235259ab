#include "plan/gemm/cpu/shared_panels.hpp"

#include "base/integer.hpp"

#include <algorithm>

namespace swirl::planning {

bool needs_all_blocks(const MatrixProduct& product, const MatrixEpilogue* epilogue, bool by_amx) {
    return needs_conversion_buffer(product) || (epilogue != nullptr && !epilogue->is_in_tiles()) ||
           (!by_amx && has_scattered_columns(product));
}

Integer k_blocks_at_once(const MatrixProduct& product, const PanelShape& a, const PanelShape& b, int members,
                         bool needs_all_blocks, const target::Cpu& cpu) {
    // Panels that leave a core's own cache stay in the one that cores share, which is at least as large as theirs together.
    const Integer most = 2 * members * cpu.cache_bytes;
    const Integer block = a.bytes_of_block(product.rows) + b.bytes_of_block(product.columns);
    const Integer all = ceil_divide(product.k, a.kc), held = std::min(most / block, all);
    return needs_all_blocks && held < all ? 0 : held;
}

void SharedPanels::pack(runtime::IterationRange rows_or_columns, runtime::IterationRange of_k) const {
    if (rows_or_columns.first >= rows_or_columns.last) return;
    const Integer panel = rows_or_columns.first / shape_.width;
    std::byte* block = memory_;
    for (Integer k = of_k.first; k < of_k.last; k += shape_.kc) {
        const Integer k_extent = std::min(shape_.kc, of_k.last - k);
        pack_({rows_or_columns.first, rows_or_columns.last - rows_or_columns.first, k, k_extent},
              block + panel * shape_.bytes_of_panel(k_extent));
        block += shape_.bytes_of_block(extent_);
    }
}

PackedPanels SharedPanels::from(Integer first_k) const {
    PackedPanels panels;
    panels.memory = memory_;
    panels.extent = extent_;
    panels.first_k = first_k;
    return panels;
}

} // namespace swirl::planning

#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/cpu/pack.hpp"
#include "gemm/cpu/panel_addresses.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

/// Appends code that packs one panel.
class PanelWriter {
public:
    PanelWriter(ir::Builder& builder, const Pack& pack, const PanelAddresses& addresses);

    /// `k_main` is K rounded down to a multiple of k_per_iteration.
    void write(const Affine& k_main, const Affine& k_extent);

private:
    using Address = PanelAddresses::Address;

    template <class F> void for_each_k(const Affine& begin, const Affine& end, int increment, F&& body);
    void put(const Affine& k, int first, Components components, int lanes);
    Components zeros(ir::Type type);
    Components get(const Address& address, int lanes, int active);
    bool can_get(int active) const;
    void copy_k(const Affine& k);
    void transpose_k_block(const Affine& k);
    void gather_k(const Affine& k);
    void put_row(const Affine& k, int row, const Address& start);

    ir::Builder& builder_;
    const Pack& pack_;
    PanelAddresses addresses_;
    int components_;
    ir::Type type_;
};

} // namespace swirl::gemm

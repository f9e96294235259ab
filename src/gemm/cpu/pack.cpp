#include "gemm/cpu/pack.hpp"

#include "base/error.hpp"
#include "gemm/cpu/k_group_writer.hpp"
#include "gemm/cpu/panel_writer.hpp"

namespace swirl::gemm {

int panel_lanes(const Pack& pack) {
    int lanes = pack.lanes;
    while (pack.width % lanes != 0) lanes /= 2;
    return lanes;
}

int k_per_iteration(const Pack& pack) { return pack.source == Pack::Source::along_k ? panel_lanes(pack) : 1; }

ir::Program pack(const Pack& pack) {
    ensure(pack.count >= 1 && pack.count <= pack.width, "{} of {} rows or columns of a panel", pack.count,
           pack.width);
    const Integer components = scalars_in(pack.data_type);
    const DataType scalar = scalar_of(pack.data_type);
    if (!pack.k_packing.is_plain()) return pack_k_groups(pack);
    ir::Builder builder("gemm_pack");
    PanelAddresses addresses;
    const DataType from = pack.source_type ? scalar_of(*pack.source_type) : scalar;
    addresses.from =
        builder.input("source", from, components * (pack.max_k + pack.width - 1) * pack.max_stride);
    addresses.to = builder.output("packed", scalar, components * pack.max_k * pack.width);
    const Affine k_main = builder.parameter("k_main"), k_extent = builder.parameter("k");
    addresses.k_stride = components * builder.parameter("k_stride");
    addresses.stride = components * builder.parameter("stride");
    PanelWriter(builder, pack, addresses).write(k_main, k_extent);
    return builder.finish();
}

} // namespace swirl::gemm

#include "gemm/pack.hpp"

#include "base/error.hpp"
#include "gemm/group_writer.hpp"
#include "gemm/panel_writer.hpp"

namespace swirl::gemm {

int panel_lanes(const Pack& pack) {
    int lanes = pack.lanes;
    while (pack.width % lanes != 0) lanes /= 2;
    return lanes;
}

int steps_together(const Pack& pack) {
    return pack.source == Pack::Source::along_depth ? panel_lanes(pack) : 1;
}

ir::Program pack(const Pack& pack) {
    ensure(pack.count >= 1 && pack.count <= pack.width, "{} of {} rows or columns of a panel", pack.count,
           pack.width);
    const Integer parts = scalars_in(pack.number);
    const ir::Scalar scalar = scalar_of(pack.number);
    if (!pack.grouping.is_plain()) return pack_groups(pack);
    ir::Builder builder("gemm_pack");
    PanelPlaces places;
    const ir::Scalar from = pack.narrow ? scalar_of(*pack.narrow) : scalar;
    places.from = builder.input("from", from, parts * (pack.most_depth + pack.width - 1) * pack.most_stride);
    places.to = builder.output("to", scalar, parts * pack.most_depth * pack.width);
    const Affine steps = builder.parameter("steps"), depth = builder.parameter("depth");
    places.depth_stride = parts * builder.parameter("depth_stride");
    places.stride = parts * builder.parameter("stride");
    PanelWriter(builder, pack, places).write(steps, depth);
    return builder.finish();
}

} // namespace swirl::gemm

#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/pack.hpp"
#include "gemm/panel_places.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

/// Appends what packs one panel.
class PanelWriter {
public:
    PanelWriter(ir::Builder& builder, const Pack& pack, const PanelPlaces& places);

    /// `steps` is the depth, rounded down to a multiple of steps_together.
    void write(const Affine& steps, const Affine& depth);

private:
    using Place = PanelPlaces::Place;

    template <class F> void over_depth(const Affine& begin, const Affine& end, int step, F&& body);
    void put(const Affine& k, int first, Parts parts, int lanes);
    Parts zeros(ir::Type type);
    Parts get(const Place& place, int lanes, int active);
    bool can_get(int active) const;
    void copy_step(const Affine& k);
    void transpose_steps(const Affine& k);
    void gather_step(const Affine& k);
    void put_row(const Affine& k, int row, const Place& start);

    ir::Builder& builder_;
    const Pack& pack_;
    PanelPlaces places_;
    int parts_;
    ir::Type type_;
};

} // namespace swirl::gemm

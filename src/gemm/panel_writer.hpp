#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/pack.hpp"
#include "ir/builder.hpp"

namespace swirl::gemm {

/// Where a panel comes from and goes to, in scalars; strides are constants or arguments of the kernel.
struct PanelPlaces {
    ir::Buffer from = 0;
    Affine from_origin = {};
    Affine depth_stride = {};
    Affine stride = {}; ///< across the panel
    ir::Buffer to = 0;
    Affine to_origin = {};
};

/// Appends what packs one panel.
class PanelWriter {
public:
    PanelWriter(ir::Builder& builder, const Pack& pack, const PanelPlaces& places);

    /// `steps` is the depth, rounded down to a multiple of steps_together.
    void write(const Affine& steps, const Affine& depth);

private:
    /// A place in memory: an index, and what is added to it that is known only when the kernel runs.
    struct Place {
        Affine index;
        ir::Value dynamic;
    };

    template <class F> void over_depth(const Affine& begin, const Affine& end, int step, F&& body);
    ir::Value product(const Affine& count, const Affine& stride);
    Place place(const Affine& k, int row);
    Place beside(const Place& first, int row);
    void put(const Affine& k, int first, Parts parts, int lanes);
    Parts zeros(ir::Type type);
    Parts get(const Place& place, int lanes, int active);
    void copy_step(const Affine& k);
    void transpose_steps(const Affine& k);
    void gather_step(const Affine& k);

    ir::Builder& builder_;
    const Pack& pack_;
    PanelPlaces places_;
    int parts_;
    ir::Type type_;
};

} // namespace swirl::gemm

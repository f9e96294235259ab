#pragma once

#include "ir/program.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace swirl::passes {

/// A memory access reduced to integers. Within one iteration of the surrounding loops, accesses of one shape (same
/// variable terms, same dynamic part) are a known number of elements apart.
struct Footprint {
    ir::Buffer buffer = 0;
    int shape = 0; ///< index in the FootprintTable
    Integer offset = 0;
    Integer lane_stride = 0; ///< 0 if one lane is active
    int active = 1;
    bool operator==(const Footprint&) const = default;
};

/// Numbers the shapes of addresses and determines which accesses may overlap. Different buffers never overlap: an
/// in-place kernel has a single buffer.
class FootprintTable {
public:
    Footprint footprint(const ir::Operation& operation);
    /// Of an access to `active` lanes.
    Footprint footprint(const ir::Address& address, int active);

    /// False only if no lane of `a` touches an element that a lane of `b` touches, for all values of the variables.
    bool may_overlap(const Footprint& a, const Footprint& b) const;

private:
    struct Shape {
        Affine::Terms terms;
        ir::Value dynamic;
        Integer dynamic_scale;
    };
    int shape_of(const ir::Address& address);
    bool shapes_may_overlap(const Footprint& a, const Footprint& b) const;

    std::vector<Shape> shapes_;
    std::unordered_multimap<std::size_t, int> shape_ids_; ///< by hash of the shape
};

} // namespace swirl::passes

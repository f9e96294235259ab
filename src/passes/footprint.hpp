#pragma once

#include "ir/program.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace swirl::passes {

/// A memory access reduced to integers. Accesses of one shape (same variable terms, same dynamic part) lie a known
/// number of elements apart, within one iteration of the loops around them.
struct Footprint {
    ir::Buffer buffer = 0;
    int shape = 0; ///< number given by the FootprintTable
    Integer offset = 0;
    Integer lane_stride = 0; ///< 0 when one lane is active
    int active = 1;
    bool operator==(const Footprint&) const = default;
};

/// Numbers the shapes of addresses and answers which accesses can meet. Different buffers never overlap: a kernel
/// that works in place has one buffer.
class FootprintTable {
public:
    Footprint footprint(const ir::Operation& operation);

    /// False only when no lane of `a` touches an element that a lane of `b` touches, whatever the variables' values.
    bool may_overlap(const Footprint& a, const Footprint& b) const;

private:
    struct Shape {
        std::vector<Affine::Term> terms;
        ir::Value dynamic;
        Integer dynamic_scale;
    };
    int shape_of(const ir::Address& address);
    bool shapes_may_meet(const Footprint& a, const Footprint& b) const;

    std::vector<Shape> shapes_;
    std::unordered_multimap<std::size_t, int> numbers_; ///< by hash of the shape
};

} // namespace swirl::passes

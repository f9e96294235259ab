#pragma once

#include "ir/program.hpp"
#include "passes/memory_blocks.hpp"

#include <vector>

/// The order in which lanes run the iterations of a vector loop, and in which scratch memory stores their results.
namespace swirl::passes {

/// A loop that becomes vector operations.
struct VectorLoop {
    const ir::For* loop;
    const ir::StraightLineBlock* body;
    int trips;
    MemoryBlocks blocks;
    std::vector<char> varies; ///< by position in the body: differs between iterations
    bool permuted = false;    ///< lane l runs iteration LaneOrders::order[l] instead of l
};

/// One permutation `order` of the lanes with which a single unpack instruction (or vshufps) per vector deinterleaves,
/// or interleaves, pairs of vectors of complex elements: order[l] is the iteration of lane l.
///
/// A loop may run its iterations in any order. But if its accesses are contiguous, the memory must have the same
/// order: scratch buffers that are accessed only in whole blocks of ν elements store element order[l] of every block
/// at position l; tables get a permuted copy.
struct LaneOrders {
    std::vector<int> order;
    std::vector<int> inverse;
    std::vector<char> permuted;                       ///< by buffer
    std::vector<ir::Buffer> table_for_permuted_loops; ///< by buffer; −1: not needed
};

/// Permutes loops with interleaved pairs if no access needs an extra shuffle for it, and creates the permuted tables.
LaneOrders choose_lane_orders(ir::Program& program, std::vector<VectorLoop>& loops, int lanes);

} // namespace swirl::passes

#pragma once

#include "ir/program.hpp"
#include "passes/memory_blocks.hpp"

#include <vector>

/// In which order lanes run the iterations of a vector loop, and in which order scratch memory keeps what they store.
namespace swirl::passes {

/// A loop that becomes vector operations.
struct VectorLoop {
    const ir::For* loop;
    const ir::Straight* body;
    int trips;
    MemoryBlocks blocks;
    std::vector<char> varies; ///< by position in the body: differs between iterations
    bool permuted = false;    ///< lane l runs iteration LaneOrders::order[l] instead of l
};

/// One permutation `order` of the lanes, in which pairs of vectors of interleaved complex numbers come apart, and
/// together again, by one unpack instruction (or vshufps) each: order[l] is the iteration of lane l.
///
/// A loop may run its iterations in any order. But if lanes are neighbours in memory, the memory must have that order
/// too: scratch buffers of which only whole blocks of ν elements are accessed keep element order[l] of every block at
/// place l; tables get a permuted copy.
struct LaneOrders {
    std::vector<int> order;
    std::vector<int> inverse;
    std::vector<char> permuted;                       ///< by buffer
    std::vector<ir::Buffer> table_for_permuted_loops; ///< by buffer; −1: none is needed
};

/// Permutes the loops with interleaved pairs where no access needs an extra shuffle for it, and makes the tables.
LaneOrders choose_lane_orders(ir::Program& program, std::vector<VectorLoop>& loops, int lanes);

} // namespace swirl::passes

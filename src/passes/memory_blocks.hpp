#pragma once

#include "base/inline_vector.hpp"
#include "ir/program.hpp"
#include "ir/ranges.hpp"

#include <cstdint>
#include <vector>

/// Implementation of the memory accesses of a loop that becomes vector lanes.
namespace swirl::passes {

/// Scalar accesses of one loop body, executed together. Column j is at index + j of iteration 0.
struct MemoryBlock {
    enum class Kind : std::uint8_t {
        uniform,    ///< the same element for all iterations: one column
        contiguous, ///< iteration stride ±1: one column
        pairs,      ///< iteration stride ±2: two columns that are contiguous together
        rows,       ///< from two columns to a vector's lanes: a row of columns per iteration
        strided,    ///< one column
    };
    Kind kind = Kind::strided;
    bool is_store = false;
    Integer stride = 0;  ///< elements from one iteration to the next
    ir::Address address; ///< column 0 of iteration 0
    using Column = InlineVector<int, 2>;
    std::vector<Column> columns; ///< body positions of the accesses of each column
    int position = 0; ///< position in the body where it is executed: its first load or its last store
};

struct MemoryBlocks {
    std::vector<MemoryBlock> blocks;
    std::vector<int>
        block_of; ///< by position in the body; −1: no access, or a store that a later one overwrites
};

/// Groups the accesses of `body` over the iterations of `loop`. A load never moves across a store to its buffer, nor a
/// store across a load or an overlapping store. `ranges` knows all loops around the body.
MemoryBlocks find_memory_blocks(const ir::Program& program, const ir::VariableRanges& ranges,
                                const ir::For& loop, const ir::StraightLineBlock& body, int lanes);

} // namespace swirl::passes

#pragma once

#include "ir/block_writer.hpp"
#include "passes/lane_order.hpp"

#include <vector>

namespace swirl::passes {

/// Turns the bodies of vector loops into vector operations, one loop at a time.
class LoopVectorizer {
public:
    LoopVectorizer(ir::Program& program, int lanes, bool permutes_two, const LaneOrders& orders);

    /// Appends the vectorized loop body to `vectorized`. Consumes the operations of the body.
    void vectorize(const VectorLoop& loop, std::vector<ir::Value>& vectorized);

private:
    using Value = ir::Value;
    using LaneMap = ir::LaneMap;

    void convert(std::size_t position);
    void access(const MemoryBlock& block);
    void load_columns(const MemoryBlock& block); ///< to columns_
    void store_columns(const MemoryBlock& block, const std::vector<Value>& columns);
    ir::Operation access_of(const MemoryBlock& block, Integer distance, int active,
                            Integer lane_stride) const;
    Value load(const MemoryBlock& block, Integer distance, int active, Integer lane_stride);
    void store(const MemoryBlock& block, Integer distance, Value stored, int active, Integer lane_stride);

    /// Distance from the first iteration's address to the lowest one.
    Integer lowest(const MemoryBlock& block) const {
        return block.stride < 0 ? (loop_->trips - 1) * block.stride : 0;
    }
    int iteration_of(int lane) const;
    int lane_of(int iteration) const;
    bool lanes_are_in_memory_order(const MemoryBlock& block) const;
    /// Lane l of the result takes element of(l) of two vectors, for the lanes that run an iteration.
    template <class Of> LaneMap map_lanes(Of&& of) const;
    LaneMap from_memory(const MemoryBlock& block) const;
    LaneMap to_memory(const MemoryBlock& block) const;
    LaneMap every_other(const MemoryBlock& block, int column) const;
    LaneMap interleave(const MemoryBlock& block, int from) const;
    bool has_permuted_columns(const MemoryBlock& block) const;
    /// Whether vectors hold the rows in order.
    bool are_records(const MemoryBlock& block) const;
    void load_records(const MemoryBlock& block); ///< to columns_
    void store_records(const MemoryBlock& block, const std::vector<Value>& columns);

    Value as_scalar(Value value) const;
    Value as_vector(Value value);
    ir::BlockWriter writer() { return {program_, *run_}; }
    Value value_at(int position) const { return loop_->body->operations[static_cast<std::size_t>(position)]; }
    Value& scalar(Value value) { return scalars_[static_cast<std::size_t>(value)]; }
    Value& vector(Value value) { return vectors_[static_cast<std::size_t>(value)]; }

    ir::Program& program_;
    int lanes_;
    bool permutes_two_; ///< any lanes of two vectors by one shuffle
    const LaneOrders& orders_;
    const VectorLoop* loop_ = nullptr;
    std::vector<Value>* run_ = nullptr;
    std::vector<Value> scalars_; ///< by value: the equal one that replaces it
    std::vector<Value> vectors_; ///< by value of the body, or defined before the loop
    std::vector<Value> columns_; ///< of the block that is loaded or stored
    std::vector<Value> used_;    ///< values defined before the loop that have a vector now
};

} // namespace swirl::passes

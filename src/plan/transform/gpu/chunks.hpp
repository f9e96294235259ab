#pragma once

#include "plan/transform/cpu/plan.hpp"
#include "problem/problem.hpp"

namespace swirl::planning {

/// Splits a batch into chunks, so that the output of one kernel is still in cache when the next kernel reads it.
class GpuChunks {
public:
    /// `chunk` iterations of the outermost batch loop at a time; 0: all at once. Throws UserError if there are fewer.
    GpuChunks(const Transform& problem, Integer chunk);

    Integer whole() const { return whole_; } ///< number of full chunks
    Integer rest() const { return rest_; }   ///< iterations after the full chunks
    /// The problem with this many iterations.
    Transform problem_of(Integer iterations) const;
    Integer iterations() const { return chunk_; } ///< of a full chunk

    /// The arguments of chunk k.
    Arguments arguments_of(const Arguments& all, Integer k) const;

private:
    Transform problem_;
    Integer chunk_;
    Integer whole_;
    Integer rest_;
    Integer input_stride_ = 0; ///< bytes from one chunk to the next
    Integer output_stride_ = 0;
};

} // namespace swirl::planning

#pragma once

#include "plan/plan.hpp"
#include "problem/problem.hpp"

namespace swirl::planning {

/// A batch worked through in parts, so that what one kernel writes is still in the cache when the next reads it.
class GpuChunks {
public:
    /// `chunk` iterations of the outermost batch loop at a time; 0: all at once. UserError where there are not so many.
    GpuChunks(const Problem& problem, Integer chunk);

    Integer whole() const { return whole_; } ///< chunks of full size
    Integer rest() const { return rest_; }   ///< iterations after them
    /// The problem of so many iterations.
    Problem problem_of(Integer iterations) const;
    Integer iterations() const { return chunk_; } ///< of a whole chunk

    /// Where chunk number k finds its data.
    Arguments arguments_of(const Arguments& all, Integer k) const;

private:
    Problem problem_;
    Integer chunk_;
    Integer whole_;
    Integer rest_;
    Integer input_step_ = 0; ///< bytes from one chunk to the next
    Integer output_step_ = 0;
};

} // namespace swirl::planning

#pragma once

#include "distributed/choose.hpp"
#include "distributed/execution.hpp"
#include "distributed/program.hpp"
#include "distributed/scheduled.hpp"
#include "distributed/shared_area.hpp"
#include "distributed/work_array.hpp"

#include <swirl/distributed/plan.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace swirl::distributed {

/// A rank's share of a transform with its arrays.
struct RankPlan {
    Communicator* communicator;
    Scheduled scheduled;
    double seconds; ///< of an execution, as the model predicts it
    Box input_box, output_box;
    Program program;
    std::vector<Integer>
        work_bytes; ///< of each of a rank's two arrays between, where all ranks can write them
    std::shared_ptr<SharedArea> shared; ///< null: ranks exchange messages
    std::unique_ptr<WorkArray> first, second, local, chunk, sent, received;

    DataType type(swirl::Side side) const;
    /// Collective. Arrays of the boxes.
    void run(const std::byte* input, std::byte* output) const;
    /// Before this rank leaves an execution by an exception: its arrays may vanish then.
    void stop_writers() const;
    std::size_t workspace_bytes() const;

private:
    mutable bool is_second_ = false; ///< execution of two, where they alternate
    std::byte* work(Array array, int rank) const;
    std::vector<std::byte*> outputs_of_all(std::byte* own) const;
    void run_delivery(const Execution& execution, const DeliverStep& step,
                      const std::vector<std::byte*>& outputs) const;
    void run_stream(const Execution& execution, const RankArrays& arrays, const StreamStep& step) const;
};

/// What ranks of this group may use in place of messages, with the machine of the options.
Model model_of(const Communicator& communicator, const DistributedOptions& options);

/// The steps of a rank that sends messages. Where these are long, sending overlaps with transforming; short ones are loaded and stored
/// by whole local plans.
Program program_of_messages(const Scheduled& made, int rank, const DistributedOptions& options,
                            const ChunkSizes& sizes);
/// As this host's caches have it, of so many threads (0: all).
ChunkSizes chunk_sizes(int threads);

/// Collective. What a rank needs to execute a schedule.
std::shared_ptr<RankPlan> prepared(const Transform& problem, Communicator& communicator, const AllBoxes& all,
                                   const Schedule& schedule, const DistributedOptions& options);

} // namespace swirl::distributed

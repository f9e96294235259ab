/// Transforms whose data is divided among ranks.
///
///     // every rank of `communicator`, such as one of <swirl/distributed/threads.hpp>
///     const auto boxes = swirl::distributed::pencils({512, 512, 512}, communicator.size(), 2);
///     const swirl::distributed::DistributedPlan fft =
///         swirl::distributed::plan("dft 512x512x512", communicator, {.input = boxes[communicator.rank()]});
///     std::vector<std::complex<double>> x(elements(fft.input_box())), y(elements(fft.output_box()));
///     fft.execute(x, y);
#pragma once

#include <swirl/export.h>
#include <swirl/arrays.hpp>
#include <swirl/distributed/box.hpp>
#include <swirl/distributed/communicator.hpp>
#include <swirl/options.hpp>
#include <swirl/problem.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::distributed {

/// What the model of a plan knows of the machine: defaults are those of processes that share a node's memory.
struct Machine {
    int ranks_per_node = 0;        ///< neighbouring ranks share a node; 0: all
    double node_latency = 1e-6;    ///< seconds for each message within a node
    double node_bandwidth = 6e9;   ///< bytes per second that a rank sends within a node
    double network_latency = 2e-6; ///< the same between nodes
    double network_bandwidth = 1.5e9;
    double memory_bandwidth = 8e9; ///< bytes per second that a rank reads and writes
    double flops = 2e10;           ///< real additions and multiplications per second of a rank
};

/// Collective: measures the machine with these ranks, within seconds; rank 0's wisdom then has it, and plans that are not given
/// another machine use it. `ranks_per_node` as Machine has it.
SWIRL_API Machine measure_machine(Communicator& communicator, int ranks_per_node = 0);

/// The elements that this rank holds. A problem's index space is its batch loops, then its dimensions, of a half spectrum n/2+1
/// along the last one: input_lengths, output_lengths.
struct RankBoxes {
    Box input = {};
    /// Nothing, on all ranks: the plan chooses what saves an exchange, such as transposed slabs. DistributedPlan::output_box has it.
    std::optional<Box> output = {};
};

struct DistributedOptions {
    /// Of each rank's own plans. With Effort::measure and above the likely schedules are timed on all ranks, too, within the time budget
    /// (default 3.5 seconds), and wisdom has the fastest for this machine, engine and number of ranks.
    Options local = {};
    Machine machine = {}; ///< default: what measure_machine has found, if it has been called
    /// Every choice, in the format of DistributedPlan::schedule(); empty: choose. All ranks give the same.
    std::string schedule = {};
    /// Plans load and store contiguous arrays, and elements are sorted into messages by copies of their own, even where plans could do
    /// it. For comparison.
    bool separate_copies = false;
    /// Ranks that share memory exchange messages all the same, and do not write each other's arrays. For comparison.
    bool messages = false;
};

/// A rank's share of a transform, ready to run. Immutable, cheap to copy; used by one thread at a time, with its communicator, which
/// must outlive it.
class SWIRL_API DistributedPlan {
public:
    DistributedPlan() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Collective. Arrays of this rank's boxes, contiguous; null where a box is empty. The output may be the input, an array that is
    /// large enough for both. Otherwise the input stays as it is. If an argument of one rank is wrong, that rank throws UserError,
    /// and the calls of the others end with SystemError: they cannot know.
    void execute(const Input& input, const Output& output) const;

    const Transform& problem() const;
    const Box& input_box() const;
    const Box& output_box() const;
    std::string schedule() const;    ///< one line; DistributedOptions::schedule accepts it
    std::string description() const; ///< the steps of this rank
    std::string derivation() const;  ///< how rewriting turned the transform into local factors and exchanges
    double seconds() const;          ///< of an execution, as the model predicts it
    Integer exchanges() const;
    Integer bytes_sent() const;    ///< by this rank to others, in one execution
    Integer messages_sent() const; ///< likewise
    Integer bytes_copied() const;  ///< read and written only to sort elements into messages
    std::size_t workspace_bytes() const;

private:
    friend struct DistributedPlanAccess;
    struct State;
    std::shared_ptr<const State> state_;
};

/// Collective: all ranks give the same problem and options, and each its own boxes. If it fails on one rank, it throws the same
/// error on all, which names the rank. Boxes must hold each element once. Kinds: dft, rdft, and the real ones from wht to hc2r.
/// Throws Unsupported for convolutions, formulas, callbacks and planar data.
SWIRL_API DistributedPlan plan(const Transform& problem, Communicator& communicator, const RankBoxes& boxes,
                               const DistributedOptions& options = {});
inline DistributedPlan plan(std::string_view problem, Communicator& communicator, const RankBoxes& boxes,
                            const DistributedOptions& options = {}) {
    return plan(parse_transform(problem), communicator, boxes, options);
}

/// What a plan for these ranks would be, without having them.
struct PlanPreview {
    std::string schedule;
    double seconds = 0;
    Integer exchanges = 0;
    std::vector<Box> output;    ///< boxes of all ranks
    std::vector<int> ranks;     ///< whose messages are counted: all, but at most 64, evenly spaced
    std::vector<Integer> bytes; ///< sent by each of these
    std::vector<Integer> messages;
    std::string steps;      ///< of rank 0
    std::string derivation; ///< up to 16 ranks
};
SWIRL_API PlanPreview preview(const Transform& problem, std::vector<Box> input,
                              std::optional<std::vector<Box>> output = {},
                              const DistributedOptions& options = {});

} // namespace swirl::distributed

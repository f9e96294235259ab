#pragma once

#include "distributed/copies.hpp"
#include "distributed/local_factor.hpp"

#include <swirl/distributed/communicator.hpp>
#include <swirl/plan.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace swirl::distributed {

/// Arrays of a rank: the caller's, and two between.
enum class Array : std::uint8_t { input, output, first, second };

/// A plan of this rank alone. Messages are loaded and stored by it, as far as strides or a formula say where elements are.
struct TransformStep {
    Array from, to;
    Transform problem;
    Plan plan = {};
};

/// A pass over this rank's memory that sorts elements into messages, or out of them.
struct CopyStep {
    Array from, to;
    std::vector<BlockCopy> blocks;
    Integer element_bytes;
    Integer elements;
};

/// All ranks: each sends the blocks that another expects of it. What the permutation between two local factors means for one rank.
struct ExchangeStep {
    Array from, to;
    ExchangeBlocks blocks;
};

using Step = std::variant<TransformStep, CopyStep, ExchangeStep>;

/// What one rank does. Every rank has as many exchanges.
struct Program {
    std::vector<Step> steps;
    Integer workspace_bytes = 0; ///< of each of the two arrays between
};

/// The steps of a rank, without plans. `separate_copies`: see DistributedOptions.
Program program_of(const Factors& factors, const RankFactors& rank, bool separate_copies = false);

/// Plans the transforms.
void plan_transforms(Program& program, const Options& options);

std::string to_text(const Step& step);

/// To other ranks, in one execution.
Integer bytes_sent(const Program& program, int rank);
Integer messages_sent(const Program& program, int rank);
/// Read and written by copies.
Integer bytes_copied(const Program& program);

} // namespace swirl::distributed

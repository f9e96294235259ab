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

/// Arrays of a rank: the caller's, two between exchanges, and one between steps without an exchange.
enum class Array : std::uint8_t { input, output, first, second, local };

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

/// The end of a local factor, and the exchange after it, where ranks share memory: the factor in chunks that a cache holds, each
/// copied from there into the arrays of the ranks that need it. Without transforms, elements are copied from the array itself.
struct DeliverStep {
    struct Delivery {
        int rank;
        std::vector<BlockCopy> copies; ///< from the chunk to that rank's array
    };
    struct Chunk {
        std::size_t problem = 0;
        Integer load_offset = 0; ///< bytes from the start of `from` to the chunk's first element
        std::vector<Delivery> deliveries;
    };
    Array from, to;
    std::vector<Transform> problems; ///< few: chunks of one shape share one; none: no transforms
    std::vector<Plan> plans;
    std::vector<Chunk> chunks;
    Integer element_bytes; ///< of what is delivered
    CopyStores stores = CopyStores::cached;
};

/// The end of a local factor, and the exchange after it, by messages: a chunk's are on their way while the next one is transformed.
/// Every rank has as many chunks.
struct StreamStep {
    /// Chunk k takes the place of chunk k − chunks_in_flight in the arrays of messages, which has arrived by then.
    static constexpr std::size_t chunks_in_flight = 8;
    /// What a cache holds of a chunk.
    struct Part {
        std::size_t problem = 0;
        Integer load_offset = 0;     ///< bytes from the start of `from` to its first element
        std::vector<BlockCopy> pack; ///< to the array of sent messages
    };
    struct Chunk {
        std::vector<Part> parts;
        ExchangeBlocks blocks; ///< from the array of sent messages to that of received ones, or to `to`
        std::vector<BlockCopy> unpack; ///< of received messages to `to`
    };
    Array from, to;
    std::vector<Transform> problems; ///< none: messages are copied out of `from`
    std::vector<Plan> plans;
    std::vector<Chunk> chunks;
    Integer element_bytes;          ///< of what is sent
    bool receives_in_place = false; ///< messages are contiguous in `to`
    CopyStores unpack_stores = CopyStores::cached;
};

/// All ranks: each waits until all are here. What was delivered may then be read, and what was read may be overwritten.
struct MeetStep {
    bool tells_outputs = false; ///< ranks learn where the others' outputs are
};

using Step = std::variant<TransformStep, CopyStep, ExchangeStep, DeliverStep, StreamStep, MeetStep>;

/// What one rank does. Every rank has as many exchanges, and as many meetings.
struct Program {
    std::vector<Step> steps;
    Integer workspace_bytes = 0; ///< of each of the two arrays between exchanges
    Integer local_bytes = 0;     ///< of the array between steps without an exchange
    Integer chunk_bytes = 0;     ///< of the largest transformed chunk
    Integer sent_bytes = 0;      ///< of the arrays of a stream's messages
    Integer received_bytes = 0;
    bool alternates =
        false; ///< every second execution has the two arrays between exchanges the other way round
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

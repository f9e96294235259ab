#pragma once

#include "distributed/program.hpp"
#include "distributed/schedule.hpp"

namespace swirl::distributed {

/// Which arrays of a rank the others can write.
enum class SharedArrays : std::uint8_t {
    none,    ///< ranks send messages
    between, ///< the two between exchanges
    all,     ///< the output, too: ranks are threads of one process
};

/// How large chunks are. The same on all ranks.
struct ChunkSizes {
    Integer cache_bytes = 1 << 20;         ///< of the cache that a chunk's transforms stay in
    Integer least_message_bytes = 1 << 16; ///< shorter messages cost more than they overlap
};

/// The steps of a rank, without plans, whose local factors run in chunks: where ranks share memory, each stores its results where the
/// next local factor of another rank loads them; else messages of a chunk are on their way while the next one is transformed.
Program chunked_program_of(const Factors& factors, const Schedule& schedule,
                           const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank,
                           SharedArrays shared, const ChunkSizes& sizes);

/// Into how many parts the messages of the exchange after a stage are divided, so that sending overlaps with transforming.
Integer chunks_of_exchange(Integer bytes_of_rank, int ranks, const ChunkSizes& sizes);

} // namespace swirl::distributed

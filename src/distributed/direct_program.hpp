#pragma once

#include "distributed/program.hpp"
#include "distributed/schedule.hpp"

namespace swirl::distributed {

/// Which arrays of a rank the others can write.
enum class SharedArrays : std::uint8_t {
    between, ///< the two between exchanges
    all,     ///< the output, too: ranks are threads of one process
};

/// The steps of a rank whose arrays others can write, without plans: each rank stores its results where the next local factor
/// of another rank loads them. `cache_bytes`: of the cache that chunks are to stay in.
Program direct_program_of(const Factors& factors, const Schedule& schedule,
                          const std::vector<StageBoxes>& boxes, const Decomposition& output, int rank,
                          SharedArrays shared, Integer cache_bytes);

} // namespace swirl::distributed

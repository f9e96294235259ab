#pragma once

#include <swirl/distributed/communicator.hpp>

#include <cstdint>

namespace swirl::distributed {

/// Plans and executes by the functions of <swirl/distributed.h>, on MPI.
void run_c_interface(Communicator& ranks, std::uint64_t seed);

} // namespace swirl::distributed

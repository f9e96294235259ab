/// Ranks that exchange the memory of GPUs by NCCL, which is loaded when the first group is made: libnccl.so.2, or the
/// library that SWIRL_NCCL names; version 2.18 or later.
///
/// Exchanges take memory of the rank's GPU alone, and are enqueued on the stream. A started exchange runs beside the
/// stream, which waits for it in `wait`. What each rank sends must be what the other expects; `check_collectively`
/// finds where it is not. After `abort`, and after an error that NCCL reports, calls throw, and what is enqueued ends
/// without a result. NCCL does not tell other processes of an abort: that takes a group that messages go by, such as
/// one of MPI.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace swirl::distributed {

/// Names a group that is being made: one rank makes it, and the program passes it on to the others.
struct NcclId {
    std::array<std::byte, 128> bytes{};
};
SWIRL_API NcclId make_nccl_id();

/// Collective. This process is one rank of the group, and uses the GPU of this ordinal. Messages go by NCCL, too. A
/// rank that is lost ends the others' calls where NCCL notices it.
SWIRL_API std::unique_ptr<Communicator> on_nccl(const NcclId& id, int rank, int size, int gpu);

/// Collective. The ranks of another group, each with the GPU of this ordinal. Messages and news of lost ranks go by
/// that group.
SWIRL_API std::unique_ptr<Communicator> on_nccl(std::unique_ptr<Communicator> messages, int gpu);

/// The ranks are threads of this process: element r is for that which uses the GPU of ordinal gpus[r]. `abort` ends
/// all of them, also what is enqueued.
SWIRL_API std::vector<std::unique_ptr<Communicator>> on_nccl(const std::vector<int>& gpus);

} // namespace swirl::distributed

#pragma once

#include "runtime/cuda/abi.hpp"

#include <climits>
#include <cstddef>

/// The subset of NCCL's ABI that swirl uses; tests/distributed/nccl_abi_test.cpp compares it with <nccl.h> where that
/// is installed.
namespace swirl::distributed::nccl {

using Result = int; ///< ncclResult_t
using Comm = struct CommOfNccl*;

enum : Result { success = 0, invalid_argument = 4, invalid_usage = 5, remote_error = 6, in_progress = 7 };

constexpr int int8 = 0; ///< ncclInt8
constexpr int no_color = -1;
constexpr int first_version = 21800; ///< of ncclCommSplit

struct UniqueId {
    char internal[128];
};

/// ncclConfig_t of version 2.18: later versions read as much of it as it says to have.
struct Config {
    std::size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef;
    unsigned version = first_version;
    int blocking = 0; ///< calls return at once, so that an abort can end them
    int cga_cluster_size = INT_MIN;
    int min_ctas = INT_MIN;
    int max_ctas = INT_MIN;
    const char* net_name = nullptr;
    int split_share = INT_MIN;
};

struct Functions {
    Result (*ncclGetVersion)(int* version);
    const char* (*ncclGetErrorString)(Result);
    const char* (*ncclGetLastError)(Comm);
    Result (*ncclGetUniqueId)(UniqueId*);
    Result (*ncclCommInitRankConfig)(Comm*, int size, UniqueId, int rank, Config*);
    Result (*ncclCommSplit)(Comm, int color, int key, Comm*, Config*);
    Result (*ncclCommUserRank)(Comm, int* rank);
    Result (*ncclCommCount)(Comm, int* size);
    Result (*ncclCommGetAsyncError)(Comm, Result*);
    Result (*ncclCommFinalize)(Comm);
    Result (*ncclCommDestroy)(Comm);
    Result (*ncclCommAbort)(Comm);
    Result (*ncclGroupStart)();
    Result (*ncclGroupEnd)();
    Result (*ncclSend)(const void*, std::size_t count, int type, int peer, Comm, runtime::cuda::Stream);
    Result (*ncclRecv)(void*, std::size_t count, int type, int peer, Comm, runtime::cuda::Stream);
    Result (*ncclAllGather)(const void* send, void* receive, std::size_t count_of_each, int type, Comm,
                            runtime::cuda::Stream);
};

} // namespace swirl::distributed::nccl

/// Ranks that exchange data: the interface between distributed plans and the engine that a program's ranks run on: threads
/// of one process, MPI, NCCL, or memory that GPUs share. A program may bring its own.
#pragma once

#include <swirl/export.h>
#include <swirl/kinds.hpp>
#include <swirl/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace swirl::distributed {

/// Element r of each vector is for rank r. Bytes of 0 are no message. Offsets count bytes from the start of an array.
/// Blocks that are received may not overlap.
struct ExchangeBlocks {
    std::vector<Integer> send_bytes;
    std::vector<Integer> send_offsets;
    std::vector<Integer> receive_bytes; ///< what the other rank sends to this one
    std::vector<Integer> receive_offsets;
    friend bool operator==(const ExchangeBlocks& a, const ExchangeBlocks& b) {
        return a.send_bytes == b.send_bytes && a.send_offsets == b.send_offsets &&
               a.receive_bytes == b.receive_bytes && a.receive_offsets == b.receive_offsets;
    }
};

/// Of an exchange that goes on while its rank computes. Destroyed before `wait`, it waits.
class SWIRL_API PendingExchange {
public:
    virtual ~PendingExchange();
    /// Until all blocks have arrived and the sent ones may be overwritten. Throws as `exchange` does.
    virtual void wait() = 0;
    /// Lets the engine go on with it, if it needs calls for that; returns at once. Whether `wait` would: false where that is not known.
    /// Throws as `wait` does.
    virtual bool progress();
};

/// How ranks can write each other's arrays, beside sending messages.
enum class SharedMemory : std::uint8_t {
    none,
    may_map,       ///< those of one machine can map common memory
    address_space, ///< all are threads of one process
};

/// A group of ranks. Calls marked collective are made by all ranks of the group in the same order; arguments that all must
/// share are named. A rank that fails calls `abort`; every call of the other ranks then throws SystemError within seconds,
/// with that rank and its reason.
class SWIRL_API Communicator {
public:
    virtual ~Communicator();
    virtual int rank() const = 0; ///< from 0
    virtual int size() const = 0;
    /// The engine, for messages and wisdom: "threads", "mpi".
    virtual std::string engine() const = 0;
    /// Whether `exchange` takes pointers to a GPU's memory. Some engines then take no others.
    virtual bool takes_device_memory() const = 0;
    /// What a plan may use in place of messages. The same on all ranks.
    virtual SharedMemory shared_memory() const;

    /// Collective. Returns when all blocks have arrived; of device memory, enqueues the exchange on the stream. The arrays
    /// may not overlap.
    virtual void exchange(const void* send, void* receive, const ExchangeBlocks& blocks,
                          gpu::Stream stream = {}) = 0;
    /// Collective. The same, without waiting; `blocks` may be destroyed.
    virtual std::unique_ptr<PendingExchange> start_exchange(const void* send, void* receive,
                                                            const ExchangeBlocks& blocks,
                                                            gpu::Stream stream = {}) = 0;
    /// Collective. Every rank's bytes, in the order of ranks; lengths may differ. For small messages in host memory.
    virtual std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) = 0;
    /// Collective.
    virtual void barrier() = 0;
    /// Collective. The group of all ranks that give the same color ≥ 0, in the order of their keys, then of their ranks; null
    /// for a color of −1.
    virtual std::unique_ptr<Communicator> split(int color, int key) = 0;
    /// Ends the calls of all other ranks with this reason.
    virtual void abort(const std::string& reason) noexcept = 0;
    /// Throws what calls throw after another rank's `abort`, as far as this rank knows of one; returns at once.
    virtual void check_aborted();
};

} // namespace swirl::distributed

#pragma once

#include <swirl/distributed/communicator.hpp>
#include <swirl/error.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::support {

/// What a group sent since it was set up, and what is to go wrong; shared by its ranks, and by all groups that are split from it.
struct Instruments {
    std::atomic<Integer> exchanges = 0; ///< calls of all ranks
    std::atomic<Integer> messages = 0;  ///< blocks of 1 byte or more to other ranks
    std::atomic<Integer> bytes = 0;     ///< of these blocks
    std::atomic<Integer> own_bytes = 0; ///< that ranks send to themselves
    std::atomic<Integer> gathers = 0;
    std::atomic<Integer> barriers = 0;
    /// What plans are told. Without it they send messages, which are counted.
    distributed::SharedMemory shared_memory = distributed::SharedMemory::none;

    /// Before the k-th call of a rank of the first group, counted over all its communicators: such as a delay, or an
    /// exception for a lost rank.
    std::function<void(int rank, Integer call)> before_call;
};

/// Thrown in place of a lost rank's call.
struct LostRank : Error {
    using Error::Error;
};

/// Passes calls on to another communicator, counts what they send, and lets tests disturb them.
class InstrumentedCommunicator final : public distributed::Communicator {
public:
    InstrumentedCommunicator(distributed::Communicator& inner, std::shared_ptr<Instruments> instruments)
        : inner_(&inner),
          instruments_(std::move(instruments)),
          first_rank_(inner.rank()),
          calls_(std::make_shared<Integer>(0)) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }
    std::string engine() const override { return inner_->engine(); }
    bool takes_device_memory() const override { return inner_->takes_device_memory(); }
    distributed::SharedMemory shared_memory() const override { return instruments_->shared_memory; }

    void exchange(const void* send, void* receive, const distributed::ExchangeBlocks& blocks,
                  gpu::Stream stream) override {
        count(blocks);
        inner_->exchange(send, receive, blocks, stream);
    }
    std::unique_ptr<distributed::PendingExchange> start_exchange(const void* send, void* receive,
                                                                 const distributed::ExchangeBlocks& blocks,
                                                                 gpu::Stream stream) override {
        count(blocks);
        return inner_->start_exchange(send, receive, blocks, stream);
    }
    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override {
        disturb();
        ++instruments_->gathers;
        return inner_->gather_all(mine);
    }
    void barrier() override {
        disturb();
        ++instruments_->barriers;
        inner_->barrier();
    }
    std::unique_ptr<distributed::Communicator> split(int color, int key) override {
        disturb();
        std::unique_ptr<distributed::Communicator> part = inner_->split(color, key);
        if (!part) return nullptr;
        auto result = std::make_unique<InstrumentedCommunicator>(*part, instruments_);
        result->own_ = std::move(part);
        result->first_rank_ = first_rank_;
        result->calls_ = calls_;
        return result;
    }
    void abort(const std::string& reason) noexcept override { inner_->abort(reason); }
    void check_aborted() override { inner_->check_aborted(); }

private:
    void disturb() {
        const Integer call = (*calls_)++;
        if (instruments_->before_call) instruments_->before_call(first_rank_, call);
    }
    void count(const distributed::ExchangeBlocks& blocks) {
        disturb();
        ++instruments_->exchanges;
        for (std::size_t to = 0; to < blocks.send_bytes.size(); ++to) {
            const Integer bytes = blocks.send_bytes[to];
            if (static_cast<int>(to) == rank()) {
                instruments_->own_bytes += bytes;
            } else if (bytes > 0) {
                ++instruments_->messages;
                instruments_->bytes += bytes;
            }
        }
    }

    std::unique_ptr<distributed::Communicator> own_; ///< of a group that was split
    distributed::Communicator* inner_;
    std::shared_ptr<Instruments> instruments_;
    int first_rank_;
    std::shared_ptr<Integer> calls_;
};

/// Before every call of every rank: a random time up to this, which depends on the seed, the rank and the call.
inline std::function<void(int, Integer)> random_delays(std::uint64_t seed,
                                                       std::chrono::microseconds longest) {
    return [seed, longest](int rank, Integer call) {
        std::mt19937_64 random(seed + 1000003 * static_cast<std::uint64_t>(rank) +
                               static_cast<std::uint64_t>(call));
        std::this_thread::sleep_for(longest * static_cast<double>(random() % 1000) / 1000.0);
    };
}

/// The rank throws LostRank in place of this call.
inline std::function<void(int, Integer)> lose_rank(int lost, Integer at_call) {
    return [lost, at_call](int rank, Integer call) {
        if (rank == lost && call == at_call) throw LostRank("lost at call " + std::to_string(call));
    };
}

} // namespace swirl::support

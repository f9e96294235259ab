#include <swirl/distributed/threads.hpp>

#include "base/error.hpp"
#include "distributed/mismatch.hpp"

#include <swirl/distributed/check.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace {

using ThreadLock = std::unique_lock<std::mutex>;

/// A rank that leaves a group by an exception will most likely tell the reason by `abort`: its others wait for it so
/// long.
constexpr std::chrono::milliseconds time_to_tell_reason{200};

/// What all groups share that were split from one.
struct ThreadWorld {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<std::string> abortion; ///< the message of all calls from then on
};

struct ThreadGroup;

/// What one rank gives to a collective call.
struct CallEntry {
    const std::byte* send = nullptr;
    std::byte* receive = nullptr;
    ExchangeBlocks blocks;
    std::string error; ///< in its arguments
    std::vector<std::byte> message;
    int color = 0, key = 0;
};

/// A collective call: the k-th of each rank of a group. It is matched when all ranks have arrived. Then `error` is
/// final, and any rank that waits copies what any rank receives: nobody waits for a rank that computes.
struct CollectiveCall {
    explicit CollectiveCall(int size)
        : names(static_cast<std::size_t>(size)), entries(names.size()), is_claimed(names.size()) {}

    std::vector<const char*> names; ///< of the function that each rank called
    std::vector<CallEntry> entries;
    int arrived = 0;
    bool is_matched = false;
    std::string error;
    std::optional<int> withdrawn_by; ///< a rank that threw before the call was matched

    std::vector<char> is_claimed; ///< whether what this rank receives is being copied, or has been
    int unclaimed = 0;
    int copying = 0;                                 ///< threads that are
    std::vector<std::shared_ptr<ThreadGroup>> parts; ///< of a split: the new group of each rank, or null
    std::vector<int> ranks_in_parts;
};

struct ThreadGroup {
    enum class State : char { alive, ended, ended_by_exception };

    ThreadGroup(std::shared_ptr<ThreadWorld> shared, std::vector<int> ranks)
        : world(std::move(shared)),
          world_ranks(std::move(ranks)),
          calls(world_ranks.size()),
          states(world_ranks.size(), State::alive) {}

    int size() const { return static_cast<int>(world_ranks.size()); }
    std::string name(int rank) const;

    std::shared_ptr<ThreadWorld> world;
    std::vector<int> world_ranks;
    std::vector<Integer> calls; ///< that each rank has made
    std::vector<State> states;
    std::map<Integer, std::shared_ptr<CollectiveCall>> open; ///< calls that wait for a rank
    bool is_world = false;
};

std::string ThreadGroup::name(int rank) const {
    if (is_world) return fmt::format("rank {}", rank);
    return fmt::format("rank {} (rank {} of all)", rank, world_ranks[static_cast<std::size_t>(rank)]);
}

std::size_t index_of(int rank) { return static_cast<std::size_t>(rank); }

/// Why the arrived ranks' calls do not fit together; empty if they do.
std::string error_of_call(const ThreadGroup& group, const CollectiveCall& call) {
    for (int rank = 1; rank < group.size(); ++rank)
        if (std::strcmp(call.names[index_of(rank)], call.names[0]) != 0)
            return fmt::format(
                "{} calls '{}' where {} calls '{}'; all ranks must make the same calls in the same order",
                group.name(rank), call.names[index_of(rank)], group.name(0), call.names[0]);
    for (int rank = 0; rank < group.size(); ++rank)
        if (const std::string& error = call.entries[index_of(rank)].error; !error.empty())
            return fmt::format("{}: {}", group.name(rank), error);
    if (call.entries[0].blocks.send_bytes.empty()) return "";
    std::vector<ExchangeBlocks> blocks;
    for (const CallEntry& entry : call.entries) blocks.push_back(entry.blocks);
    return mismatch(blocks, [&](int rank) { return group.name(rank); });
}

void make_parts(const ThreadGroup& group, CollectiveCall& call) {
    call.parts.resize(index_of(group.size()));
    call.ranks_in_parts.resize(index_of(group.size()));
    std::map<int, std::vector<std::pair<int, int>>> members; // (key, rank) of each color
    for (int rank = 0; rank < group.size(); ++rank)
        if (const CallEntry& entry = call.entries[index_of(rank)]; entry.color >= 0)
            members[entry.color].emplace_back(entry.key, rank);
    for (auto& [color, ranks] : members) {
        std::sort(ranks.begin(), ranks.end());
        std::vector<int> world_ranks;
        for (const auto& [key, rank] : ranks) world_ranks.push_back(group.world_ranks[index_of(rank)]);
        const auto part = std::make_shared<ThreadGroup>(group.world, std::move(world_ranks));
        for (std::size_t k = 0; k < ranks.size(); ++k) {
            call.parts[index_of(ranks[k].second)] = part;
            call.ranks_in_parts[index_of(ranks[k].second)] = static_cast<int>(k);
        }
    }
}

void match(const ThreadGroup& group, CollectiveCall& call) {
    call.error = error_of_call(group, call);
    if (call.error.empty()) {
        if (!call.entries[0].blocks.send_bytes.empty()) call.unclaimed = group.size();
        if (std::strcmp(call.names[0], "split") == 0) make_parts(group, call);
    }
    call.is_matched = true;
}

/// What the rank receives.
void copy_blocks(const CollectiveCall& call, int to) {
    const CallEntry& receiver = call.entries[index_of(to)];
    const int size = static_cast<int>(call.entries.size());
    for (int k = 0; k < size; ++k) {
        const int from = (to + k) % size; // so that ranks do not all read the same one's memory
        const CallEntry& sender = call.entries[index_of(from)];
        if (const Integer bytes = receiver.blocks.receive_bytes[index_of(from)]; bytes > 0)
            std::memcpy(receiver.receive + receiver.blocks.receive_offsets[index_of(from)],
                        sender.send + sender.blocks.send_offsets[index_of(to)],
                        static_cast<std::size_t>(bytes));
    }
}

/// A rank's share of a call.
class Arrival {
public:
    Arrival(std::shared_ptr<ThreadGroup> group, int rank, const char* name, CallEntry entry);

    /// Until the call is complete. Throws its error.
    void wait();
    /// Until no thread uses this rank's arrays, and never will.
    void withdraw() noexcept;

    const CollectiveCall& call() const { return *call_; }

private:
    void copy_one(ThreadLock& lock);
    bool is_copied() const { return call_->unclaimed == 0 && call_->copying == 0; }
    [[noreturn]] void throw_abortion(ThreadLock& lock) const;
    /// A rank that will never arrive.
    std::optional<int> missing() const;

    std::shared_ptr<ThreadGroup> group_;
    int rank_;
    const char* name_;
    Integer number_ = 0;
    std::shared_ptr<CollectiveCall> call_;
};

Arrival::Arrival(std::shared_ptr<ThreadGroup> group, int rank, const char* name, CallEntry entry)
    : group_(std::move(group)), rank_(rank), name_(name) {
    ThreadWorld& world = *group_->world;
    const ThreadLock lock(world.mutex);
    if (world.abortion) throw SystemError(*world.abortion);
    number_ = group_->calls[index_of(rank)]++;
    std::shared_ptr<CollectiveCall>& call = group_->open[number_];
    if (!call) call = std::make_shared<CollectiveCall>(group_->size());
    call_ = call;
    call_->names[index_of(rank)] = name;
    call_->entries[index_of(rank)] = std::move(entry);
    if (++call_->arrived < group_->size() || call_->withdrawn_by) return;
    match(*group_, *call_);
    group_->open.erase(number_);
    world.changed.notify_all();
}

void Arrival::wait() {
    ThreadWorld& world = *group_->world;
    ThreadLock lock(world.mutex);
    std::optional<std::chrono::steady_clock::time_point> deadline;
    for (;;) {
        if (call_->is_matched) { // what all share comes before a later abort, which only some may see
            if (!call_->error.empty()) throw UserError(call_->error);
            if (is_copied()) return;
        }
        if (world.abortion) throw_abortion(lock);
        if (call_->is_matched) {
            if (call_->unclaimed > 0) {
                copy_one(lock);
                continue;
            }
        } else if (const std::optional<int> rank = missing()) {
            const bool by_exception = call_->withdrawn_by || group_->states[index_of(*rank)] ==
                                                                 ThreadGroup::State::ended_by_exception;
            const auto now = std::chrono::steady_clock::now();
            if (!deadline) deadline = now + time_to_tell_reason;
            if (!by_exception || now >= *deadline)
                throw SystemError("{} has ended{} while {} waits for it in '{}'", group_->name(*rank),
                                  by_exception ? " by an exception" : "", group_->name(rank_), name_);
            world.changed.wait_until(lock, *deadline);
            continue;
        }
        world.changed.wait(lock);
    }
}

void Arrival::withdraw() noexcept {
    ThreadWorld& world = *group_->world;
    ThreadLock lock(world.mutex);
    if (!call_->is_matched) {
        call_->withdrawn_by = rank_;
        world.changed.notify_all();
        return;
    }
    while (call_->error.empty() && !is_copied()) {
        if (world.abortion && call_->copying == 0) return;
        if (!world.abortion && call_->unclaimed > 0)
            copy_one(lock);
        else
            world.changed.wait(lock);
    }
}

void Arrival::copy_one(ThreadLock& lock) {
    int receiver = rank_;
    while (call_->is_claimed[index_of(receiver)] != 0) receiver = (receiver + 1) % group_->size();
    call_->is_claimed[index_of(receiver)] = 1;
    --call_->unclaimed;
    ++call_->copying;
    lock.unlock();
    copy_blocks(*call_, receiver);
    lock.lock();
    --call_->copying;
    if (call_->copying == 0) group_->world->changed.notify_all();
}

void Arrival::throw_abortion(ThreadLock& lock) const {
    group_->world->changed.wait(lock, [&] { return call_->copying == 0; });
    throw SystemError(*group_->world->abortion);
}

std::optional<int> Arrival::missing() const {
    if (call_->withdrawn_by) return call_->withdrawn_by;
    for (int rank = 0; rank < group_->size(); ++rank)
        if (group_->states[index_of(rank)] != ThreadGroup::State::alive &&
            group_->calls[index_of(rank)] <= number_)
            return rank;
    return std::nullopt;
}

class PendingCopies final : public PendingExchange {
public:
    explicit PendingCopies(Arrival arrival)
        : arrival_(std::move(arrival)), exceptions_(std::uncaught_exceptions()) {}
    ~PendingCopies() override {
        if (is_complete_) return;
        if (std::uncaught_exceptions() > exceptions_) {
            arrival_.withdraw();
            return;
        }
        try {
            arrival_.wait();
        } catch (const Error&) {} // the next call throws it, if it is one of the group
    }
    void wait() override {
        if (std::exchange(is_complete_, true)) return;
        arrival_.wait();
    }

private:
    Arrival arrival_;
    int exceptions_;
    bool is_complete_ = false;
};

class ThreadCommunicator final : public Communicator {
public:
    ThreadCommunicator(std::shared_ptr<ThreadGroup> group, int rank)
        : group_(std::move(group)), rank_(rank), exceptions_(std::uncaught_exceptions()) {}

    ~ThreadCommunicator() override {
        const ThreadLock lock(group_->world->mutex);
        const bool by_exception = std::uncaught_exceptions() > exceptions_;
        group_->states[index_of(rank_)] =
            by_exception ? ThreadGroup::State::ended_by_exception : ThreadGroup::State::ended;
        group_->world->changed.notify_all();
    }

    int rank() const override { return rank_; }
    int size() const override { return group_->size(); }
    std::string engine() const override { return "threads"; }
    bool takes_device_memory() const override { return false; }
    SharedMemory shared_memory() const override { return SharedMemory::address_space; }

    void exchange(const void* send, void* receive, const ExchangeBlocks& blocks, gpu::Stream) override {
        arrive("exchange", exchange_entry(send, receive, blocks)).wait();
    }

    std::unique_ptr<PendingExchange> start_exchange(const void* send, void* receive,
                                                    const ExchangeBlocks& blocks, gpu::Stream) override {
        return std::make_unique<PendingCopies>(arrive("exchange", exchange_entry(send, receive, blocks)));
    }

    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override {
        CallEntry entry;
        entry.message = mine;
        Arrival arrival = arrive("gather_all", std::move(entry));
        arrival.wait();
        std::vector<std::vector<std::byte>> result;
        for (const CallEntry& of_rank : arrival.call().entries) result.push_back(of_rank.message);
        return result;
    }

    void barrier() override { arrive("barrier", {}).wait(); }

    std::unique_ptr<Communicator> split(int color, int key) override {
        CallEntry entry;
        entry.color = color;
        entry.key = key;
        if (color < -1)
            entry.error = fmt::format("color is {}; it must be 0 or more, or -1 for no group", color);
        Arrival arrival = arrive("split", std::move(entry));
        arrival.wait();
        const std::shared_ptr<ThreadGroup>& part = arrival.call().parts[index_of(rank_)];
        if (!part) return nullptr;
        return std::make_unique<ThreadCommunicator>(part, arrival.call().ranks_in_parts[index_of(rank_)]);
    }

    void check_aborted() override {
        const ThreadLock lock(group_->world->mutex);
        if (group_->world->abortion) throw SystemError(*group_->world->abortion);
    }

    void abort(const std::string& reason) noexcept override {
        ThreadWorld& world = *group_->world;
        const ThreadLock lock(world.mutex);
        if (world.abortion) return;
        try {
            world.abortion = fmt::format("rank {} failed: {}", group_->world_ranks[index_of(rank_)], reason);
        } catch (...) {
            world.abortion.emplace(); // without memory for a message
        }
        world.changed.notify_all();
    }

private:
    CallEntry exchange_entry(const void* send, void* receive, const ExchangeBlocks& blocks) const {
        CallEntry entry;
        entry.send = static_cast<const std::byte*>(send);
        entry.receive = static_cast<std::byte*>(receive);
        entry.error = error_in(blocks, send, receive, size());
        if (entry.error.empty()) entry.blocks = blocks;
        return entry;
    }

    Arrival arrive(const char* name, CallEntry entry) {
        return Arrival(group_, rank_, name, std::move(entry));
    }

    std::shared_ptr<ThreadGroup> group_;
    int rank_;
    int exceptions_; ///< being thrown when it was made
};

} // namespace

std::vector<std::unique_ptr<Communicator>> on_threads(int ranks) {
    if (ranks < 1) throw UserError("ranks is {}; a group needs 1 or more", ranks);
    std::vector<int> world_ranks(index_of(ranks));
    std::iota(world_ranks.begin(), world_ranks.end(), 0);
    const auto group = std::make_shared<ThreadGroup>(std::make_shared<ThreadWorld>(), std::move(world_ranks));
    group->is_world = true;
    std::vector<std::unique_ptr<Communicator>> result;
    for (int rank = 0; rank < ranks; ++rank)
        result.push_back(std::make_unique<ThreadCommunicator>(group, rank));
    return result;
}

void run_ranks(int ranks, const std::function<void(Communicator&)>& body) {
    auto communicators = on_threads(ranks);
    std::mutex mutex;
    std::exception_ptr failure; // of the rank that failed first
    const auto fail = [&](Communicator& communicator, const char* reason) {
        {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
        communicator.abort(reason);
    };
    std::vector<std::thread> threads;
    try {
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                std::unique_ptr<Communicator>& communicator = communicators[index_of(rank)];
                try {
                    body(*communicator);
                } catch (const std::exception& error) {
                    fail(*communicator, error.what());
                } catch (...) {
                    fail(*communicator, "an exception of unknown type");
                }
                communicator.reset();
            });
    } catch (const std::system_error& error) {
        const std::size_t started = threads.size();
        communicators[started]->abort(fmt::format("no thread for it: {}", error.what()));
        for (std::thread& thread : threads) thread.join();
        throw SystemError("cannot start {} threads for ranks, only {}: {}", ranks, started, error.what());
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

} // namespace swirl::distributed

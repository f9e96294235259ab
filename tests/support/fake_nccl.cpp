// NCCL without GPUs: a library that passes bytes of the host's memory between threads of a process, for tests. As
// NCCL without blocking does, its functions return at once; what was called for is done when ncclCommGetAsyncError
// says so. Streams are ignored, since the driver without a GPU runs all at once.

#include "distributed/nccl_abi.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace swirl::distributed::nccl;
using Bytes = std::vector<std::byte>;
using Stream = swirl::runtime::cuda::Stream;

struct FakeGroup;

struct FakeSplit {
    struct Part {
        int color, key, rank;
        Comm* result;
    };
    std::vector<Part> parts;
};

struct FakeGroup {
    explicit FakeGroup(int of_size) : size(of_size), mail(static_cast<std::size_t>(of_size * of_size)) {}
    std::deque<Bytes>& from_to(int from, int to) { return mail[static_cast<std::size_t>(from * size + to)]; }

    int size;
    int arrived = 0;
    std::vector<std::deque<Bytes>> mail;
    std::map<int, FakeSplit> splits;
};

struct Receive {
    std::byte* at;
    std::size_t bytes;
    int from;
};

struct FakeComm {
    std::shared_ptr<FakeGroup> group;
    int rank;
    std::deque<Receive> receives = {};
    int splits = 0;
    int splits_done = 0;
    Result error = success;
};

std::mutex& mutex() {
    static std::mutex one;
    return one;
}
std::map<std::string, std::shared_ptr<FakeGroup>>& groups() {
    static std::map<std::string, std::shared_ptr<FakeGroup>> all;
    return all;
}
thread_local int depth = 0;
thread_local std::vector<std::function<void()>> delayed;

FakeComm& of(Comm comm) { return *reinterpret_cast<FakeComm*>(comm); }
Comm handle(FakeComm* comm) { return reinterpret_cast<Comm>(comm); }

Result now_or_at_group_end(std::function<void()> action) {
    if (depth > 0) {
        delayed.push_back(std::move(action));
        return success;
    }
    const std::lock_guard lock(mutex());
    action();
    return in_progress;
}

void send(FakeComm& comm, const void* data, std::size_t bytes, int to) {
    const auto* const first = static_cast<const std::byte*>(data);
    comm.group->from_to(comm.rank, to).emplace_back(first, first + bytes);
}

void receive_what_has_arrived(FakeComm& comm) {
    std::vector<bool> is_waiting(static_cast<std::size_t>(comm.group->size));
    std::erase_if(comm.receives, [&](const Receive& receive) {
        auto& mail = comm.group->from_to(receive.from, comm.rank);
        if (is_waiting[static_cast<std::size_t>(receive.from)] || mail.empty()) {
            is_waiting[static_cast<std::size_t>(receive.from)] = true;
            return false;
        }
        if (mail.front().size() != receive.bytes) comm.error = invalid_usage;
        std::memcpy(receive.at, mail.front().data(), std::min(receive.bytes, mail.front().size()));
        mail.pop_front();
        return true;
    });
}

/// When all ranks have called it.
void finish(FakeSplit& split) {
    std::map<int, std::vector<FakeSplit::Part>> colors;
    for (const FakeSplit::Part& part : split.parts)
        if (part.color >= 0) colors[part.color].push_back(part);
    for (auto& [color, parts] : colors) {
        std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
            return std::pair(a.key, a.rank) < std::pair(b.key, b.rank);
        });
        const auto group = std::make_shared<FakeGroup>(static_cast<int>(parts.size()));
        group->arrived = group->size;
        for (int rank = 0; rank < group->size; ++rank)
            *parts[static_cast<std::size_t>(rank)].result = handle(new FakeComm{group, rank});
    }
}

} // namespace

EXPORT Result ncclGetVersion(int* version) {
    *version = 22809;
    return success;
}
EXPORT const char* ncclGetErrorString(Result result) {
    return result == invalid_usage ? "invalid usage" : "some error";
}
EXPORT const char* ncclGetLastError(Comm) { return ""; }
EXPORT Result ncclGetUniqueId(UniqueId* id) {
    static int count = 0;
    const std::lock_guard lock(mutex());
    *id = {};
    std::memcpy(id, &++count, sizeof count);
    return success;
}
EXPORT Result ncclCommInitRankConfig(Comm* comm, int size, UniqueId id, int rank, Config* config) {
    if (config->magic != 0xcafebeef || config->blocking != 0) return invalid_argument;
    const std::lock_guard lock(mutex());
    auto& group = groups()[std::string(id.internal, sizeof id.internal)];
    if (!group) group = std::make_shared<FakeGroup>(size);
    ++group->arrived;
    *comm = handle(new FakeComm{group, rank});
    return in_progress;
}
EXPORT Result ncclCommSplit(Comm comm, int color, int key, Comm* result, Config*) {
    const std::lock_guard lock(mutex());
    FakeComm& parent = of(comm);
    *result = nullptr;
    FakeSplit& split = parent.group->splits[parent.splits++];
    split.parts.push_back({color, key, parent.rank, result});
    if (static_cast<int>(split.parts.size()) == parent.group->size) finish(split);
    return in_progress;
}
EXPORT Result ncclCommUserRank(Comm comm, int* rank) {
    *rank = of(comm).rank;
    return success;
}
EXPORT Result ncclCommCount(Comm comm, int* size) {
    *size = of(comm).group->size;
    return success;
}
EXPORT Result ncclCommGetAsyncError(Comm comm, Result* state) {
    const std::lock_guard lock(mutex());
    FakeComm& own = of(comm);
    receive_what_has_arrived(own);
    while (own.splits_done < own.splits &&
           static_cast<int>(own.group->splits[own.splits_done].parts.size()) == own.group->size)
        ++own.splits_done;
    const bool is_done =
        own.group->arrived == own.group->size && own.receives.empty() && own.splits_done == own.splits;
    *state = own.error != success ? own.error : is_done ? success : in_progress;
    return success;
}
EXPORT Result ncclCommFinalize(Comm) { return in_progress; }
EXPORT Result ncclCommDestroy(Comm comm) {
    const std::lock_guard lock(mutex());
    delete &of(comm);
    return success;
}
EXPORT Result ncclCommAbort(Comm comm) { return ncclCommDestroy(comm); }
EXPORT Result ncclGroupStart() {
    ++depth;
    return success;
}
EXPORT Result ncclGroupEnd() {
    if (--depth > 0) return success;
    const std::lock_guard lock(mutex());
    for (const auto& action : std::exchange(delayed, {})) action();
    return in_progress;
}
EXPORT Result ncclSend(const void* data, std::size_t count, int, int peer, Comm comm, Stream) {
    return now_or_at_group_end([=] { send(of(comm), data, count, peer); });
}
EXPORT Result ncclRecv(void* data, std::size_t count, int, int peer, Comm comm, Stream) {
    return now_or_at_group_end([=] {
        of(comm).receives.push_back({static_cast<std::byte*>(data), count, peer});
    });
}
EXPORT Result ncclAllGather(const void* mine, void* all, std::size_t count, int, Comm comm, Stream) {
    return now_or_at_group_end([=] {
        for (int rank = 0; rank < of(comm).group->size; ++rank) {
            send(of(comm), mine, count, rank);
            of(comm).receives.push_back(
                {static_cast<std::byte*>(all) + static_cast<std::size_t>(rank) * count, count, rank});
        }
    });
}

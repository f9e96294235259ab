#include <swirl/distributed/nccl.hpp>

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "distributed/gpu_pointer.hpp"
#include "distributed/message.hpp"
#include "distributed/nccl_library.hpp"
#include "distributed/pending_on_stream.hpp"
#include "distributed/shared_among.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/distributed/check.hpp>
#include <swirl/distributed/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace {

using runtime::CurrentGpu;
using runtime::GpuBuffer;
using runtime::GpuDevice;
using runtime::GpuEvent;
using runtime::GpuStream;

constexpr std::chrono::seconds time_to_finalize{10};
/// Between two questions whether NCCL is done.
constexpr std::chrono::microseconds pause_of_polls{20};

/// A communicator of NCCL, which any thread may abort: it is null from then on.
class NcclHandle {
public:
    using Guard = std::unique_lock<std::mutex>;

    explicit NcclHandle(const GpuDevice& device) : device_(device) {}
    ~NcclHandle() { abort(); }
    NcclHandle(const NcclHandle&) = delete;
    NcclHandle& operator=(const NcclHandle&) = delete;

    Guard lock() { return Guard(mutex_); }
    nccl::Comm& comm() { return comm_; } ///< under the lock
    const GpuDevice& device() const { return device_; }

    void abort() noexcept {
        const Guard guard(mutex_);
        if (comm_ == nullptr) return;
        runtime::release_on(device_, [&] { nccl::library().ncclCommAbort(comm_); });
        comm_ = nullptr;
    }

private:
    const GpuDevice& device_;
    std::mutex mutex_;
    nccl::Comm comm_ = nullptr;
};

/// Of groups that are being split: NCCL writes the handle when all ranks have called, which may be after a call that
/// an abort ended. Handles of those stay here for ever.
class HandlesInTheMaking {
public:
    static void add(const std::shared_ptr<NcclHandle>& handle) {
        const std::lock_guard lock(mutex_);
        handles().push_back(handle);
    }
    static void remove(const std::shared_ptr<NcclHandle>& handle) {
        const std::lock_guard lock(mutex_);
        std::erase(handles(), handle);
    }

private:
    static std::vector<std::shared_ptr<NcclHandle>>& handles() {
        static auto& all = *new std::vector<std::shared_ptr<NcclHandle>>;
        return all;
    }
    static inline constinit ForkSafeMutex mutex_;
};

/// Those of one process that an abort ends, of all groups that were split from one.
class NcclWorld {
public:
    void add(const std::shared_ptr<NcclHandle>& handle) {
        const std::lock_guard lock(mutex_);
        handles_.push_back(handle);
        if (!reason_.empty()) handle->abort();
    }
    void abort(const std::string& reason) noexcept {
        std::vector<std::weak_ptr<NcclHandle>> handles;
        {
            const std::lock_guard lock(mutex_);
            if (!reason_.empty()) return;
            try {
                reason_ = reason.empty() ? "aborted" : reason;
            } catch (...) {
                reason_ = "aborted"; // fits in the string itself
            }
            handles.swap(handles_);
        }
        for (const auto& handle : handles)
            if (const auto alive = handle.lock()) alive->abort();
    }
    /// Why; empty if it was not.
    std::string reason() const {
        const std::lock_guard lock(mutex_);
        return reason_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<NcclHandle>> handles_;
    std::string reason_;
};

class NcclCommunicator final : public Communicator {
public:
    NcclCommunicator(std::shared_ptr<NcclWorld> world, std::unique_ptr<Communicator> messages,
                     std::shared_ptr<NcclHandle> handle, bool is_part)
        : world_(std::move(world)),
          messages_(std::move(messages)),
          handle_(std::move(handle)),
          device_(handle_->device()),
          background_(device_),
          is_part_(is_part),
          exceptions_(std::uncaught_exceptions()) {
        world_->add(handle_);
    }
    ~NcclCommunicator() override;

    /// Until NCCL has made the group.
    void connect(int rank, int size) {
        rank_ = rank;
        size_ = size;
        wait_until_done("ncclCommInitRankConfig");
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string engine() const override { return "nccl"; }
    bool takes_device_memory() const override { return true; }

    void exchange(const void* send, void* receive, const ExchangeBlocks& blocks,
                  gpu::Stream stream) override {
        enqueue(send, receive, blocks, borrowed(stream));
    }
    std::unique_ptr<PendingExchange> start_exchange(const void* send, void* receive,
                                                    const ExchangeBlocks& blocks,
                                                    gpu::Stream stream) override;
    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override;
    void barrier() override {
        if (messages_)
            messages_->barrier();
        else
            gather_equal(std::vector<std::byte>(1));
    }
    std::unique_ptr<Communicator> split(int color, int key) override;
    void abort(const std::string& reason) noexcept override {
        if (messages_) messages_->abort(reason);
        try {
            world_->abort(fmt::format("rank {} failed: {}", rank_, reason));
        } catch (...) {
            world_->abort("");
        }
    }
    void check_aborted() override {
        if (messages_) messages_->check_aborted();
        if (const std::string reason = world_->reason(); !reason.empty()) throw SystemError(reason);
    }

private:
    GpuStream borrowed(gpu::Stream stream) const {
        return GpuStream::borrowed(device_, static_cast<runtime::cuda::Stream>(stream.handle()));
    }
    void require_own_memory(std::string_view name, const void* array) const;
    [[noreturn]] void fail(nccl::Result result, std::string_view call);
    /// Calls of NCCL that use the communicator; they may still be in progress.
    template <class Calls> void call(std::string_view name, Calls calls);
    /// Until NCCL has done what it was called for: enqueued it, which may take that all ranks call it.
    void wait_until_done(std::string_view call);
    void wait_until_empty(const GpuStream& stream);
    void enqueue(const void* send, void* receive, const ExchangeBlocks& blocks, const GpuStream& stream);
    /// Messages of one length.
    std::vector<std::byte> gather_equal(std::span<const std::byte> mine);

    std::shared_ptr<NcclWorld> world_;
    std::unique_ptr<Communicator> messages_; ///< null: they go by NCCL
    std::shared_ptr<NcclHandle> handle_;
    const GpuDevice& device_;
    GpuStream background_; ///< of started exchanges and messages
    int rank_ = 0, size_ = 0;
    bool is_part_;   ///< of a group, which tells the others that this rank ends by an exception
    int exceptions_; ///< being thrown when it was made
};

NcclCommunicator::~NcclCommunicator() {
    if (std::uncaught_exceptions() > exceptions_) {
        if (!is_part_) abort("it ended by an exception");
        handle_->abort();
        return;
    }
    // Ends what is enqueued: it is complete where the program has waited for its streams.
    try {
        call("ncclCommFinalize",
             [](const nccl::Functions& f, nccl::Comm comm) { return f.ncclCommFinalize(comm); });
        const auto deadline = std::chrono::steady_clock::now() + time_to_finalize;
        for (nccl::Result state = nccl::in_progress; std::chrono::steady_clock::now() < deadline;) {
            {
                const NcclHandle::Guard guard = handle_->lock();
                if (handle_->comm() == nullptr) return;
                const CurrentGpu current(device_);
                nccl::library().ncclCommGetAsyncError(handle_->comm(), &state);
                if (state == nccl::success)
                    nccl::library().ncclCommDestroy(std::exchange(handle_->comm(), nullptr));
            }
            if (state != nccl::in_progress) return; // after an error, the handle aborts
            std::this_thread::sleep_for(pause_of_polls);
        }
    } catch (const Error&) {} // aborted
}

void NcclCommunicator::fail(nccl::Result result, std::string_view call) {
    const std::string reason = fmt::format("{} failed: {}", call, nccl::text_of(result));
    abort(reason);
    throw SystemError(reason);
}

template <class Calls> void NcclCommunicator::call(std::string_view name, Calls calls) {
    check_aborted();
    nccl::Result result = nccl::success;
    {
        const NcclHandle::Guard guard = handle_->lock();
        if (handle_->comm() == nullptr) result = nccl::remote_error;
        const CurrentGpu current(device_);
        if (result == nccl::success) result = calls(nccl::library(), handle_->comm());
    }
    if (result == nccl::success || result == nccl::in_progress) return;
    check_aborted(); // the cause, where there is one
    fail(result, name);
}

void NcclCommunicator::wait_until_done(std::string_view name) {
    for (;;) {
        nccl::Result state = nccl::success;
        call(name, [&](const nccl::Functions& f, nccl::Comm comm) {
            return f.ncclCommGetAsyncError(comm, &state);
        });
        if (state == nccl::success) return;
        if (state != nccl::in_progress) {
            check_aborted();
            fail(state, name);
        }
        std::this_thread::sleep_for(pause_of_polls);
    }
}

void NcclCommunicator::wait_until_empty(const GpuStream& stream) {
    while (!stream.is_empty()) {
        wait_until_done("a message of NCCL");
        std::this_thread::yield();
    }
    check_aborted(); // which empties streams, too
}

void NcclCommunicator::require_own_memory(std::string_view name, const void* array) const {
    const auto gpu = gpu_of(array);
    const int own = device_.properties().index;
    if (array == nullptr || gpu == own) return;
    throw UserError("rank {}: '{}' is memory of {}; memory of GPU {} is needed", rank_, name,
                    gpu ? fmt::format("GPU {}", *gpu) : "the host", own);
}

void NcclCommunicator::enqueue(const void* send, void* receive, const ExchangeBlocks& blocks,
                               const GpuStream& stream) {
    if (const std::string error = error_in(blocks, send, receive, size_); !error.empty())
        throw UserError("rank {}: {}", rank_, error);
    require_own_memory("send", send);
    require_own_memory("receive", receive);
    call("an exchange of NCCL", [&](const nccl::Functions& f, nccl::Comm comm) {
        nccl::Result result = f.ncclGroupStart();
        const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
        for (int k = 0; k < size_ && result == nccl::success; ++k) {
            const int to = (rank_ + k) % size_, from = (rank_ + size_ - k) % size_;
            if (const Integer bytes = blocks.send_bytes[at(to)]; bytes > 0)
                result = f.ncclSend(static_cast<const std::byte*>(send) + blocks.send_offsets[at(to)],
                                    static_cast<std::size_t>(bytes), nccl::int8, to, comm, stream.handle());
            if (const Integer bytes = blocks.receive_bytes[at(from)]; bytes > 0 && result == nccl::success)
                result = f.ncclRecv(static_cast<std::byte*>(receive) + blocks.receive_offsets[at(from)],
                                    static_cast<std::size_t>(bytes), nccl::int8, from, comm, stream.handle());
        }
        const nccl::Result end = f.ncclGroupEnd();
        return result == nccl::success ? end : result;
    });
    wait_until_done("an exchange of NCCL");
}

std::unique_ptr<PendingExchange> NcclCommunicator::start_exchange(const void* send, void* receive,
                                                                  const ExchangeBlocks& blocks,
                                                                  gpu::Stream stream) {
    GpuStream given = borrowed(stream);
    const GpuEvent ready(device_);
    ready.record(given);
    background_.wait(ready);
    enqueue(send, receive, blocks, background_);
    GpuEvent finished(device_);
    finished.record(background_);
    return std::make_unique<PendingOnStream>(std::move(given), std::move(finished));
}

std::vector<std::byte> NcclCommunicator::gather_equal(std::span<const std::byte> mine) {
    const GpuBuffer sent(device_, mine.size());
    const GpuBuffer gathered(device_, mine.size() * static_cast<std::size_t>(size_));
    copy_to_gpu(background_, sent.address(), mine.data(), mine.size());
    call("ncclAllGather", [&](const nccl::Functions& f, nccl::Comm comm) {
        return f.ncclAllGather(reinterpret_cast<const void*>(sent.address()),
                               reinterpret_cast<void*>(gathered.address()), mine.size(), nccl::int8, comm,
                               background_.handle());
    });
    wait_until_done("ncclAllGather");
    wait_until_empty(background_);
    std::vector<std::byte> result(gathered.bytes());
    copy_from_gpu(background_, result.data(), gathered.address(), result.size());
    background_.synchronize();
    return result;
}

std::vector<std::vector<std::byte>> NcclCommunicator::gather_all(const std::vector<std::byte>& mine) {
    if (messages_) return messages_->gather_all(mine);
    const auto size = static_cast<std::size_t>(size_);
    const auto length = static_cast<Integer>(mine.size());
    std::vector<Integer> lengths(size);
    std::memcpy(lengths.data(), gather_equal(std::as_bytes(std::span(&length, 1))).data(),
                size * sizeof(Integer));
    const auto longest = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
    std::vector<std::vector<std::byte>> result(size);
    if (longest == 0) return result;
    std::vector<std::byte> padded(mine.begin(), mine.end());
    padded.resize(longest);
    const std::vector<std::byte> gathered = gather_equal(padded);
    for (std::size_t rank = 0; rank < size; ++rank) {
        const auto first = gathered.begin() + static_cast<std::ptrdiff_t>(rank * longest);
        result[rank].assign(first, first + lengths[rank]);
    }
    return result;
}

std::unique_ptr<Communicator> NcclCommunicator::split(int color, int key) {
    std::unique_ptr<Communicator> messages;
    if (messages_) messages = messages_->split(color, key);
    if (color < -1)
        throw UserError("rank {}: color is {}; it must be 0 or more, or -1 for no group", rank_, color);
    const auto handle = std::make_shared<NcclHandle>(device_);
    HandlesInTheMaking::add(handle);
    nccl::Config config;
    call("ncclCommSplit", [&](const nccl::Functions& f, nccl::Comm comm) {
        const NcclHandle::Guard guard = handle->lock();
        return f.ncclCommSplit(comm, color, key, &handle->comm(), &config);
    });
    wait_until_done("ncclCommSplit");
    HandlesInTheMaking::remove(handle);
    if (color < 0) return nullptr;
    auto part = std::make_unique<NcclCommunicator>(world_, std::move(messages), handle, true);
    part->wait_until_done("ncclCommSplit");
    part->call("ncclCommUserRank", [&](const nccl::Functions& f, nccl::Comm comm) {
        const nccl::Result result = f.ncclCommUserRank(comm, &part->rank_);
        return result == nccl::success ? f.ncclCommCount(comm, &part->size_) : result;
    });
    return part;
}

nccl::UniqueId id_of(const NcclId& id) {
    nccl::UniqueId result{};
    std::memcpy(&result, id.bytes.data(), sizeof result);
    return result;
}

std::unique_ptr<NcclCommunicator> begin(std::shared_ptr<NcclWorld> world,
                                        std::unique_ptr<Communicator> messages, const NcclId& id, int rank,
                                        int size, int gpu) {
    const auto handle = std::make_shared<NcclHandle>(runtime::device_numbered(gpu));
    nccl::Config config;
    {
        const NcclHandle::Guard guard = handle->lock();
        const CurrentGpu current(handle->device());
        const nccl::Result result =
            nccl::library().ncclCommInitRankConfig(&handle->comm(), size, id_of(id), rank, &config);
        if (result != nccl::success && result != nccl::in_progress)
            throw SystemError("ncclCommInitRankConfig failed: {}", nccl::text_of(result));
    }
    return std::make_unique<NcclCommunicator>(std::move(world), std::move(messages), handle, false);
}

std::unique_ptr<NcclCommunicator> connected(std::unique_ptr<NcclCommunicator> communicator, int rank,
                                            int size) {
    communicator->connect(rank, size);
    return communicator;
}

} // namespace

NcclId make_nccl_id() {
    nccl::UniqueId made{};
    if (const nccl::Result result = nccl::library().ncclGetUniqueId(&made); result != nccl::success)
        throw SystemError("ncclGetUniqueId failed: {}", nccl::text_of(result));
    NcclId id;
    static_assert(sizeof id.bytes == sizeof made);
    std::memcpy(id.bytes.data(), &made, sizeof made);
    return id;
}

std::unique_ptr<Communicator> on_nccl(const NcclId& id, int rank, int size, int gpu) {
    if (size < 1 || rank < 0 || rank >= size)
        throw UserError("rank {} of size {}: ranks are 0 to size - 1", rank, size);
    return connected(begin(std::make_shared<NcclWorld>(), nullptr, id, rank, size, gpu), rank, size);
}

std::unique_ptr<Communicator> on_nccl(std::unique_ptr<Communicator> messages, int gpu) {
    const int rank = messages->rank(), size = messages->size();
    NcclId id;
    std::string error; // told to all: otherwise they would wait for this rank
    try {
        nccl::library();
        if (rank == 0) id = make_nccl_id();
    } catch (const Error& missing) {
        error = missing.what();
    }
    const auto errors = messages->gather_all(message_of(error));
    for (std::size_t of = 0; of < errors.size(); ++of)
        if (!errors[of].empty())
            throw Unavailable(
                "rank {}: {}", of,
                std::string_view(reinterpret_cast<const char*>(errors[of].data()), errors[of].size()));
    const std::vector<std::byte> of_rank_0 = messages->gather_all(message_of(id.bytes)).front();
    std::copy(of_rank_0.begin(), of_rank_0.end(), id.bytes.begin());
    return connected(begin(std::make_shared<NcclWorld>(), std::move(messages), id, rank, size, gpu), rank,
                     size);
}

std::vector<std::unique_ptr<Communicator>> on_nccl(const std::vector<int>& gpus) {
    const int size = static_cast<int>(gpus.size());
    const auto world = std::make_shared<NcclWorld>();
    auto messages = on_threads(size);
    const NcclId id = make_nccl_id();
    std::vector<std::unique_ptr<NcclCommunicator>> begun;
    // One thread begins all of them, within a group of calls: none waits for another.
    const auto require = [](nccl::Result result, const char* call) {
        if (result != nccl::success && result != nccl::in_progress)
            throw SystemError("{} failed: {}", call, nccl::text_of(result));
    };
    require(nccl::library().ncclGroupStart(), "ncclGroupStart");
    try {
        for (int rank = 0; rank < size; ++rank) {
            const auto at = static_cast<std::size_t>(rank);
            begun.push_back(begin(world, std::move(messages[at]), id, rank, size, gpus[at]));
        }
    } catch (...) {
        nccl::library().ncclGroupEnd();
        throw;
    }
    require(nccl::library().ncclGroupEnd(), "ncclGroupEnd");
    std::vector<std::unique_ptr<Communicator>> result;
    for (int rank = 0; rank < size; ++rank)
        result.push_back(connected(std::move(begun[static_cast<std::size_t>(rank)]), rank, size));
    return result;
}

} // namespace swirl::distributed

#include <swirl/distributed/peer_memory.hpp>

#include "base/error.hpp"
#include "distributed/gpu_pointer.hpp"
#include "distributed/message.hpp"
#include "distributed/mismatch.hpp"
#include "distributed/pending_on_stream.hpp"
#include "distributed/shared_among.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/distributed/check.hpp>
#include <swirl/distributed/threads.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace {

using runtime::GpuDevice;
using runtime::GpuEvent;
using runtime::GpuStream;
using runtime::cuda::Address;

/// What a rank shows the others. It writes between two exchanges; the others read between the barriers of one.
struct PeerSlot {
    explicit PeerSlot(const GpuDevice& of) : device(&of), ready(of), copied(of) {}

    const GpuDevice* device;
    Address send = 0;
    ExchangeBlocks blocks;
    std::string error;
    GpuEvent ready;  ///< what it sends is written, and its array may be received into
    GpuEvent copied; ///< it has received all
};

struct PeerGroup {
    explicit PeerGroup(const std::vector<int>& gpus) {
        slots.reserve(gpus.size());
        for (const int gpu : gpus) slots.emplace_back(runtime::device_numbered(gpu));
        for (const PeerSlot& to : slots)
            for (const PeerSlot& from : slots) runtime::allow_peer_access(*to.device, *from.device);
    }
    std::vector<PeerSlot> slots;
};

class PeerCommunicator final : public Communicator {
public:
    PeerCommunicator(std::unique_ptr<Communicator> threads, std::shared_ptr<PeerGroup> group)
        : threads_(std::move(threads)),
          group_(std::move(group)),
          own_(group_->slots[slot_of(threads_->rank())]),
          background_(*own_.device) {}

    int rank() const override { return threads_->rank(); }
    int size() const override { return threads_->size(); }
    std::string engine() const override { return "peer-memory"; }
    bool takes_device_memory() const override { return true; }

    void exchange(const void* send, void* receive, const ExchangeBlocks& blocks,
                  gpu::Stream stream) override {
        const GpuStream given = borrowed(stream);
        enqueue(send, receive, blocks, given, given);
    }
    std::unique_ptr<PendingExchange> start_exchange(const void* send, void* receive,
                                                    const ExchangeBlocks& blocks,
                                                    gpu::Stream stream) override {
        GpuStream given = borrowed(stream);
        enqueue(send, receive, blocks, given, background_);
        GpuEvent finished(*own_.device);
        finished.record(background_);
        return std::make_unique<PendingOnStream>(std::move(given), std::move(finished), group_);
    }
    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override {
        return threads_->gather_all(mine);
    }
    void barrier() override { threads_->barrier(); }
    std::unique_ptr<Communicator> split(int color, int key) override;
    void abort(const std::string& reason) noexcept override { threads_->abort(reason); }
    void check_aborted() override { threads_->check_aborted(); }

private:
    static std::size_t slot_of(int rank) { return static_cast<std::size_t>(rank); }
    GpuStream borrowed(gpu::Stream stream) const {
        return GpuStream::borrowed(*own_.device, static_cast<runtime::cuda::Stream>(stream.handle()));
    }
    std::string error_of(const void* send, const void* receive, const ExchangeBlocks& blocks) const;
    std::string error_of_all() const;
    /// Copies on one stream; the given stream has passed what they need.
    void enqueue(const void* send, void* receive, const ExchangeBlocks& blocks, const GpuStream& given,
                 const GpuStream& copying);

    std::unique_ptr<Communicator> threads_;
    std::shared_ptr<PeerGroup> group_;
    PeerSlot& own_;
    GpuStream background_; ///< of started exchanges
};

std::string PeerCommunicator::error_of(const void* send, const void* receive,
                                       const ExchangeBlocks& blocks) const {
    if (std::string error = error_in(blocks, send, receive, size()); !error.empty()) return error;
    const auto error_of_array = [&](const char* name, const void* array) -> std::string {
        const int own_gpu = own_.device->properties().index;
        const auto gpu = gpu_of(array);
        if (array == nullptr || gpu == own_gpu) return "";
        return fmt::format("'{}' is memory of {}; memory of GPU {} is needed", name,
                           gpu ? fmt::format("GPU {}", *gpu) : "the host", own_gpu);
    };
    if (std::string error = error_of_array("send", send); !error.empty()) return error;
    return error_of_array("receive", receive);
}

std::string PeerCommunicator::error_of_all() const {
    const auto name = [](int rank) { return fmt::format("rank {}", rank); };
    std::vector<ExchangeBlocks> blocks;
    for (int rank = 0; rank < size(); ++rank) {
        const PeerSlot& slot = group_->slots[slot_of(rank)];
        if (!slot.error.empty()) return fmt::format("{}: {}", name(rank), slot.error);
        blocks.push_back(slot.blocks);
    }
    return mismatch(blocks, name);
}

void PeerCommunicator::enqueue(const void* send, void* receive, const ExchangeBlocks& blocks,
                               const GpuStream& given, const GpuStream& copying) {
    own_.send = reinterpret_cast<Address>(send);
    own_.blocks = blocks;
    own_.error = error_of(send, receive, blocks);
    own_.ready.record(given);
    threads_->barrier();
    const std::string error = error_of_all();
    if (error.empty()) {
        copying.wait(own_.ready);
        for (int k = 0; k < size(); ++k) {
            const int from = (rank() + k) % size(); // so that ranks do not all read the same one's memory
            const PeerSlot& sender = group_->slots[slot_of(from)];
            const Integer bytes = blocks.receive_bytes[slot_of(from)];
            if (bytes == 0) continue;
            copying.wait(sender.ready);
            copy_between_gpus(copying, *own_.device,
                              reinterpret_cast<Address>(receive) +
                                  static_cast<Address>(blocks.receive_offsets[slot_of(from)]),
                              *sender.device,
                              sender.send + static_cast<Address>(sender.blocks.send_offsets[slot_of(rank())]),
                              static_cast<std::size_t>(bytes));
        }
        own_.copied.record(copying);
    }
    threads_->barrier();
    if (!error.empty()) throw UserError(error);
    for (int to = 0; to < size(); ++to) // until what was sent may be overwritten
        if (blocks.send_bytes[slot_of(to)] > 0) copying.wait(group_->slots[slot_of(to)].copied);
}

std::unique_ptr<Communicator> PeerCommunicator::split(int color, int key) {
    auto part = threads_->split(color, key);
    if (!part) return nullptr;
    const int own_gpu = own_.device->properties().index;
    const auto messages = part->gather_all(message_of(std::span(&own_gpu, 1)));
    std::vector<int> gpus(messages.size());
    for (std::size_t k = 0; k < gpus.size(); ++k) std::memcpy(&gpus[k], messages[k].data(), sizeof gpus[k]);
    auto group = shared_among<PeerGroup>(*part, [&] { return std::make_shared<PeerGroup>(gpus); });
    return std::make_unique<PeerCommunicator>(std::move(part), std::move(group));
}

} // namespace

std::vector<std::unique_ptr<Communicator>> on_peer_memory(const std::vector<int>& gpus) {
    const auto group = std::make_shared<PeerGroup>(gpus);
    std::vector<std::unique_ptr<Communicator>> result;
    for (auto& threads : on_threads(static_cast<int>(gpus.size())))
        result.push_back(std::make_unique<PeerCommunicator>(std::move(threads), group));
    return result;
}

} // namespace swirl::distributed

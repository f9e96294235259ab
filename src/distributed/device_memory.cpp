#include <swirl/distributed/device_memory.hpp>

#include "base/error.hpp"
#include "distributed/gpu_pointer.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <swirl/distributed/check.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace {

/// Pinned memory of the host, kept for the next exchange.
class HostBuffers {
public:
    using Buffer = std::unique_ptr<runtime::PinnedBuffer>;

    Buffer take(const runtime::GpuDevice& device, std::size_t bytes) {
        const auto fitting = std::find_if(free_.begin(), free_.end(),
                                          [&](const Buffer& buffer) { return buffer->bytes() >= bytes; });
        if (fitting != free_.end()) {
            Buffer taken = std::move(*fitting);
            free_.erase(fitting);
            return taken;
        }
        free_.clear(); // exchanges have become larger
        return std::make_unique<runtime::PinnedBuffer>(device, bytes);
    }
    void give_back(Buffer buffer) { free_.push_back(std::move(buffer)); }

private:
    std::vector<Buffer> free_;
};

/// An array of one side of an exchange: of a GPU, with its blocks one after the other in the host's memory.
struct StagedArray {
    StagedArray(HostBuffers& host_buffers, runtime::GpuStream of_stream, const void* array,
                const std::vector<Integer>& bytes_of_blocks, std::vector<Integer>& offsets_of_blocks)
        : buffers(host_buffers),
          stream(std::move(of_stream)),
          first(reinterpret_cast<runtime::cuda::Address>(array)),
          bytes(bytes_of_blocks),
          device_offsets(offsets_of_blocks) {
        Integer total = 0;
        for (std::size_t k = 0; k < bytes.size(); ++k) {
            offsets_of_blocks[k] = total;
            total += bytes[k];
        }
        host_offsets = offsets_of_blocks;
        host = buffers.take(stream.device(), static_cast<std::size_t>(total));
    }
    ~StagedArray() { buffers.give_back(std::move(host)); }
    StagedArray(const StagedArray&) = delete;
    StagedArray& operator=(const StagedArray&) = delete;

    template <class Copy> void for_each_block(Copy copy) const {
        for (std::size_t k = 0; k < bytes.size(); ++k)
            if (bytes[k] > 0)
                copy(first + static_cast<std::uint64_t>(device_offsets[k]), host->data() + host_offsets[k],
                     static_cast<std::size_t>(bytes[k]));
        stream.synchronize();
    }
    void copy_to_host() const {
        for_each_block([&](runtime::cuda::Address at, std::byte* to, std::size_t count) {
            copy_from_gpu(stream, to, at, count);
        });
    }
    void copy_to_gpu() const {
        for_each_block([&](runtime::cuda::Address at, const std::byte* from, std::size_t count) {
            runtime::copy_to_gpu(stream, at, from, count);
        });
    }

    HostBuffers& buffers;
    runtime::GpuStream stream;
    runtime::cuda::Address first;
    std::vector<Integer> bytes, device_offsets, host_offsets;
    HostBuffers::Buffer host;
};

/// An exchange through the host's memory.
class StagedExchange final : public PendingExchange {
public:
    StagedExchange(Communicator& inner, std::shared_ptr<HostBuffers> buffers, const void* send, void* receive,
                   ExchangeBlocks blocks, gpu::Stream stream)
        : buffers_(std::move(buffers)) {
        if (const std::string error = error_in(blocks, send, receive, inner.size()); !error.empty())
            throw UserError("rank {}: {}", inner.rank(), error);
        if (const auto gpu = gpu_of(send)) {
            send_.emplace(*buffers_, borrowed(*gpu, stream), send, blocks.send_bytes, blocks.send_offsets);
            send_->copy_to_host();
            send = send_->host->data();
        }
        if (const auto gpu = gpu_of(receive)) {
            receive_.emplace(*buffers_, borrowed(*gpu, stream), receive, blocks.receive_bytes,
                             blocks.receive_offsets);
            receive_->stream.synchronize(); // what is still read of the array
            receive = receive_->host->data();
        }
        pending_ = inner.start_exchange(send, receive, blocks, {});
    }
    ~StagedExchange() override {
        if (pending_ == nullptr || std::uncaught_exceptions() > exceptions_) return;
        try {
            wait();
        } catch (const Error&) {} // the next call of the group throws it, too
    }
    void wait() override {
        if (pending_ == nullptr) return;
        const std::unique_ptr<PendingExchange> pending = std::move(pending_);
        pending->wait();
        if (receive_) receive_->copy_to_gpu();
    }

private:
    static runtime::GpuStream borrowed(int gpu, gpu::Stream stream) {
        return runtime::GpuStream::borrowed(runtime::device_numbered(gpu),
                                            static_cast<runtime::cuda::Stream>(stream.handle()));
    }

    std::shared_ptr<HostBuffers> buffers_;
    int exceptions_ = std::uncaught_exceptions(); ///< being thrown when it was made
    std::optional<StagedArray> send_, receive_;
    std::unique_ptr<PendingExchange> pending_; ///< destroyed first: it uses the arrays
};

class DeviceMemoryCommunicator final : public Communicator {
public:
    explicit DeviceMemoryCommunicator(std::unique_ptr<Communicator> inner)
        : inner_(std::move(inner)), buffers_(std::make_shared<HostBuffers>()) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }
    std::string engine() const override { return inner_->engine(); }
    SharedMemory shared_memory() const override { return inner_->shared_memory(); }
    bool takes_device_memory() const override { return true; }

    void exchange(const void* send, void* receive, const ExchangeBlocks& blocks,
                  gpu::Stream stream) override {
        start_exchange(send, receive, blocks, stream)->wait();
    }
    std::unique_ptr<PendingExchange> start_exchange(const void* send, void* receive,
                                                    const ExchangeBlocks& blocks,
                                                    gpu::Stream stream) override {
        const std::optional<int> sending = gpu_of(send), receiving = gpu_of(receive);
        if (!sending && !receiving) return inner_->start_exchange(send, receive, blocks, stream);
        if (!inner_->takes_device_memory())
            return std::make_unique<StagedExchange>(*inner_, buffers_, send, receive, blocks, stream);
        const runtime::GpuDevice& device = runtime::device_numbered(sending ? *sending : *receiving);
        runtime::GpuStream::borrowed(device, static_cast<runtime::cuda::Stream>(stream.handle()))
            .synchronize();
        return inner_->start_exchange(send, receive, blocks, stream);
    }
    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override {
        return inner_->gather_all(mine);
    }
    void barrier() override { inner_->barrier(); }
    std::unique_ptr<Communicator> split(int color, int key) override {
        auto part = inner_->split(color, key);
        if (!part) return nullptr;
        return std::make_unique<DeviceMemoryCommunicator>(std::move(part));
    }
    void abort(const std::string& reason) noexcept override { inner_->abort(reason); }
    void check_aborted() override { inner_->check_aborted(); }

private:
    std::unique_ptr<Communicator> inner_;
    std::shared_ptr<HostBuffers> buffers_;
};

} // namespace

std::unique_ptr<Communicator> with_device_memory(std::unique_ptr<Communicator> inner) {
    return std::make_unique<DeviceMemoryCommunicator>(std::move(inner));
}

} // namespace swirl::distributed

#pragma once

#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"
#include "support/exchange_cases.hpp"

#include <swirl/distributed/communicator.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::support {

/// Runs `body` on a thread for each communicator. A rank that throws aborts; the message of the first that does, else empty.
inline std::string run_on_threads(std::vector<std::unique_ptr<distributed::Communicator>> communicators,
                                  const std::function<void(distributed::Communicator&)>& body) {
    std::mutex mutex;
    std::string failure;
    std::vector<std::thread> threads;
    for (auto& communicator : communicators)
        threads.emplace_back([&, mine = std::move(communicator)]() mutable {
            try {
                body(*mine);
            } catch (const std::exception& error) {
                {
                    const std::lock_guard lock(mutex);
                    if (failure.empty()) failure = error.what();
                }
                mine->abort(error.what());
            }
            mine.reset();
        });
    for (std::thread& thread : threads) thread.join();
    return failure;
}

/// An array of a GPU with these bytes.
inline runtime::GpuBuffer on_gpu(const runtime::GpuDevice& device, const std::vector<std::byte>& bytes) {
    runtime::GpuBuffer buffer(device, bytes.size());
    copy_to_gpu(device, buffer.address(), bytes.data(), bytes.size());
    return buffer;
}

inline std::vector<std::byte> from_gpu(const runtime::GpuBuffer& buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    copy_from_gpu(buffer.device(), bytes.data(), buffer.address(), bytes.size());
    return bytes;
}

inline void* pointer_to(const runtime::GpuBuffer& buffer) {
    return reinterpret_cast<void*>(buffer.address());
}

/// Exchanges of a rank's GPU memory, one after the other in a stream, then several at once; all bytes are compared.
inline void expect_exchanged_on_gpu(distributed::Communicator& ranks, int gpu, std::uint64_t seed,
                                    Integer largest) {
    const runtime::GpuDevice& device = runtime::device_numbered(gpu);
    const runtime::GpuStream stream(device);
    const gpu::Stream handle(static_cast<void*>(stream.handle()));
    std::mt19937_64 draw(seed);
    std::vector<ExchangeCase> cases;
    for (int k = 0; k < 6; ++k) cases.push_back(ExchangeCase::random(draw(), ranks.size(), largest));
    std::vector<runtime::GpuBuffer> send, receive;
    for (const ExchangeCase& drawn : cases) {
        send.push_back(on_gpu(device, drawn.sent(ranks.rank())));
        receive.push_back(on_gpu(device, drawn.unwritten(ranks.rank())));
    }
    const auto own = static_cast<std::size_t>(ranks.rank());
    for (std::size_t k = 0; k < 3; ++k)
        ranks.exchange(pointer_to(send[k]), pointer_to(receive[k]), cases[k].blocks[own], handle);
    // Overwritten by the stream as soon as it has passed the exchange, which other ranks may not see.
    for (std::size_t k = 0; k < 3; ++k) fill_on_gpu(stream, send[k].address(), 0x77, send[k].bytes());
    std::vector<std::unique_ptr<distributed::PendingExchange>> pending;
    for (std::size_t k = 3; k < 6; ++k)
        pending.push_back(
            ranks.start_exchange(pointer_to(send[k]), pointer_to(receive[k]), cases[k].blocks[own], handle));
    for (const std::size_t k : {1, 0, 2}) pending[k]->wait();
    for (std::size_t k = 3; k < 6; ++k) fill_on_gpu(stream, send[k].address(), 0x77, send[k].bytes());
    stream.synchronize();
    for (std::size_t k = 0; k < cases.size(); ++k)
        EXPECT_EQ(from_gpu(receive[k]), cases[k].expected(ranks.rank()))
            << "exchange " << k << ", rank " << ranks.rank();
    ranks.barrier(); // the arrays live as long as others copy them
}

/// Two rows of ranks, then columns, with exchanges in both.
inline void expect_split_on_gpu(distributed::Communicator& ranks, int gpu, std::uint64_t seed) {
    const int columns = ranks.size() / 2;
    const auto row = ranks.split(ranks.rank() / columns, 0),
               column = ranks.split(ranks.rank() % columns, -ranks.rank());
    ASSERT_EQ(row->rank(), ranks.rank() % columns);
    ASSERT_EQ(column->rank(), column->size() - 1 - ranks.rank() / columns);
    expect_exchanged_on_gpu(*row, gpu, seed + static_cast<std::uint64_t>(ranks.rank() / columns), 5000);
    expect_exchanged_on_gpu(*column, gpu, seed + static_cast<std::uint64_t>(ranks.rank() % columns), 5000);
    EXPECT_EQ(ranks.split(-1, 0), nullptr);
}

} // namespace swirl::support

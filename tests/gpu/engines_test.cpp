#include <swirl/distributed/device_memory.hpp>
#include <swirl/distributed/nccl.hpp>
#include <swirl/distributed/peer_memory.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/error.hpp>

#include "runtime/cuda/device.hpp"
#include "support/error_of.hpp"
#include "support/gpu_exchanges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace engines_test {

using Communicators = std::vector<std::unique_ptr<Communicator>>;
using Body = std::function<void(Communicator&, int gpu)>;

/// Engines on all GPUs of the machine; skipped where there is none.
class EnginesOnGpus : public testing::Test {
protected:
    void SetUp() override {
        try {
            const auto count = static_cast<int>(runtime::all_gpus().size());
            for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(gpu);
        } catch (const Unavailable& error) {
            GTEST_SKIP() << error.what();
        }
        if (gpus.empty()) GTEST_SKIP() << "there is no GPU";
    }

    /// Rank r on GPU r, and again from the first.
    void run(Communicators communicators, const Body& body) const {
        EXPECT_EQ(support::run_on_threads(std::move(communicators),
                                          [&](Communicator& ranks) {
                                              const auto rank = static_cast<std::size_t>(ranks.rank());
                                              body(ranks, gpus[rank % gpus.size()]);
                                          }),
                  "");
    }
    /// Null where NCCL is not there.
    Communicators with_nccl() const {
        try {
            return on_nccl(gpus);
        } catch (const Unavailable& error) {
            std::printf("no NCCL: %s\n", error.what());
            return {};
        }
    }
    std::vector<int> twice() const {
        std::vector<int> result = gpus;
        result.insert(result.end(), gpus.begin(), gpus.end());
        return result;
    }
    static Communicators staged(int ranks) {
        Communicators result;
        for (auto& threads : on_threads(ranks)) result.push_back(with_device_memory(std::move(threads)));
        return result;
    }

    std::vector<int> gpus;
};

void exchange_much(Communicator& ranks, int gpu) {
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        support::expect_exchanged_on_gpu(ranks, gpu, 100 + seed, seed % 2 == 0 ? 3000 : 2'000'000);
    if (ranks.size() % 2 == 0) support::expect_split_on_gpu(ranks, gpu, 7);
}

TEST_F(EnginesOnGpus, PeerMemoryExchanges) {
    run(on_peer_memory(gpus), exchange_much);
    run(on_peer_memory(twice()), exchange_much);
}

TEST_F(EnginesOnGpus, HostMemoryExchanges) { run(staged(static_cast<int>(gpus.size())), exchange_much); }

TEST_F(EnginesOnGpus, NcclExchanges) {
    Communicators ranks = with_nccl();
    if (ranks.empty()) GTEST_SKIP() << "there is no NCCL";
    run(std::move(ranks), exchange_much);
}

/// As processes make their groups.
TEST_F(EnginesOnGpus, NcclGroupsAreMadeOfAnId) {
    if (with_nccl().empty()) GTEST_SKIP() << "there is no NCCL";
    const NcclId id = make_nccl_id();
    std::vector<std::thread> threads;
    const int size = static_cast<int>(gpus.size());
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
            const auto ranks = on_nccl(id, rank, size, rank);
            const std::vector<std::byte> mine(static_cast<std::size_t>(rank * 1000),
                                              static_cast<std::byte>(rank));
            const auto all = ranks->gather_all(mine);
            for (int of = 0; of < size; ++of)
                EXPECT_EQ(
                    all[static_cast<std::size_t>(of)],
                    std::vector<std::byte>(static_cast<std::size_t>(of * 1000), static_cast<std::byte>(of)));
            ranks->barrier();
            support::expect_exchanged_on_gpu(*ranks, rank, 3, 100'000);
        });
    for (std::thread& thread : threads) thread.join();
}

/// What is enqueued ends, too: the stream of a rank whose partner is lost.
TEST_F(EnginesOnGpus, AnAbortOfNcclEndsWhatIsEnqueued) {
    if (gpus.size() < 2) GTEST_SKIP() << "there is one GPU";
    for (int repeat = 0; repeat < 3; ++repeat) {
        Communicators ranks = with_nccl();
        if (ranks.empty()) GTEST_SKIP() << "there is no NCCL";
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::string> errors(gpus.size());
        support::run_on_threads(std::move(ranks), [&](Communicator& own) {
            const runtime::GpuDevice& device = runtime::device_numbered(own.rank());
            const runtime::GpuStream stream(device);
            const gpu::Stream handle(static_cast<void*>(stream.handle()));
            const std::size_t bytes = 1 << 20;
            const auto p = static_cast<std::size_t>(own.size());
            const runtime::GpuBuffer send(device, p * bytes), receive(device, p * bytes);
            ExchangeBlocks blocks{std::vector<Integer>(p, bytes), {}, std::vector<Integer>(p, bytes), {}};
            for (std::size_t k = 0; k < p; ++k)
                blocks.send_offsets.push_back(static_cast<Integer>(k * bytes));
            blocks.receive_offsets = blocks.send_offsets;
            const auto exchange = [&] {
                own.exchange(support::pointer_to(send), support::pointer_to(receive), blocks, handle);
            };
            exchange();
            stream.synchronize();
            if (own.rank() == 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                own.abort("lost");
                return;
            }
            errors[static_cast<std::size_t>(own.rank())] = error_of<SystemError>([&] {
                exchange();
                stream.synchronize(); // forever, but for the abort
                exchange();
            });
        });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        EXPECT_LT(seconds.count(), 10);
        for (std::size_t rank = 0; rank < errors.size(); ++rank) {
            if (rank == 1) continue;
            EXPECT_EQ(errors[rank], "rank 1 failed: lost");
        }
    }
}

/// Median seconds of an exchange in which each rank sends as much to each.
double seconds_of_exchange(Communicator& ranks, int gpu, Integer bytes_of_block) {
    const runtime::GpuDevice& device = runtime::device_numbered(gpu);
    const runtime::GpuStream stream(device);
    const auto p = static_cast<std::size_t>(ranks.size());
    const runtime::GpuBuffer send(device, p * static_cast<std::size_t>(bytes_of_block));
    const runtime::GpuBuffer receive(device, p * static_cast<std::size_t>(bytes_of_block));
    ExchangeBlocks blocks{
        std::vector<Integer>(p, bytes_of_block), {}, std::vector<Integer>(p, bytes_of_block), {}};
    for (std::size_t k = 0; k < p; ++k)
        blocks.send_offsets.push_back(static_cast<Integer>(k) * bytes_of_block);
    blocks.receive_offsets = blocks.send_offsets;
    std::vector<double> times;
    for (int repeat = 0; repeat < 15; ++repeat) {
        ranks.barrier();
        const auto start = std::chrono::steady_clock::now();
        constexpr int exchanges = 10;
        for (int k = 0; k < exchanges; ++k)
            ranks.exchange(support::pointer_to(send), support::pointer_to(receive), blocks,
                           gpu::Stream(static_cast<void*>(stream.handle())));
        stream.synchronize();
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                        exchanges);
    }
    ranks.barrier();
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

TEST_F(EnginesOnGpus, PrintTimesOfExchanges) {
    const std::pair<const char*, std::function<Communicators()>> engines[] = {
        {"peer-memory", [&] { return on_peer_memory(gpus); }},
        {"nccl", [&] { return with_nccl(); }},
        {"through the host", [&] { return staged(static_cast<int>(gpus.size())); }}};
    for (const auto& [name, make] : engines)
        for (const Integer bytes : {Integer{4096}, Integer{1} << 20, Integer{1} << 26}) {
            Communicators ranks = make();
            if (ranks.empty()) continue;
            run(std::move(ranks), [&, text = name](Communicator& own, int gpu) {
                const double seconds = seconds_of_exchange(own, gpu, bytes);
                const double sent = static_cast<double>(bytes) * (own.size() - 1);
                if (own.rank() == 0)
                    std::printf("%zu GPUs, %s, blocks of %lld bytes: %.1f us, %.1f GB/s from each GPU\n",
                                gpus.size(), text, static_cast<long long>(bytes), 1e6 * seconds,
                                1e-9 * sent / seconds);
            });
        }
}

} // namespace engines_test
} // namespace swirl::distributed

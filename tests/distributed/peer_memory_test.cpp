#include <swirl/distributed/device_memory.hpp>
#include <swirl/distributed/peer_memory.hpp>
#include <swirl/distributed/threads.hpp>

#include "support/fake_gpus.hpp"
#include "support/gpu_exchanges.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace peer_memory_test {

using PeerMemory = support::WithFakeGpus;
using StagedMemory = support::WithFakeGpus;

TEST_F(PeerMemory, ExchangesBetweenGpus) {
    const std::vector<int> gpus = {0, 1, 2, 3};
    EXPECT_EQ(support::run_on_threads(on_peer_memory(gpus),
                                      [&](Communicator& ranks) {
                                          const int gpu = gpus[static_cast<std::size_t>(ranks.rank())];
                                          for (std::uint64_t seed = 0; seed < 8; ++seed)
                                              support::expect_exchanged_on_gpu(ranks, gpu, seed, 3000);
                                          support::expect_split_on_gpu(ranks, gpu, 5);
                                      }),
              "");
    EXPECT_EQ(fake.peers.size(), 12U) << "each GPU may access each other";
    EXPECT_GT(fake.count("cuMemcpyPeerAsync"), 0);
}

TEST_F(PeerMemory, RanksShareAGpu) {
    fake.peers.clear();
    EXPECT_EQ(support::run_on_threads(
                  on_peer_memory(std::vector<int>{0, 0, 0}),
                  [&](Communicator& ranks) { support::expect_exchanged_on_gpu(ranks, 0, 9, 3000); }),
              "");
    EXPECT_EQ(fake.count("cuMemcpyPeerAsync"), 0);
    EXPECT_TRUE(fake.peers.empty());
}

TEST_F(PeerMemory, AllThrowTheSameError) {
    const auto exchange = [](Communicator& ranks, Integer sent, Integer received) {
        const runtime::GpuDevice& device = runtime::device_numbered(ranks.rank());
        const runtime::GpuBuffer send(device, 100), receive(device, 100);
        const auto other = static_cast<std::size_t>(1 - ranks.rank());
        ExchangeBlocks blocks{{0, 0}, {0, 0}, {0, 0}, {0, 0}};
        blocks.send_bytes[other] = sent;
        blocks.receive_bytes[other] = received;
        ranks.exchange(support::pointer_to(send), support::pointer_to(receive), blocks);
    };
    const std::vector<int> gpus = {0, 1};
    EXPECT_EQ(
        support::run_on_threads(on_peer_memory(gpus), [&](Communicator& ranks) { exchange(ranks, 8, 9); }),
        "rank 0 sends 8 bytes to rank 1, which expects 9");
    EXPECT_EQ(support::run_on_threads(on_peer_memory(gpus),
                                      [&](Communicator& ranks) {
                                          std::vector<std::byte> host(100);
                                          const ExchangeBlocks blocks{{8, 8}, {0, 8}, {8, 8}, {16, 24}};
                                          ranks.exchange(host.data(), host.data(), blocks);
                                      }),
              "rank 0: 'send' is memory of the host; memory of GPU 0 is needed");
    EXPECT_EQ(support::run_on_threads(on_peer_memory(gpus),
                                      [&](Communicator& ranks) {
                                          if (ranks.rank() == 1) throw UserError("lost");
                                          exchange(ranks, 8, 8);
                                      }),
              "lost");
}

TEST_F(StagedMemory, IsExchangedThroughTheHost) {
    auto plain = on_threads(3);
    std::vector<std::unique_ptr<Communicator>> communicators;
    for (auto& communicator : plain) communicators.push_back(with_device_memory(std::move(communicator)));
    EXPECT_EQ(support::run_on_threads(std::move(communicators),
                                      [](Communicator& ranks) {
                                          EXPECT_TRUE(ranks.takes_device_memory());
                                          support::expect_exchanged_on_gpu(ranks, ranks.rank(), 4, 3000);
                                          support::expect_exchanged(ranks,
                                                                    support::ExchangeCase::random(3, 3, 500));
                                          const auto part = ranks.split(0, -ranks.rank());
                                          support::expect_exchanged_on_gpu(*part, ranks.rank(), 4, 3000);
                                      }),
              "");
    EXPECT_GT(fake.count("cuMemcpyDtoHAsync"), 0);
    EXPECT_EQ(fake.pinned_blocks, 0);
}

} // namespace peer_memory_test
} // namespace swirl::distributed

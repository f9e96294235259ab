#include <swirl/distributed/nccl.hpp>
#include <swirl/distributed/threads.hpp>

#include "support/error_of.hpp"
#include "support/fake_gpus.hpp"
#include "support/gpu_exchanges.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace nccl_test {

using Nccl = support::WithFakeGpus;
const std::vector<int> four = {0, 1, 2, 3};

int gpu_of_rank(const Communicator& ranks) { return four[static_cast<std::size_t>(ranks.rank())]; }

TEST_F(Nccl, ExchangesBetweenGpusOfOneProcess) {
    EXPECT_EQ(support::run_on_threads(on_nccl(four),
                                      [](Communicator& ranks) {
                                          EXPECT_EQ(ranks.engine(), "nccl");
                                          for (std::uint64_t seed = 0; seed < 8; ++seed)
                                              support::expect_exchanged_on_gpu(ranks, gpu_of_rank(ranks),
                                                                               seed, 3000);
                                          support::expect_split_on_gpu(ranks, gpu_of_rank(ranks), 5);
                                      }),
              "");
}

/// Each rank makes its own communicator, as processes do.
void run_by_id(const std::function<void(Communicator&)>& body) {
    const NcclId id = make_nccl_id();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 4; ++rank)
        threads.emplace_back([&, rank] {
            const auto ranks = on_nccl(id, rank, 4, four[static_cast<std::size_t>(rank)]);
            body(*ranks);
        });
    for (std::thread& thread : threads) thread.join();
}

TEST_F(Nccl, GroupsAreMadeOfAnId) {
    run_by_id([](Communicator& ranks) {
        support::expect_exchanged_on_gpu(ranks, gpu_of_rank(ranks), 3, 3000);
        support::expect_split_on_gpu(ranks, gpu_of_rank(ranks), 5);
        std::vector<std::vector<std::byte>> messages;
        for (int rank = 0; rank < 4; ++rank)
            messages.emplace_back(static_cast<std::size_t>(rank * 3 % 4 * 100), static_cast<std::byte>(rank));
        EXPECT_EQ(ranks.gather_all(messages[static_cast<std::size_t>(ranks.rank())]), messages);
        EXPECT_EQ(ranks.gather_all({}), std::vector<std::vector<std::byte>>(4));
        ranks.barrier();
    });
}

TEST_F(Nccl, GroupsAreMadeOfAnotherGroup) {
    EXPECT_EQ(support::run_on_threads(on_threads(4),
                                      [](Communicator& threads) {
                                          auto messages = threads.split(0, 0);
                                          const auto ranks = on_nccl(std::move(messages), threads.rank());
                                          support::expect_exchanged_on_gpu(*ranks, threads.rank(), 3, 3000);
                                          support::expect_split_on_gpu(*ranks, threads.rank(), 5);
                                      }),
              "");
}

TEST_F(Nccl, AnAbortEndsAllRanksOfTheProcess) {
    for (const int kind : {0, 1, 2, 3}) {
        std::vector<std::string> errors(4);
        support::run_on_threads(on_nccl(four), [&](Communicator& ranks) {
            const auto part = ranks.split(ranks.rank() % 2, 0);
            errors[static_cast<std::size_t>(ranks.rank())] = error_of<SystemError>([&] {
                if (ranks.rank() == 2) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    ranks.abort("cannot plan");
                    return;
                }
                const runtime::GpuDevice& device = runtime::device_numbered(gpu_of_rank(ranks));
                const runtime::GpuBuffer send(device, 400), receive(device, 400);
                const std::vector<Integer> bytes(4, 100), offsets = {0, 100, 200, 300};
                for (;;) switch (kind) {
                    case 0: ranks.barrier(); break;
                    case 1: part->gather_all({}); break;
                    case 2: part->split(0, 0); break;
                    case 3:
                        ranks.exchange(support::pointer_to(send), support::pointer_to(receive),
                                       {bytes, offsets, bytes, offsets});
                        break;
                    }
            });
        });
        for (const int rank : {0, 1, 3})
            EXPECT_EQ(errors[static_cast<std::size_t>(rank)], "rank 2 failed: cannot plan") << kind;
    }
}

TEST_F(Nccl, WhatItReportsEndsAllRanks) {
    const std::string error = support::run_on_threads(on_nccl(four), [](Communicator& ranks) {
        const runtime::GpuDevice& device = runtime::device_numbered(gpu_of_rank(ranks));
        const runtime::GpuBuffer send(device, 400), receive(device, 400);
        const std::vector<Integer> offsets = {0, 100, 200, 300};
        const std::vector<Integer> sent(4, 100), expected(4, ranks.rank() == 3 ? 50 : 100);
        ranks.exchange(support::pointer_to(send), support::pointer_to(receive),
                       {sent, offsets, expected, offsets});
        ranks.barrier();
    });
    EXPECT_NE(error.find("an exchange of NCCL failed: invalid usage"), std::string::npos) << error;
}

TEST_F(Nccl, TakesMemoryOfItsGpuAlone) {
    const ExchangeBlocks blocks{{8, 8, 8, 8}, {0, 8, 16, 24}, {8, 8, 8, 8}, {32, 40, 48, 56}};
    EXPECT_EQ(support::run_on_threads(on_nccl(four),
                                      [&](Communicator& ranks) {
                                          if (ranks.rank() > 0) return;
                                          std::vector<std::byte> host(64);
                                          ranks.exchange(host.data(), host.data(), blocks);
                                      }),
              "rank 0: 'send' is memory of the host; memory of GPU 0 is needed");
    EXPECT_EQ(error_of<UserError>([] { on_nccl(NcclId{}, 4, 4, 0); }),
              "rank 4 of size 4: ranks are 0 to size - 1");
}

} // namespace nccl_test
} // namespace swirl::distributed

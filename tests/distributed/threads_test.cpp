#include <swirl/distributed/check.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/error.hpp>

#include "support/error_of.hpp"
#include "support/exchange_cases.hpp"
#include "support/instrumented_communicator.hpp"
#include "support/sparse_bytes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace swirl::distributed {
namespace threads_test {

using support::ExchangeCase;
using support::InstrumentedCommunicator;
using support::Instruments;

std::size_t threads_of_process() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
}

/// The message that each rank's exception has; empty for those without.
std::vector<std::string> errors_of_ranks(int ranks, const std::function<void(Communicator&)>& body) {
    std::vector<std::string> errors(static_cast<std::size_t>(ranks));
    try {
        run_ranks(ranks, [&](Communicator& communicator) {
            try {
                body(communicator);
            } catch (const std::exception& error) {
                errors[static_cast<std::size_t>(communicator.rank())] = error.what();
                throw;
            }
        });
    } catch (const std::exception&) {}
    return errors;
}

ExchangeBlocks one_block(int size, int to, Integer sent, int from, Integer received) {
    const std::vector<Integer> zeros(static_cast<std::size_t>(size));
    ExchangeBlocks blocks{zeros, zeros, zeros, zeros};
    blocks.send_bytes[static_cast<std::size_t>(to)] = sent;
    blocks.receive_bytes[static_cast<std::size_t>(from)] = received;
    return blocks;
}

TEST(RanksOnThreads, ExchangeRandomBlocks) {
    std::mt19937_64 draw(20261127);
    for (const int size : {1, 2, 3, 4, 7, 12, 40})
        for (int repeat = 0; repeat < 30; ++repeat) {
            const auto drawn = ExchangeCase::random(draw(), size, repeat % 2 == 0 ? 20 : 3000);
            run_ranks(size, [&](Communicator& communicator) { expect_exchanged(communicator, drawn); });
        }
}

TEST(RanksOnThreads, ExchangeInAnyTiming) {
    std::mt19937_64 draw(20261128);
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto instruments = std::make_shared<Instruments>();
        instruments->before_call = support::random_delays(draw(), std::chrono::microseconds(2000));
        std::vector<ExchangeCase> cases;
        for (int k = 0; k < 10; ++k) cases.push_back(ExchangeCase::random(draw(), 5, 500));
        run_ranks(5, [&](Communicator& plain) {
            InstrumentedCommunicator communicator(plain, instruments);
            for (const ExchangeCase& drawn : cases) expect_exchanged(communicator, drawn);
        });
        EXPECT_EQ(instruments->exchanges, 50);
    }
}

TEST(RanksOnThreads, StartedExchangesAreWaitedForInAnyOrder) {
    std::mt19937_64 draw(20261129);
    for (const int size : {1, 3, 6}) {
        std::vector<ExchangeCase> cases;
        for (int k = 0; k < 6; ++k) cases.push_back(ExchangeCase::random(draw(), size, 800));
        run_ranks(size, [&](Communicator& communicator) {
            const int rank = communicator.rank();
            std::vector<std::vector<std::byte>> send, receive;
            std::vector<std::unique_ptr<PendingExchange>> pending;
            for (const ExchangeCase& drawn : cases) {
                send.push_back(drawn.sent(rank));
                receive.push_back(drawn.unwritten(rank));
            }
            for (std::size_t k = 0; k < cases.size(); ++k) {
                const ExchangeBlocks blocks = cases[k].blocks[static_cast<std::size_t>(rank)];
                pending.push_back(communicator.start_exchange(send[k].data(), receive[k].data(), blocks));
            }
            communicator.barrier(); // a call between start and wait
            for (std::size_t j = 0; j < cases.size(); ++j) {
                const std::size_t k = (j * 5 + static_cast<std::size_t>(rank)) % cases.size();
                if (j % 3 == 2)
                    pending[k].reset(); // waits
                else
                    pending[k]->wait();
                EXPECT_EQ(receive[k], cases[k].expected(rank));
            }
        });
    }
}

TEST(RanksOnThreads, ARankThatComputesKeepsNobodyWaiting) {
    std::atomic<bool> others_are_done = false;
    run_ranks(3, [&](Communicator& communicator) {
        const auto drawn = ExchangeCase::random(5, 3, 100);
        const int rank = communicator.rank();
        const std::vector<std::byte> send = drawn.sent(rank);
        std::vector<std::byte> receive = drawn.unwritten(rank);
        const auto pending = communicator.start_exchange(send.data(), receive.data(),
                                                         drawn.blocks[static_cast<std::size_t>(rank)]);
        if (rank == 0)
            while (!others_are_done) std::this_thread::yield();
        pending->wait();
        EXPECT_EQ(receive, drawn.expected(rank));
        if (rank == 1) others_are_done = true;
    });
}

TEST(RanksOnThreads, SplitIntoRowsAndColumnsAndThoseAgain) {
    std::mt19937_64 draw(20261130);
    const auto of_rows = ExchangeCase::random(draw(), 4, 300),
               of_columns = ExchangeCase::random(draw(), 3, 300),
               of_pairs = ExchangeCase::random(draw(), 2, 300);
    run_ranks(12, [&](Communicator& all) {
        const int row = all.rank() / 4, column = all.rank() % 4;
        const auto in_row = all.split(row, column),
                   in_column = all.split(column, -row); // in reverse order of ranks
        ASSERT_EQ(in_row->size(), 4);
        ASSERT_EQ(in_row->rank(), column);
        ASSERT_EQ(in_column->size(), 3);
        ASSERT_EQ(in_column->rank(), 2 - row);
        expect_exchanged(*in_column, of_columns);
        expect_exchanged(*in_row, of_rows);
        const auto pair = in_row->split(column / 2, 0); // equal keys: in the order of ranks
        ASSERT_EQ(pair->rank(), column % 2);
        expect_exchanged(*pair, of_pairs);
        const auto none = in_row->split(column == 2 ? -1 : 0, 0);
        ASSERT_EQ(none == nullptr, column == 2);
        if (none) {
            EXPECT_EQ(none->size(), 3);
        }
        all.barrier();
    });
}

TEST(RanksOnThreads, GatherMessagesOfAnyLength) {
    run_ranks(6, [](Communicator& communicator) {
        const std::string mine(static_cast<std::size_t>(communicator.rank() % 4 * 1000),
                               static_cast<char>('a' + communicator.rank()));
        const auto all = communicator.gather_all(std::as_bytes(std::span(mine)));
        ASSERT_EQ(all.size(), 6U);
        for (int rank = 0; rank < 6; ++rank) {
            const auto& message = all[static_cast<std::size_t>(rank)];
            EXPECT_EQ(message, std::vector<std::byte>(static_cast<std::size_t>(rank % 4 * 1000),
                                                      static_cast<std::byte>('a' + rank)));
        }
    });
}

TEST(RanksOnThreads, BarrierWaitsForAll) {
    std::atomic<int> arrived = 0;
    run_ranks(8, [&](Communicator& communicator) {
        for (int k = 1; k <= 20; ++k) {
            ++arrived;
            communicator.barrier();
            EXPECT_GE(arrived, 8 * k);
            communicator.barrier();
        }
    });
}

TEST(RanksOnThreads, CountsPassTwoToThe31) {
    const Integer large = (Integer{1} << 31) + 12345;
    const std::size_t gap = 64, extent = static_cast<std::size_t>(large) + gap + 100;
    run_ranks(2, [&](Communicator& communicator) {
        const support::SparseBytes send(extent), receive(extent);
        const int rank = communicator.rank(), other = 1 - rank;
        // The large block comes first in one direction, last in the other, so that offsets are large, too.
        ExchangeBlocks blocks = one_block(2, other, rank == 0 ? large : 100, other, rank == 0 ? 100 : large);
        blocks.send_bytes[static_cast<std::size_t>(rank)] =
            blocks.receive_bytes[static_cast<std::size_t>(rank)] = 0;
        const auto at = static_cast<std::size_t>(other);
        blocks.send_offsets[at] = rank == 0 ? 0 : large + 64;
        blocks.receive_offsets[at] = rank == 0 ? large + 64 : 0;
        const auto sent = static_cast<std::size_t>(blocks.send_bytes[at]);
        std::byte* const first = send.data() + blocks.send_offsets[at];
        std::memset(first, 17 + rank, 100);
        std::memset(first + sent - 100, 33 + rank, 100);
        communicator.exchange(send.data(), receive.data(), blocks);
        const std::byte* const arrived = receive.data() + blocks.receive_offsets[at];
        const auto received = static_cast<std::size_t>(blocks.receive_bytes[at]);
        EXPECT_EQ(arrived[received - 1], static_cast<std::byte>(33 + other));
        EXPECT_EQ(arrived[received - 100], static_cast<std::byte>(33 + other));
        if (received > 100) {
            EXPECT_EQ(arrived[0], static_cast<std::byte>(17 + other));
        }
    });
}

TEST(RanksOnThreads, AllThrowTheSameErrorForBlocksThatDoNotFit) {
    for (const auto& error : errors_of_ranks(4, [](Communicator& communicator) {
             std::byte send[64], receive[64];
             const int right = (communicator.rank() + 1) % 4, left = (communicator.rank() + 3) % 4;
             communicator.exchange(send, receive,
                                   one_block(4, right, 24, left, communicator.rank() == 3 ? 16 : 24));
         }))
        EXPECT_EQ(error, "rank 2 sends 24 bytes to rank 3, which expects 16");
    for (const auto& error : errors_of_ranks(3, [](Communicator& communicator) {
             if (communicator.rank() == 1) {
                 communicator.barrier();
             } else {
                 communicator.gather_all({});
             }
         }))
        EXPECT_EQ(
            error,
            "rank 1 calls 'barrier' where rank 0 calls 'gather_all'; all ranks must make the same calls in "
            "the same order");
    for (const auto& error : errors_of_ranks(3, [](Communicator& communicator) {
             std::byte send[64], receive[64];
             ExchangeBlocks blocks = one_block(3, 0, 0, 0, 0);
             if (communicator.rank() == 2) blocks.send_offsets.pop_back();
             communicator.exchange(send, receive, blocks);
         }))
        EXPECT_EQ(error, "rank 2: send_offsets has 2 elements; it needs one for each of the 3 ranks");
    for (const auto& error :
         errors_of_ranks(2, [](Communicator& communicator) { communicator.split(-3, 0); }))
        EXPECT_EQ(error, "rank 0: color is -3; it must be 0 or more, or -1 for no group");
}

TEST(RanksOnThreads, GoOnAfterAnErrorThatAllThrew) {
    const auto drawn = ExchangeCase::random(3, 3, 100);
    run_ranks(3, [&](Communicator& communicator) {
        std::byte send[64], receive[64];
        EXPECT_NE(
            error_of<UserError>([&] { communicator.exchange(send, receive, one_block(3, 1, 8, 1, 9)); }), "");
        expect_exchanged(communicator, drawn);
    });
}

TEST(ExchangeBlocks, AreCheckedByEachRank) {
    std::byte memory[300];
    const auto error = [&](const auto& change) {
        ExchangeBlocks blocks{{10, 10}, {0, 10}, {20, 20}, {0, 20}};
        const void* send = memory;
        const void* receive = memory + 100;
        change(blocks, send, receive);
        return error_in(blocks, send, receive, 2);
    };
    using B = ExchangeBlocks;
    EXPECT_EQ(error([](B&, auto&, auto&) {}), "");
    EXPECT_EQ(error([](B& b, auto&, auto&) {
                  b.receive_bytes = {-1, 3};
              }),
              "receive_bytes[0] is -1; it must be 0 or more");
    EXPECT_EQ(error([](B& b, auto&, auto&) {
                  b.send_offsets = {0, -4};
              }),
              "send_offsets[1] is -4; it must be 0 or more");
    EXPECT_EQ(error([](B& b, auto&, auto&) { b.receive_offsets[1] = 19; }),
              "the block received from rank 1 overlaps the block received from rank 0 by 1 bytes");
    EXPECT_EQ(error([](B& b, auto&, auto&) { b.send_offsets = {0, 0}; }), "") << "one may be sent to many";
    EXPECT_EQ(
        error([](B&, auto& send, auto& receive) { receive = static_cast<const std::byte*>(send) + 15; }),
        "the block received from rank 0 overlaps the block sent to rank 1 by 5 bytes");
    EXPECT_EQ(error([](B&, auto&, auto& receive) { receive = nullptr; }),
              "'receive' is null, but receive_bytes[0] is 20");
    EXPECT_EQ(error([](B& b, auto& send, auto&) {
                  send = nullptr;
                  b.send_bytes = {0, 0};
              }),
              "");
    EXPECT_NE(error([](B& b, auto&, auto&) { b.send_offsets[1] = INT64_MAX - 3; }), "");
}

TEST(ALostRank, EndsAllCallsWithItsReason) {
    const std::size_t threads_before = threads_of_process();
    const auto wait_in = [](int kind, Communicator& communicator, Communicator& part) {
        std::byte bytes[8] = {};
        const auto blocks = one_block(4, 0, 0, 0, 0);
        switch (kind) {
        case 0: communicator.barrier(); break;
        case 1: communicator.gather_all(bytes); break;
        case 2: communicator.exchange(bytes, bytes, blocks); break;
        case 3: communicator.split(0, 0); break;
        case 4: communicator.start_exchange(bytes, bytes, blocks)->wait(); break;
        case 5: part.barrier(); break; // the lost rank is in no group that these wait for
        }
    };
    for (int kind = 0; kind < 6; ++kind)
        for (const bool with_delay : {false, true}) {
            const auto errors = errors_of_ranks(4, [&](Communicator& communicator) {
                const auto part = communicator.split(communicator.rank() < 2 ? 0 : 1, 0);
                if (communicator.rank() == 2) {
                    if (with_delay) std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    throw std::runtime_error("no memory for the plan");
                }
                if (kind == 5 && communicator.rank() < 2) {
                    for (;;) wait_in(kind, communicator, *part);
                }
                wait_in(kind, communicator, *part);
            });
            for (const int rank : {0, 1, 3})
                EXPECT_EQ(errors[static_cast<std::size_t>(rank)], "rank 2 failed: no memory for the plan")
                    << kind;
        }
    EXPECT_EQ(threads_of_process(), threads_before);
    EXPECT_EQ(error_of<support::LostRank>([] {
                  const auto instruments = std::make_shared<Instruments>();
                  instruments->before_call = support::lose_rank(1, 3);
                  run_ranks(3, [&](Communicator& plain) {
                      InstrumentedCommunicator communicator(plain, instruments);
                      const auto part = communicator.split(0, 0);
                      for (;;) part->barrier();
                  });
              }),
              "lost at call 3")
        << "the cause, not one of its consequences";
}

TEST(ALostRank, WithAStartedExchangeIsNotWaitedFor) {
    const auto errors = errors_of_ranks(3, [](Communicator& communicator) {
        std::vector<std::byte> bytes(300);
        const auto blocks = ExchangeBlocks{{50, 50, 50}, {0, 50, 100}, {50, 50, 50}, {150, 200, 250}};
        if (communicator.rank() == 1) {
            const auto pending = communicator.start_exchange(bytes.data(), bytes.data(), blocks);
            throw std::runtime_error("lost");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        communicator.exchange(bytes.data(), bytes.data(), blocks);
        communicator.barrier();
    });
    EXPECT_EQ(errors[0], "rank 1 failed: lost");
    EXPECT_EQ(errors[2], "rank 1 failed: lost");
}

TEST(ALostRank, ThatReturnsEndsThoseWhoWaitForIt) {
    const auto errors = errors_of_ranks(3, [](Communicator& communicator) {
        communicator.barrier();
        if (communicator.rank() == 1) return;
        communicator.gather_all({});
    });
    EXPECT_EQ(errors[1], "");
    EXPECT_TRUE(errors[0].ends_with("rank 1 has ended while rank 0 waits for it in 'gather_all'") ||
                errors[0].ends_with("rank 1 has ended while rank 2 waits for it in 'gather_all'"))
        << errors[0];
    EXPECT_TRUE(errors[2].find("rank 1 has ended while rank ") != std::string::npos) << errors[2];
}

TEST(ALostRank, AbortsOnThreadsOfTheProgram) {
    auto communicators = on_threads(3);
    std::vector<std::string> errors(3);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < 3; ++rank)
        threads.emplace_back([&, rank] {
            const std::unique_ptr<Communicator> mine = std::move(communicators[rank]);
            errors[rank] = error_of<SystemError>([&] {
                mine->barrier();
                if (rank == 0) mine->abort("cannot plan");
                mine->barrier();
            });
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& error : errors) EXPECT_EQ(error, "rank 0 failed: cannot plan");

    communicators = on_threads(2);
    communicators[1].reset();
    EXPECT_EQ(error_of<SystemError>([&] { communicators[0]->barrier(); }),
              "rank 1 has ended while rank 0 waits for it in 'barrier'");
    EXPECT_EQ(error_of<UserError>([] { on_threads(0); }), "ranks is 0; a group needs 1 or more");
}

} // namespace threads_test
} // namespace swirl::distributed

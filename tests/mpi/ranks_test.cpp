// Runs as each rank of MPI: test_mpi_<name> <scenario> <seed>. scripts/check_mpi starts it and knows what must
// happen.

#include <swirl/distributed/check.hpp>
#include <swirl/distributed/mpi.hpp>
#include <swirl/distributed/plan.hpp>
#include <swirl/error.hpp>
#include <swirl/plan.hpp>

#include "mpi/c_interface.hpp"
#include "support/exchange_cases.hpp"
#include "support/sparse_bytes.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace swirl::distributed {
namespace {

using support::ExchangeCase;
using Draw = std::mt19937_64;

constexpr int exchanges_of_a_run = 20;

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

/// Several at once, waited for in an order of each rank's own.
void expect_started_exchanges(Communicator& ranks, Draw& draw, Draw& own_draw) {
    std::vector<ExchangeCase> cases;
    for (int k = 0; k < 5; ++k)
        cases.push_back(ExchangeCase::random(draw(), ranks.size(), k == 2 ? 100'000 : 700));
    std::vector<std::vector<std::byte>> send, receive;
    for (const ExchangeCase& drawn : cases) {
        send.push_back(drawn.sent(ranks.rank()));
        receive.push_back(drawn.unwritten(ranks.rank()));
    }
    std::vector<std::unique_ptr<PendingExchange>> pending;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < cases.size(); ++k) {
        const ExchangeBlocks blocks = cases[k].blocks[at(ranks.rank())];
        pending.push_back(ranks.start_exchange(send[k].data(), receive[k].data(), blocks));
        order.push_back(k);
    }
    ranks.barrier();
    std::shuffle(order.begin(), order.end(), own_draw);
    for (const std::size_t k : order) {
        if (k == 3)
            pending[k].reset();
        else
            pending[k]->wait();
        EXPECT_EQ(receive[k], cases[k].expected(ranks.rank()));
    }
}

void expect_split(Communicator& all, Draw& draw) {
    const int columns = 1 + static_cast<int>(draw() % static_cast<std::uint64_t>(all.size()));
    const int row = all.rank() / columns, column = all.rank() % columns;
    const auto in_row = all.split(row, column), in_column = all.split(column, -row);
    EXPECT_EQ(in_row->rank(), column);
    EXPECT_EQ(in_row->size(), std::min(columns, all.size() - row * columns));
    EXPECT_EQ(in_column->rank(), in_column->size() - 1 - row);
    const std::uint64_t seed = draw();
    expect_exchanged(*in_row,
                     ExchangeCase::random(seed + static_cast<std::uint64_t>(row), in_row->size(), 900));
    expect_exchanged(*in_column,
                     ExchangeCase::random(seed + static_cast<std::uint64_t>(column), in_column->size(), 900));
    const auto half = in_row->split(column % 2 == 0 ? 7 : -1, 0);
    ASSERT_EQ(half == nullptr, column % 2 == 1);
    if (half) expect_exchanged(*half, ExchangeCase::random(seed, half->size(), 900));
}

void expect_gathered(Communicator& ranks, Draw& draw) {
    std::vector<std::vector<std::byte>> expected;
    for (int rank = 0; rank < ranks.size(); ++rank)
        expected.emplace_back(static_cast<std::size_t>(draw() % 3 == 0 ? 0 : draw() % 5000),
                              static_cast<std::byte>(rank + 1));
    EXPECT_EQ(ranks.gather_all(expected[at(ranks.rank())]), expected);
}

void run_exchanges(Communicator& ranks, std::uint64_t seed) {
    Draw draw(seed), own_draw(seed + static_cast<std::uint64_t>(ranks.rank()) + 1);
    for (int k = 0; k < exchanges_of_a_run; ++k)
        expect_exchanged(ranks, ExchangeCase::random(draw(), ranks.size(), k % 5 == 0 ? 200'000 : 2000));
    expect_started_exchanges(ranks, draw, own_draw);
    expect_gathered(ranks, draw);
    expect_split(ranks, draw);
    ranks.barrier();
}

/// Blocks of more than 2^31 bytes from one rank to another, at offsets beyond that.
/// Calls visit(position in the rank's array, position in the global array) for the elements of a row-major box.
template <class Visit>
void for_each_element(const Box& box, const std::vector<Integer>& lengths, Visit&& visit) {
    const Integer count = elements(box);
    for (Integer at = 0; at < count; ++at) {
        Integer rest = at, position = 0, stride = 1;
        for (std::size_t axis = lengths.size(); axis-- > 0; stride *= lengths[axis]) {
            const Integer n = box.upper[axis] - box.lower[axis];
            position += (box.lower[axis] + rest % n) * stride;
            rest /= n;
        }
        visit(static_cast<std::size_t>(at), static_cast<std::size_t>(position));
    }
}

/// Transforms of drawn shapes, by common memory and by messages, against one plan of all data.
void run_transforms(Communicator& ranks, std::uint64_t seed) {
    std::mt19937_64 draw(seed); // the same on all ranks
    for (int trial = 0; trial < 12; ++trial) {
        const Integer longest = trial % 4 == 3 ? 60 : 16;
        const auto length = [&] {
            return 1 + static_cast<Integer>(draw() % static_cast<std::uint64_t>(longest));
        };
        const std::vector<Integer> n{length(), length(), length()};
        const std::string problem =
            "dft " + std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
        const auto boxes_of = [&] {
            const std::uint64_t kind = draw() % 4;
            return kind == 0   ? slabs(n, ranks.size(), static_cast<std::size_t>(draw() % 3))
                   : kind == 1 ? pencils(n, ranks.size(), static_cast<std::size_t>(draw() % 3))
                   : kind == 2 ? bricks(n, ranks.size())
                               : fftw_blocks(n, ranks.size());
        };
        const std::vector<Box> in = boxes_of(), out = boxes_of();
        DistributedOptions options;
        options.messages = draw() % 2 == 0;
        options.local.use_wisdom = false;
        if (draw() % 4 == 0) {
            options.local.effort = Effort::measure;
            options.local.time_budget_seconds = 0.02;
        }
        const bool is_in_place = draw() % 3 == 0;
        std::vector<std::complex<double>> x(static_cast<std::size_t>(n[0] * n[1] * n[2])), expected(x.size());
        std::uniform_real_distribution<double> number(-1, 1);
        for (auto& value : x) value = {number(draw), number(draw)};
        swirl::plan(problem).execute(x, expected);
        const auto rank = static_cast<std::size_t>(ranks.rank());
        const DistributedPlan plan = distributed::plan(problem, ranks, {in[rank], out[rank]}, options);
        std::vector<std::complex<double>> own(
            static_cast<std::size_t>(std::max(elements(in[rank]), elements(out[rank]))));
        std::vector<std::complex<double>> result(own.size());
        for (int execution = 0; execution < 2; ++execution) {
            for_each_element(in[rank], n,
                             [&](std::size_t at, std::size_t position) { own[at] = x[position]; });
            if (is_in_place)
                plan.execute(own, own);
            else
                plan.execute(own, result);
            const auto& found = is_in_place ? own : result;
            for_each_element(out[rank], n, [&](std::size_t at, std::size_t position) {
                EXPECT_NEAR(std::abs(found[at] - expected[position]), 0, 1e-10)
                    << problem << " " << plan.description();
            });
        }
    }
}

void run_large(Communicator& ranks, std::uint64_t) {
    const Integer large = (Integer{1} << 31) + 12345;
    const int own = ranks.rank(), other = 1 - own;
    ASSERT_EQ(ranks.size(), 2);
    const support::SparseBytes send(static_cast<std::size_t>(large) + 200),
        receive(static_cast<std::size_t>(large) + 200);
    ExchangeBlocks blocks{{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    blocks.send_bytes[at(other)] = own == 0 ? large : 100;
    blocks.receive_bytes[at(other)] = own == 0 ? 100 : large;
    blocks.send_offsets[at(other)] = own == 0 ? 0 : large + 64;
    blocks.receive_offsets[at(other)] = own == 0 ? large + 64 : 0;
    std::byte* const first = send.data() + blocks.send_offsets[at(other)];
    std::byte* const last = first + blocks.send_bytes[at(other)] - 100;
    std::memset(first, 17 + own, 100);
    std::memset(last, 33 + own, 100);
    ranks.exchange(send.data(), receive.data(), blocks);
    const std::byte* const arrived = receive.data() + blocks.receive_offsets[at(other)];
    EXPECT_EQ(arrived[blocks.receive_bytes[at(other)] - 1], static_cast<std::byte>(33 + other));
    EXPECT_EQ(arrived[blocks.receive_bytes[at(other)] - 100], static_cast<std::byte>(33 + other));
    if (own == 1) {
        EXPECT_EQ(arrived[0], static_cast<std::byte>(17 + other));
    }
}

/// Calls that never end by themselves, of a kind that the seed says.
void wait_forever(Communicator& ranks, Communicator& part, std::uint64_t seed) {
    std::vector<std::byte> send(2 << 20), receive(2 << 20);
    const auto p = at(ranks.size());
    const Integer bytes = static_cast<Integer>(seed % 3 == 0 ? 100 : send.size() / p); // eager; by rendezvous
    ExchangeBlocks blocks{
        std::vector<Integer>(p, bytes), std::vector<Integer>(p), std::vector<Integer>(p, bytes), {}};
    for (std::size_t rank = 0; rank < p; ++rank) {
        blocks.send_offsets[rank] = static_cast<Integer>(rank) * bytes;
        blocks.receive_offsets.push_back(static_cast<Integer>(rank) * bytes);
    }
    for (;;) switch (seed / 3 % 5) {
        case 0: ranks.barrier(); break;
        case 1: ranks.gather_all(std::vector<std::byte>(8)); break;
        case 2: part.barrier(); break;
        case 3: ranks.start_exchange(send.data(), receive.data(), blocks)->wait(); break;
        default: ranks.exchange(send.data(), receive.data(), blocks);
        }
}

int lost_rank(const Communicator& ranks, std::uint64_t seed) {
    return static_cast<int>(seed / 15 % static_cast<std::uint64_t>(ranks.size()));
}

void wait_a_little(std::uint64_t seed) {
    std::this_thread::sleep_for(std::chrono::milliseconds(seed % 7 * 10));
}

/// One rank aborts; all others throw, with its reason.
void run_abort(Communicator& ranks, std::uint64_t seed) {
    const auto part = ranks.split(ranks.rank() % 2, 0);
    const int lost = lost_rank(ranks, seed);
    if (ranks.rank() == lost) {
        wait_a_little(seed);
        ranks.abort("cannot plan");
        return;
    }
    try {
        wait_forever(ranks, *part, seed);
    } catch (const SystemError& error) {
        EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(lost) + " failed: cannot plan");
    }
}

/// One rank dies.
void run_killed(Communicator& ranks, std::uint64_t seed) {
    const auto part = ranks.split(ranks.rank() % 2, 0);
    if (ranks.rank() == lost_rank(ranks, seed))
        std::thread([seed] {
            wait_a_little(seed);
            raise(SIGKILL);
        }).detach();
    wait_forever(ranks, *part, seed);
}

/// One rank throws, and its communicator is destroyed; all others end.
void run_thrown(Communicator&, std::uint64_t seed) {
    std::string reason;
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        const auto ranks = on_mpi(MPI_COMM_WORLD);
        const auto part = ranks->split(rank % 2, 0);
        size = ranks->size();
        if (rank == lost_rank(*ranks, seed)) throw UserError("lost");
        wait_forever(*ranks, *part, seed);
    } catch (const Error& error) {
        reason = error.what();
    }
    const int lost = static_cast<int>(seed / 15 % static_cast<std::uint64_t>(size));
    EXPECT_EQ(reason,
              rank == lost ? "lost" : "rank " + std::to_string(lost) + " failed: it ended by an exception");
}

/// Ranks whose blocks do not fit together.
void run_mismatch(Communicator& ranks, std::uint64_t seed) {
    const auto p = at(ranks.size());
    const Integer sent = seed % 2 == 0 ? 24 : 40'000'000, expected = seed / 2 % 2 == 0 ? sent - 8 : sent + 8;
    const int to = static_cast<int>(seed / 4 % p), from = static_cast<int>((seed / 4 + 1) % p);
    std::vector<std::byte> send(static_cast<std::size_t>(sent)), receive(static_cast<std::size_t>(sent) + 8);
    const std::vector<Integer> zeros(p);
    ExchangeBlocks blocks{zeros, zeros, zeros, zeros};
    if (ranks.rank() == from) blocks.send_bytes[at(to)] = sent;
    if (ranks.rank() == to) blocks.receive_bytes[at(from)] = expected;
    std::string reason;
    try {
        check_collectively(ranks, blocks, send.data(), receive.data());
    } catch (const UserError& error) {
        EXPECT_EQ(error.what(), "rank " + std::to_string(from) + " sends " + std::to_string(sent) +
                                    " bytes to rank " + std::to_string(to) + ", which expects " +
                                    std::to_string(expected));
        reason = error.what();
    } catch (const SystemError& error) {
        reason = error.what(); // another rank has gone on to the exchange, which failed
    }
    EXPECT_NE(reason, "");
    try {
        ranks.exchange(send.data(), receive.data(), blocks);
        ranks.barrier();
    } catch (const Error& error) {
        reason = error.what();
    }
    EXPECT_NE(reason.find("rank " + std::to_string(from) + " sends " + (expected < sent ? "more" : "fewer") +
                          " bytes to rank " + std::to_string(to)),
              std::string::npos)
        << reason;
}

void run_errors(Communicator& ranks, std::uint64_t) {
    std::string reason;
    try {
        on_mpi(MPI_COMM_NULL);
    } catch (const UserError& error) {
        reason = error.what();
    }
    EXPECT_EQ(reason, "the communicator is MPI_COMM_NULL; give one of this process");
    EXPECT_EQ(ranks.engine(), "mpi");
    // A communicator of some ranks, whose other ranks know nothing of it.
    MPI_Comm odd = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ranks.rank() % 2 == 1 ? 0 : MPI_UNDEFINED, 0, &odd);
    if (odd != MPI_COMM_NULL) {
        {
            const auto group = on_mpi(odd);
            EXPECT_EQ(group->rank(), ranks.rank() / 2);
            expect_exchanged(*group, ExchangeCase::random(3, group->size(), 1000));
        }
        MPI_Comm_free(&odd);
    }
    ranks.barrier();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Equal blocks: this engine against MPI's own collective functions, in turns. Seed: bytes of a block.
void run_bench(Communicator& ranks, std::uint64_t bytes) {
    const auto p = at(ranks.size());
    const int count = static_cast<int>(bytes);
    std::vector<std::byte> send(p * bytes, std::byte{1}), receive(p * bytes);
    ExchangeBlocks blocks{
        std::vector<Integer>(p, count), std::vector<Integer>(p), std::vector<Integer>(p, count), {}};
    std::vector<int> counts(p, count), offsets(p);
    for (std::size_t rank = 0; rank < p; ++rank) {
        offsets[rank] = static_cast<int>(rank) * count;
        blocks.send_offsets[rank] = offsets[rank];
    }
    blocks.receive_offsets = blocks.send_offsets;
    const std::function<void()> ways[] = {
        [&] { ranks.exchange(send.data(), receive.data(), blocks); },
        [&] {
            MPI_Alltoallv(send.data(), counts.data(), offsets.data(), MPI_BYTE, receive.data(), counts.data(),
                          offsets.data(), MPI_BYTE, MPI_COMM_WORLD);
        },
        [&] {
            MPI_Request request;
            MPI_Ialltoallv(send.data(), counts.data(), offsets.data(), MPI_BYTE, receive.data(),
                           counts.data(), offsets.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        },
        [&] { MPI_Alltoall(send.data(), count, MPI_BYTE, receive.data(), count, MPI_BYTE, MPI_COMM_WORLD); }};
    std::vector<double> times[4];
    const int repeats = bytes < 100'000 ? 200 : 30;
    for (int repeat = 0; repeat < repeats; ++repeat)
        for (int way = 0; way < 4; ++way) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double start = MPI_Wtime();
            ways[way]();
            double time = MPI_Wtime() - start, longest = 0;
            MPI_Allreduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            times[way].push_back(longest);
        }
    if (ranks.rank() == 0)
        std::printf(
            "%d ranks, %9d bytes: exchange %9.1f us, alltoallv %9.1f, ialltoallv %9.1f, alltoall %9.1f\n",
            ranks.size(), count, 1e6 * median(times[0]), 1e6 * median(times[1]), 1e6 * median(times[2]),
            1e6 * median(times[3]));
}

using Scenario = void (*)(Communicator&, std::uint64_t);
const std::map<std::string, Scenario> scenarios = {
    {"exchanges", run_exchanges}, {"transforms", run_transforms}, {"large", run_large},
    {"abort", run_abort},         {"killed", run_killed},         {"thrown", run_thrown},
    {"mismatch", run_mismatch},   {"errors", run_errors},         {"bench", run_bench},
    {"c", run_c_interface}};

} // namespace
} // namespace swirl::distributed

/// Ends with 0 if all expectations hold on this rank.
int main(int count, char** words) {
    testing::InitGoogleTest(&count, words);
    const auto scenario = swirl::distributed::scenarios.find(count == 3 ? words[1] : "");
    if (scenario == swirl::distributed::scenarios.end()) return 2;
    MPI_Init(nullptr, nullptr);
    bool has_passed = true;
    {
        const auto ranks = swirl::distributed::on_mpi(MPI_COMM_WORLD);
        const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
        scenario->second(*ranks, std::strtoull(words[2], nullptr, 10));
        has_passed = !tests.ad_hoc_test_result().Failed();
    }
    MPI_Finalize();
    return has_passed ? 0 : 1;
}

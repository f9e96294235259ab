#include "support/distributed_case.hpp"

#include <swirl/distributed/box.hpp>
#include <swirl/half.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <numbers>

namespace {

using namespace swirl;
using support::DistributedCase;
using support::DistributedResult;
using support::random_boxes;
using support::run_distributed;

/// Relative to the plan of one process: both have errors.
double bound(const Transform& problem, double epsilon) {
    double points = 1;
    for (const Dimension& axis : problem.dimensions) points *= static_cast<double>(axis.length);
    return 4 * epsilon * std::sqrt(1 + std::log2(points));
}

void expect_equal(const DistributedCase& c, std::uint64_t seed = 1) {
    const Transform problem = swirl::problem(c.problem);
    const bool is_float = problem.precision == DataType::float32;
    const DistributedResult result =
        is_float ? run_distributed<float>(c, seed) : run_distributed<double>(c, seed);
    EXPECT_LE(result.relative_error, bound(problem, is_float ? 1.2e-7 : 2.3e-16))
        << c.problem << " on " << c.input.size() << " ranks: " << result.schedule << "\n"
        << result.steps;
    if (c.shared_memory != distributed::SharedMemory::none) {
        EXPECT_EQ(result.messages, 0);
        return;
    }
    EXPECT_EQ(result.bytes, result.promised_bytes);
    EXPECT_EQ(result.messages, result.promised_messages);
}

void expect_equal_with_any_memory(DistributedCase c, std::uint64_t seed = 1) {
    using distributed::SharedMemory;
    for (const SharedMemory memory :
         {SharedMemory::none, SharedMemory::may_map, SharedMemory::address_space}) {
        SCOPED_TRACE(static_cast<int>(memory));
        c.shared_memory = memory;
        expect_equal(c, seed);
    }
}

TEST(DistributedTransforms, HaveTheResultOfOnePlan) {
    for (const char* const text :
         {"dft 8x12x10", "dft 12x18", "rdft 8x12x10", "rdft 8x12x10 backward", "dft 240", "dct2 8x12x10",
          "rdft 9x7 float32", "dft 7x5x6 batch=3 backward"}) {
        const Transform problem = swirl::problem(text);
        for (const int ranks : {1, 2, 3, 4, 6}) {
            DistributedCase c{text, distributed::slabs(distributed::input_lengths(problem), ranks),
                              distributed::slabs(distributed::output_lengths(problem), ranks)};
            expect_equal_with_any_memory(c);
            c.is_in_place = true;
            expect_equal_with_any_memory(c);
        }
    }
}

/// Boxes of any shape, some empty, on 1 to 12 ranks.
void expect_equal_for_random_boxes(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](Integer n) {
        return static_cast<Integer>(random() % static_cast<std::uint64_t>(n));
    };
    const int ranks = static_cast<int>(1 + draw(12));
    const Integer rank = 1 + draw(3);
    const char* const kinds[] = {"dft", "dft", "rdft", "rdft", "dct2", "dht", "r2hc"};
    std::string text = kinds[draw(7)];
    text += " ";
    const Integer longest = rank == 1 ? 400 : rank == 2 ? 40 : 14;
    for (Integer d = 0; d < rank; ++d) text += fmt::format("{}{}", d == 0 ? "" : "x", 1 + draw(longest));
    const bool has_direction = text[0] == 'd' ? text[1] == 'f' : text[1] == 'd';
    if (has_direction && draw(2) == 0) text += " backward";
    if (draw(2) == 0) text += " float32";
    if (draw(3) == 0) text += fmt::format(" batch={}", 1 + draw(4));
    if (draw(3) == 0) text += " scale=0.5";
    const Transform problem = swirl::problem(text);
    DistributedCase c{text, random_boxes(distributed::input_lengths(problem), ranks, random),
                      random_boxes(distributed::output_lengths(problem), ranks, random)};
    if (draw(4) == 0 && (rank > 1 || problem.kind != TransformKind::dft)) c.output.reset();
    c.is_in_place = draw(3) == 0;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_equal_with_any_memory(c, seed);
}

/// SWIRL_RANDOM_CASES has another number of them.
TEST(DistributedTransforms, AreRightForRandomBoxes) {
    const char* const given = std::getenv("SWIRL_RANDOM_CASES");
    const std::uint64_t cases = given != nullptr ? std::stoull(given) : 300;
    for (std::uint64_t seed = 1; seed <= cases && !HasFailure(); ++seed) expect_equal_for_random_boxes(seed);
}

/// A rank that is late finds nothing overwritten, and one that is early waits for what it needs.
TEST(DistributedTransforms, OfSharedMemoryAreRightInAnyTiming) {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        const char* const schedules[] = {"in[2] > 1/3[0] > out[1]", "in[2,1] > 1/3[0] > out",
                                         "in[2,1] > 2/3[0]", "in > 0/3[2,1] > 1/3[0] > out"};
        const bool has_free_output = seed % 4 == 3;
        DistributedCase c{"dft 6x9x8", distributed::slabs({6, 9, 8}, 3), distributed::slabs({6, 9, 8}, 3)};
        c.options.schedule = schedules[seed % 4 == 3 ? 2 : seed % 4 == 2 ? 3 : seed % 4];
        if (has_free_output) c.output.reset();
        c.executions = 5;
        c.shared_memory =
            seed % 3 == 0 ? distributed::SharedMemory::may_map : distributed::SharedMemory::address_space;
        c.before_call = support::random_delays(seed, std::chrono::microseconds(300));
        expect_equal(c, seed);
    }
}

/// Long messages, which are sent while the next ones are transformed.
TEST(DistributedTransforms, OverlapLongMessages) {
    for (const char* const text :
         {"dft 64x72x60", "rdft 96x81x64", "rdft 96x80x90 backward float32", "dct2 65x70x80"}) {
        const Transform problem = swirl::problem(text);
        for (const int ranks : {2, 3}) {
            DistributedCase c{text, distributed::slabs(distributed::input_lengths(problem), ranks),
                              distributed::slabs(distributed::output_lengths(problem), ranks)};
            c.before_call = support::random_delays(7, std::chrono::microseconds(50));
            c.executions = 2;
            const DistributedResult result = problem.precision == DataType::float32
                                                 ? run_distributed<float>(c, 1)
                                                 : run_distributed<double>(c, 1);
            EXPECT_LE(result.relative_error,
                      bound(problem, problem.precision == DataType::float32 ? 1.2e-7 : 2.3e-16));
            EXPECT_NE(result.steps.find("stream"), std::string::npos) << result.steps;
            EXPECT_EQ(result.bytes, 2 * result.promised_bytes);
            EXPECT_EQ(result.bytes_copied, 0);
        }
    }
}

TEST(DistributedTransforms, HaveTheResultOfTheDefinition) {
    std::mt19937_64 random(2);
    for (const char* const text : {"dft 5x4", "dft 30", "dft 3x4x2", "dft 4x5 backward", "dft 36 backward"}) {
        const Transform problem = swirl::problem(text);
        const std::vector<Integer> lengths = distributed::input_lengths(problem);
        const DistributedCase c{text, random_boxes(lengths, 5, random), random_boxes(lengths, 5, random)};
        support::GlobalArray x;
        const DistributedResult result = run_distributed<double>(c, 3, &x);
        const long double sign = problem.direction == Direction::forward ? -1 : 1;
        const auto points = static_cast<std::size_t>(x.size());
        for (std::size_t k = 0; k < points; ++k) {
            std::complex<long double> sum = 0;
            for (std::size_t j = 0; j < points; ++j) {
                long double turns = 0;
                std::size_t rest_k = k, rest_j = j;
                for (std::size_t axis = lengths.size(); axis-- > 0;) {
                    const auto n = static_cast<std::size_t>(lengths[axis]);
                    turns +=
                        static_cast<long double>(rest_k % n * (rest_j % n) % n) / static_cast<long double>(n);
                    rest_k /= n;
                    rest_j /= n;
                }
                sum += std::complex<long double>(x.numbers[2 * j], x.numbers[2 * j + 1]) *
                       std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * turns);
            }
            EXPECT_NEAR(result.values.numbers[2 * k], static_cast<double>(sum.real()), 1e-14) << text;
            EXPECT_NEAR(result.values.numbers[2 * k + 1], static_cast<double>(sum.imag()), 1e-14) << text;
        }
    }
}

/// Slabs and pencils that are even, and uneven ones: plans load and store all messages.
TEST(DistributedTransforms, CopyNothingToSortMessages) {
    for (const char* const text : {"dft 16x12x20", "dft 13x11x7", "rdft 16x12x20", "dft 16x12x20 float32"}) {
        const Transform problem = swirl::problem(text);
        const std::vector<Integer> in = distributed::input_lengths(problem),
                                   out = distributed::output_lengths(problem);
        DistributedCase c{text, distributed::slabs(in, 4), distributed::slabs(out, 4)};
        EXPECT_EQ(run_distributed<double>({text, c.input, {}}, 1).bytes_copied, 0) << text;
        if (problem.precision == DataType::float64) {
            const DistributedResult result = run_distributed<double>(c, 1);
            EXPECT_EQ(result.bytes_copied, 0) << result.steps;
            EXPECT_EQ(result.exchanges, 2) << result.steps;
        }
    }
}

TEST(DistributedTransforms, StoreHalfPrecision) {
    for (const char* const text :
         {"dft 8x6x10 float16", "rdft 8x6x10 float16", "rdft 8x6x10 backward float16"}) {
        const Transform problem = swirl::problem(text);
        std::mt19937_64 random(4);
        const DistributedCase c{text, random_boxes(distributed::input_lengths(problem), 4, random),
                                random_boxes(distributed::output_lengths(problem), 4, random)};
        // rounded to 11 bits once for each dimension
        EXPECT_LE(run_distributed<float16>(c, 1).relative_error, 3 * 0.0005) << text;
    }
    const DistributedCase c{"dft 8x6 bfloat16", distributed::slabs({8, 6}, 3), distributed::slabs({8, 6}, 3)};
    EXPECT_LE(run_distributed<bfloat16>(c, 1).relative_error, 2 * 0.004);
}

TEST(DistributedTransforms, SendEachElementOnceInAnExchange) {
    // from slabs of axis 0 to slabs of axis 1: each rank keeps a quarter
    const std::vector<Integer> lengths{16, 12, 20};
    const DistributedCase c{"dft 16x12x20", distributed::slabs(lengths, 4), {}, {{}, {}, "in[2,1] > 1/4[0]"}};
    const DistributedResult result = run_distributed<double>(c, 1);
    EXPECT_EQ(result.bytes, 16 * 12 * 20 * 16 * 3 / 4);
    EXPECT_EQ(result.messages, 4 * 3);
}

} // namespace

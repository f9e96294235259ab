#include "ir/verify.hpp"
#include "support/interpreted_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace swirl::lower {
namespace gpu_lowering_test {

using namespace formula;

KernelRequest request_for(const Formula& formula, DataType scalar = DataType::float32) {
    return support::request_for(1, formula, scalar);
}

Formula batched(Integer batch, Integer n, const std::string& tree) {
    const Formula transform = rules::expand(DFT(n), rules::parse_tree(tree));
    return batch == 1 ? transform : kron({I(batch), transform});
}

struct Outcome {
    double error;
    ir::InterpreterReport report; ///< of the first kernel
    std::size_t kernels;
    double transferred; ///< sectors of the arguments read and written by all kernels, of what there is
};

Outcome run(const KernelRequest& request, const std::vector<LaunchConfiguration>& configurations) {
    const std::vector<ir::Program> programs = lower_to_gpu(request, configurations);
    support::InterpretedKernels result = support::interpreted(request, programs);
    return {result.error, std::move(result.reports.front()), programs.size(), result.transferred};
}

Outcome run(const KernelRequest& request, const LaunchConfiguration& configuration) {
    return run(request, std::vector<LaunchConfiguration>{configuration});
}

TEST(LoweringToGpus, ComputesStockhamTransformsForManyConfigurations) {
    struct Case {
        Integer batch, n;
        const char* tree;
        LaunchConfiguration configuration;
    };
    const Case cases[] = {
        {1, 64, "stockham(8,8)", {8, 1}},
        {5, 64, "stockham(8,8)", {16, 2}},
        {8, 64, "stockham(8,8)", {16, 4}},
        {3, 64, "stockham(4,4,4)", {32, 2}},
        {2, 60, "stockham(10,6)", {6, 1}},
        {2, 60, "stockham(5,4,3)", {24, 2}},
        {2, 1024, "stockham(16,8,8)", {64, 1}},
        {4, 105, "stockham(7,5,3)", {45, 3}},
        {7, 16, "codelet", {4, 4}},
        {2, 256, "stockham(4,4,4,4)", {256, 4, 32}},
        {3, 128, "stockham(2,4,16)", {32, 1}},
    };
    for (const Case& c : cases) {
        EXPECT_LT(run(request_for(batched(c.batch, c.n, c.tree)), c.configuration).error, 1e-6)
            << c.n << c.tree;
        EXPECT_LT(run(request_for(batched(c.batch, c.n, c.tree), DataType::float64), c.configuration).error,
                  1e-15)
            << c.n << c.tree;
    }
}

TEST(LoweringToGpus, WorksInPlaceAndScales) {
    KernelRequest request = request_for(batched(3, 64, "stockham(8,8)"));
    request.loops.in_place = true;
    EXPECT_LT(run(request, LaunchConfiguration{16, 2}).error, 1e-6);
}

TEST(LoweringToGpus, CoalescesSectors) {
    const Integer batch = 4, n = 1024;
    const Outcome result =
        run(request_for(batched(batch, n, "stockham(16,8,8)")), LaunchConfiguration{64, 1});
    const Integer sectors = batch * n * 8 / 32;
    EXPECT_EQ(result.report.loads[0].sectors, sectors);
    EXPECT_EQ(result.report.stores[1].sectors, sectors);
    EXPECT_EQ(result.report.barriers, batch * 2);
}

TEST(LoweringToGpus, LeavesEntriesOutSoThatBanksDiffer) {
    const KernelRequest request = request_for(batched(2, 4096, "stockham(16,16,16)"));
    const Outcome plain = run(request, LaunchConfiguration{256, 1}),
                  padded = run(request, LaunchConfiguration{256, 1, 32});
    EXPECT_LT(padded.error, 1e-6);
    EXPECT_LT(8 * padded.report.bank_conflict_cycles(), plain.report.bank_conflict_cycles());
    EXPECT_EQ(run(request_for(batched(2, 256, "stockham(16,16)")), LaunchConfiguration{16, 1, 32})
                  .report.bank_conflict_cycles(),
              0);
}

TEST(LoweringToGpus, SharesOneVectorWhereThreadsHoldWhatTheyRead) {
    const KernelRequest request = request_for(batched(5, 512, "stockham(8,8,8)"));
    const LaunchConfiguration configuration{
        .threads = 128, .transforms = 2, .smem_pad_interval = 32, .single_buffer = true};
    const Outcome result = run(request, configuration);
    EXPECT_LT(result.error, 1e-6);
    EXPECT_EQ(result.kernels, 2U); // the fifth transform in one of its own
    const ir::Program program = lower_to_gpu(request, {configuration}).front();
    Integer shared = 0;
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::shared) shared += buffer.elements;
    EXPECT_EQ(shared, 2 * 2 * 512 * 33 / 32);
}

TEST(LoweringToGpus, HandsNeighbouringColumnsToNeighbouringThreads) {
    for (const Integer columns : {64, 40}) {
        const Formula formula =
            kron({I(2), rules::expand(DFT(64), rules::parse_tree("stockham(8,8)")), I(columns)});
        for (const bool one : {false, true}) {
            const Outcome result =
                run(request_for(formula), {.threads = 128, .transforms = 16, .single_buffer = one});
            EXPECT_LT(result.error, 1e-6);
            EXPECT_EQ(result.transferred, 1);
        }
    }
}

TEST(LoweringToGpus, SplitsLargeTransformsIntoKernels) {
    const Formula formula = batched(3, 1024, "two-sweep(32,1,1)[stockham(8,4)]");
    for (const bool one : {false, true}) {
        const LaunchConfiguration configuration{.threads = 64, .transforms = 16, .single_buffer = one};
        const Outcome result = run(request_for(formula), configuration);
        EXPECT_LT(result.error, 1e-6);
        EXPECT_EQ(result.kernels, 2U);
        EXPECT_EQ(result.transferred, 1);
    }
}

TEST(LoweringToGpus, ExchangesThroughTheSharedMemoryOfClusters) {
    struct Case {
        Integer batch, n;
        const char* tree;
        LaunchConfiguration configuration;
    };
    const Case cases[] = {
        {2, 1024, "two-sweep(32,1,1)[stockham(8,4)]", {.threads = 64, .cluster = 4}},
        {1, 512, "two-sweep(16,1,1)[stockham(8,4),stockham(4,4)]", {.threads = 64, .cluster = 2}},
        {3,
         2048,
         "two-sweep(32,1,1)[stockham(8,8),stockham(4,8)]",
         {.threads = 64, .smem_pad_interval = 32, .smem_vector_pad = 1, .cluster = 8}},
    };
    for (const Case& c : cases) {
        const Outcome result = run(request_for(batched(c.batch, c.n, c.tree)), c.configuration);
        EXPECT_LT(result.error, 1e-6) << c.n;
        EXPECT_EQ(result.kernels, 1U);
        EXPECT_EQ(result.transferred, 1) << c.n;
    }
}

TEST(LoweringToGpus, ClustersShareNeighbouringColumns) {
    struct Case {
        Integer n;
        const char* tree;
        LaunchConfiguration configuration;
    };
    const Case cases[] = {
        {1024,
         "two-sweep(32,1,1)[stockham(8,4)]",
         {.threads = 64, .transforms = 8, .smem_pad_interval = 32, .smem_vector_pad = 1, .cluster = 4}},
        {512,
         "two-sweep(16,1,1)[stockham(8,4),stockham(4,4)]",
         {.threads = 64, .transforms = 4, .single_buffer = true, .cluster = 2}},
    };
    for (const Case& c : cases)
        for (const Integer columns : {16, 32}) {
            const Formula formula =
                kron({I(2), rules::expand(DFT(c.n), rules::parse_tree(c.tree)), I(columns)});
            const Outcome result = run(request_for(formula), c.configuration);
            EXPECT_LT(result.error, 1e-6) << c.n;
            EXPECT_EQ(result.kernels, 1U);
            EXPECT_EQ(result.transferred, 1) << c.n;
        }
}

TEST(LoweringToGpus, StagesStridedAccessesInSharedMemory) {
    struct Case {
        Integer batch, n;
        const char* tree;
        LaunchConfiguration configuration;
        Integer barriers; ///< of a block
    };
    const Case cases[] = {
        {64, 7, "codelet", {.threads = 32, .transforms = 32, .staged = SmemStaging::both}, 2},
        {64,
         13,
         "codelet",
         {.threads = 64, .transforms = 32, .single_buffer = true, .staged = SmemStaging::both},
         2},
        {40, 31, "codelet", {.threads = 32, .transforms = 8, .staged = SmemStaging::both}, 2},
        {48, 22, "stockham(2,11)", {.threads = 64, .transforms = 16, .staged = SmemStaging::both}, 3},
        {48,
         49,
         "stockham(7,7)",
         {.threads = 112, .transforms = 16, .single_buffer = true, .staged = SmemStaging::both},
         4},
    };
    for (const Case& c : cases)
        for (const DataType scalar : {DataType::float32, DataType::float64}) {
            SCOPED_TRACE(fmt::format("{} {}", c.n, c.tree));
            const Outcome result = run(request_for(batched(c.batch, c.n, c.tree), scalar), c.configuration);
            EXPECT_LT(result.error, scalar == DataType::float32 ? 1e-6 : 1e-15);
            EXPECT_EQ(result.transferred, 1);
            EXPECT_EQ(result.report.barriers, c.barriers * c.batch / c.configuration.transforms);
            if (c.n % 2 == 1 && c.tree == std::string("codelet")) {
                EXPECT_EQ(result.report.bank_conflict_cycles(), 0);
            }
        }
}

TEST(LoweringToGpus, StagesPartialBatchesAndStridedVectors) {
    for (const bool one : {false, true})
        for (const Integer pitch : {0, 1})
            for (const Integer batch : {1, 5, 37}) {
                SCOPED_TRACE(fmt::format("{} {} {}", one, pitch, batch));
                const LaunchConfiguration configuration{.threads = 64,
                                                        .transforms = 16,
                                                        .smem_vector_pad = pitch,
                                                        .single_buffer = one,
                                                        .staged = SmemStaging::both};
                KernelRequest request = request_for(batched(batch, 12, "codelet"));
                EXPECT_LT(run(request, configuration).error, 1e-6);
                request.loops.in_place = true;
                EXPECT_LT(run(request, configuration).error, 1e-6);
                EXPECT_LT(run(request_for(batched(batch, 35, "stockham(7,5)")), configuration).error, 1e-6);
                EXPECT_LT(run(request_for(kron({I(batch), DFT(7), I(5)})), configuration).error, 1e-6);
                EXPECT_LT(
                    run(request_for(kron(
                            {I(batch), rules::expand(DFT(20), rules::parse_tree("stockham(5,4)")), I(3)})),
                        configuration)
                        .error,
                    1e-6);
            }
}

TEST(LoweringToGpus, ReachesMemoryThroughTablesOfIndices) {
    const std::string rader = "rader[stockham(14,9), stockham(9,14)]";
    struct Case {
        Integer batch, n;
        std::string tree;
        LaunchConfiguration configuration;
        Integer barriers; ///< of a block
        Integer vectors;  ///< of a transform in shared memory, in points of the transform
    };
    const Case cases[] = {
        {4, 127, rader, {.threads = 32, .transforms = 2}, 2, 2},
        {4, 127, rader, {.threads = 32, .transforms = 2, .staged = SmemStaging::both}, 4, 2},
        {4,
         127,
         rader,
         {.threads = 32, .transforms = 2, .single_buffer = true, .staged = SmemStaging::both},
         7,
         1},
        {2, 508, "cooley-tukey(4,127)[codelet, " + rader + "]", {.threads = 56, .fuse_nested = true}, 5, 3},
        {2, 508, "good-thomas(4,127)[codelet, " + rader + "]", {.threads = 56, .fuse_nested = true}, 5, 3},
        {4, 107, "bluestein(216)[stockham(6,6,6), stockham(6,6,6)]", {.threads = 36}, 4, 5},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.tree);
        const KernelRequest request = request_for(batched(c.batch, c.n, c.tree));
        const Outcome result = run(request, c.configuration);
        EXPECT_LT(result.error, 2e-6);
        EXPECT_EQ(result.kernels, 1U);
        EXPECT_EQ(result.report.barriers, c.barriers * c.batch / c.configuration.transforms);
        const ir::Program program = lower_to_gpu(request, {c.configuration}).front();
        Integer shared = 0;
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::shared) shared += buffer.elements;
        EXPECT_LE(shared, 2 * c.n * c.configuration.transforms * c.vectors);
        if (c.configuration.staged != SmemStaging::none) {
            EXPECT_LT(result.transferred,
                      1.12); // blocks start in the middle of a sector; entry 0 is separate
        }
    }
}

/// The most loads from the input that a thread issues before it stores one of them.
Integer loads_in_flight(const ir::Program& program, const ir::Body& body) {
    Integer most = 0;
    for (const ir::Statement& statement : body) {
        if (const auto* branch = std::get_if<ir::If>(&statement.node))
            most = std::max(
                {most, loads_in_flight(program, branch->then), loads_in_flight(program, branch->otherwise)});
        const auto* block = std::get_if<ir::StraightLineBlock>(&statement.node);
        if (block == nullptr) continue;
        Integer loads = 0;
        for (const ir::Value value : block->operations) {
            const ir::Operation& operation = program[value];
            if (operation.opcode == ir::Opcode::store) loads = 0;
            if (operation.opcode == ir::Opcode::load &&
                program.buffers[static_cast<std::size_t>(operation.address.buffer)].name == "input")
                most = std::max(most, ++loads);
        }
    }
    return most;
}

/// Whether threads idle, or the last block lacks transforms: a branch for several entries, not one for each.
TEST(LoweringToGpus, CopiesUnderConditionsLoadSeveralEntriesBeforeTheyStore) {
    const LaunchConfiguration configurations[] = {
        {.threads = 63, .transforms = 21, .staged = SmemStaging::both},
        {.threads = 45, .transforms = 21, .staged = SmemStaging::in},
        {.threads = 63, .transforms = 21, .smem_vector_pad = 2, .staged = SmemStaging::in},
    };
    for (const Integer batch : {42, 50})
        for (const LaunchConfiguration& configuration : configurations) {
            const KernelRequest request = request_for(batched(batch, 45, "stockham(15,3)"));
            const ir::Program program = lower_to_gpu(request, {configuration}).front();
            EXPECT_EQ(loads_in_flight(program, program.body), 8) << batch << " " << configuration.threads;
            EXPECT_LT(run(request, configuration).error, 1e-6);
        }
}

TEST(LoweringToGpus, GivesProgramsThatVerify) {
    const ir::Program program =
        lower_to_gpu(request_for(batched(6, 256, "stockham(16,16)")), {{64, 4}}).front();
    EXPECT_EQ(program.launch, (ir::Launch{{2, 1, 1}, {64, 1, 1}}));
    ir::verify(program, ir::VerificationLevel::lowered);
}

} // namespace gpu_lowering_test
} // namespace swirl::lower

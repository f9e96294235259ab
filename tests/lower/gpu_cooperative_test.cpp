#include "base/error.hpp"
#include "ir/verify.hpp"
#include "lower/gpu/cooperative.hpp"
#include "support/interpreted_kernels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace swirl::lower {
namespace gpu_cooperative_test {

using namespace formula;
using Half = ir::Barrier::Half;

using support::request_for;

ir::Program grouped(const KernelRequest& request, const std::vector<LaunchConfiguration>& configurations) {
    const std::vector<ir::Program> programs = lower_to_gpu(request, configurations);
    EXPECT_EQ(programs.size(), 1U);
    return programs.front();
}

struct Outcome {
    double error;
    ir::InterpreterReport report;
};

/// With counters that begin at zero and scratch that begins with nothing.
Outcome run(const KernelRequest& request, const ir::Program& program, bool throws = true) {
    support::InterpretedKernels result =
        support::interpreted(request, {program}, support::random_values(), throws);
    return {result.error, std::move(result.reports.front())};
}

struct Case {
    Integer batch, n;
    const char* tree;
    std::vector<LaunchConfiguration> configurations;
};

LaunchConfiguration configuration_of(Integer threads, Integer transforms, Integer group, Integer groups,
                                     bool held = true, bool ahead = false) {
    return {.threads = threads,
            .transforms = transforms,
            .smem_pad_interval = 32,
            .smem_vector_pad = 1,
            .single_buffer = held,
            .group_blocks = group,
            .cooperative_groups = groups,
            .pipelined = ahead};
}

TEST(GroupsOfBlocks, HaveOneTransformAfterTheOtherBetweenThem) {
    const Case cases[] = {
        {4, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 4, 4, 2)}},
        {5, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 4, 4, 2)}},
        {1, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 4, 4, 1)}},
        {2, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 4, 2, 4)}},
        {6, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 2, 8, 2, false)}},
        {6, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 4, 2, 2)}},
        {6, 256, "two-sweep(16,1,1)[stockham(4,4)]", {configuration_of(16, 4, 3, 2)}},
        {5, 512, "two-sweep(16,1,1)[stockham(8,4), stockham(4,4)]", {configuration_of(32, 4, 4, 2)}},
        {3,
         400,
         "two-sweep(20,1,1)[stockham(5,4)]",
         {configuration_of(20, 5, 4, 2, false), configuration_of(20, 4, 4, 2)}},
    };
    for (const Case& c : cases)
        for (const bool ahead : {false, true}) {
            std::vector<LaunchConfiguration> configurations = c.configurations;
            configurations[0].pipelined = ahead;
            const KernelRequest request = request_for(c.batch, c.n, c.tree);
            const ir::Program program = grouped(request, configurations);
            ir::verify(program, ir::VerificationLevel::lowered);
            EXPECT_EQ(program.launch.cooperative_group, configurations[0].group_blocks);
            EXPECT_EQ(program.launch.blocks[0],
                      configurations[0].group_blocks * configurations[0].cooperative_groups);
            EXPECT_LT(run(request, program).error, 1e-6) << c.batch << " " << c.n << " " << ahead;
        }
}

TEST(GroupsOfBlocks, ReadAndWriteTheCallersMemoryOnce) {
    const KernelRequest request = request_for(4, 1024, "two-sweep(32,1,1)[stockham(8,4)]");
    const ir::Program program = grouped(request, {configuration_of(32, 8, 4, 2)});
    const ir::InterpreterReport report = run(request, program).report;
    for (std::size_t b = 0; b < program.buffers.size(); ++b) {
        const ir::BufferInfo& buffer = program.buffers[b];
        EXPECT_EQ(buffer.non_temporal, buffer.space == ir::Space::argument) << buffer.name;
        if (buffer.space == ir::Space::argument) {
            EXPECT_EQ(report.loads[b].sectors + report.stores[b].sectors, 4 * 1024 * 8 / 32) << buffer.name;
        }
        if (buffer.space == ir::Space::scratch && !buffer.zeroed) {
            EXPECT_EQ(buffer.elements, 2 * 1024 * 2);
        }
    }
}

/// The program without one of its barriers of groups.
ir::Program without_barrier(ir::Program program, int index) {
    const std::function<void(ir::Body&)> visit = [&](ir::Body& body) {
        for (std::size_t k = 0; k < body.size(); ++k) {
            if (auto* loop = std::get_if<ir::For>(&body[k].node)) visit(loop->body);
            if (auto* branch = std::get_if<ir::If>(&body[k].node)) {
                visit(branch->then);
                visit(branch->otherwise);
            }
            const auto* barrier = std::get_if<ir::Barrier>(&body[k].node);
            if (barrier == nullptr || !barrier->of_cooperative_group || index-- != 0) continue;
            body[k].node = ir::Barrier{};
        }
    };
    visit(program.body);
    return program;
}

TEST(GroupsOfBlocks, RaceWithoutBarriers) {
    const KernelRequest request = request_for(4, 256, "two-sweep(16,1,1)[stockham(4,4)]");
    const ir::Program program = grouped(request, {configuration_of(16, 4, 4, 2)});
    // They wait before overwriting data that others may still read, synchronize between the regions, and arrive after
    // reading.
    EXPECT_TRUE(run(request, program, false).report.ok());
    for (const int index : {0, 1})
        EXPECT_FALSE(run(request, without_barrier(program, index), false).report.ok()) << index;
    const ir::Program ahead = grouped(request, {configuration_of(16, 4, 4, 2, true, true)});
    EXPECT_TRUE(run(request, ahead, false).report.ok());
    EXPECT_FALSE(run(request, without_barrier(ahead, 0), false).report.ok());
}

TEST(GroupsOfBlocks, AreRefusedWhereTheyDoNotFit) {
    const auto refused = [](const KernelRequest& request,
                            const std::vector<LaunchConfiguration>& configurations) {
        try {
            lower_to_gpu(request, configurations);
        } catch (const UserError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto has = [](const std::string& text, const char* words) {
        return text.find(words) != std::string::npos;
    };
    const KernelRequest in_two = request_for(4, 256, "two-sweep(16,1,1)[stockham(4,4)]");
    EXPECT_TRUE(has(refused(request_for(4, 64, "stockham(8,8)"), {configuration_of(16, 1, 4, 2)}),
                    "leave out 'group_blocks'"));
    EXPECT_TRUE(has(refused(in_two, {configuration_of(16, 4, 4, 2), configuration_of(32, 4, 4, 2)}),
                    "16 and 32 threads"));
    EXPECT_TRUE(has(refused(in_two, {configuration_of(16, 3, 4, 2)}), "use a divisor"));
    EXPECT_TRUE(has(refused(in_two, {configuration_of(16, 4, 4, 2), configuration_of(16, 4, 4, 2),
                                     configuration_of(16, 4, 4, 2)}),
                    "for 2 regions"));
    const Formula transform = rules::expand(DFT(256), rules::parse_tree("two-sweep(16,1,1)[stockham(4,4)]"));
    KernelRequest nested = in_two;
    nested.loops.formula = kron({I(2), transform, I(2)});
    EXPECT_TRUE(has(refused(nested, {configuration_of(16, 4, 4, 2, true, true)}), "'pipelined'"));
}

} // namespace gpu_cooperative_test
} // namespace swirl::lower

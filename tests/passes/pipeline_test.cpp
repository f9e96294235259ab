// Random kernels through the whole pipeline: the interpreter, after each pass, gives what it gave before.

#include "passes/pipeline.hpp"

#include "passes/random_program.hpp"
#include "passes/support.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace swirl::passes {
namespace pipeline_test {

void expect_every_pass_to_keep_results(const ir::Program& program, const Context& context,
                                       std::span<const Pass> passes, unsigned seed, double tolerance) {
    const auto expected = run_on_integers(program, seed);
    ir::Program previous = program;
    for (const Pass& pass : passes) {
        const ir::Program next = run(previous, context, std::span(&pass, 1));
        const auto report = [&](const std::string& what) {
            return fmt::format("after pass '{}', seed {}: {}\nbefore:\n{}\nafter:\n{}", pass.name, seed, what,
                               ir::to_string(previous), ir::to_string(next));
        };
        try {
            for (const auto& [name, values] : run_on_integers(next, seed))
                for (std::size_t i = 0; i < values.size(); ++i)
                    ASSERT_NEAR(values[i], expected.at(name)[i], tolerance)
                        << report(fmt::format("{}[{}]", name, i));
        } catch (const std::exception& error) {
            FAIL() << report(error.what());
        }
        previous = next;
    }
}

/// Without the one pass that multiplies by quotients of constants.
std::vector<Pass> exact_passes_for(const target::Cpu& cpu) {
    std::vector<Pass> passes = passes_for(cpu);
    std::erase_if(passes, [](const Pass& pass) { return pass.name == "carry scale factors"; });
    return passes;
}

TEST(Pipeline, KeepsResultsForAnyLanes) {
    for (unsigned seed = 1; seed < 400; ++seed) {
        std::mt19937 random(seed);
        const int lanes = 2 << (seed % 4);
        const int trips = std::uniform_int_distribution<int>(1, lanes)(random);
        const bool doubles = seed / 4 % 2 == 0;
        const ir::Program program =
            RandomProgram(seed, {.scalar = doubles ? DataType::float64 : DataType::float32,
                                 .trips = trips,
                                 .bits = doubles ? 40 : 18})
                .make();
        const Context context{&target::portable_cpu(), lanes};
        expect_every_pass_to_keep_results(program, context, exact_passes_for(target::avx512_cpu()), seed, 0);
        if (HasFatalFailure()) return;
    }
}

TEST(Pipeline, KeepsResultsUpToRoundingOnEveryCpu) {
    for (const target::Cpu* cpu : target::cpus())
        for (unsigned seed = 1; seed < 100; ++seed) {
            const bool doubles = seed % 2 == 0;
            const auto scalar = doubles ? DataType::float64 : DataType::float32;
            const int lanes = target::lanes(*cpu, scalar);
            const int trips = seed % 3 == 0 ? 1 + static_cast<int>(seed) % lanes : lanes;
            const ir::Program program =
                RandomProgram(seed, {.scalar = scalar, .trips = trips, .bits = 12}).make();
            const double rounding = 64 * std::ldexp(1.0, 12 - (doubles ? 53 : 24));
            expect_every_pass_to_keep_results(program, {cpu, lanes}, passes_for(*cpu), seed, rounding);
            if (HasFatalFailure()) return;
        }
}

TEST(Pipeline, GivesTheProgramOfRunningEveryPass) {
    const target::Cpu& cpu = target::avx512_cpu();
    int unchanged = 0;
    for (unsigned seed = 1; seed < 200; ++seed) {
        const ir::Program program = RandomProgram(seed, {.trips = 8}).make();
        const Context context{&cpu, 8};
        ir::Program all = program;
        for (const Pass& pass : passes_for(cpu)) {
            const std::string before = ir::to_string(all);
            if (pass.function(all, context)) continue;
            ++unchanged;
            ASSERT_EQ(before, ir::to_string(all))
                << "'" << pass.name << "' says that it changes nothing, seed " << seed;
        }
        ASSERT_EQ(ir::to_string(run(program, context, passes_for(cpu))), ir::to_string(all))
            << "seed " << seed;
    }
    EXPECT_GT(unchanged, 0);
}

int idempotent_runs = 0;

TEST(Pipeline, LeavesOutAnIdempotentPassWhileNothingChanges) {
    const auto level = ir::VerificationLevel::lowered;
    const Pass idempotent{"idempotent",
                          [](ir::Program&, const Context&) {
                              ++idempotent_runs;
                              return true;
                          },
                          level, true};
    const Pass changes{"changes", [](ir::Program&, const Context&) { return true; }, level};
    const Pass finds_nothing{"finds nothing", [](ir::Program&, const Context&) { return false; }, level};
    const auto runs_in = [&](const std::vector<Pass>& passes) {
        idempotent_runs = 0;
        int observed = 0;
        run(RandomProgram(1, {}).make(), {&target::portable_cpu(), 4}, passes,
            [&](const Pass&, const ir::Program&) { ++observed; });
        EXPECT_EQ(observed, std::ssize(passes));
        return idempotent_runs;
    };
    EXPECT_EQ(runs_in({idempotent}), 1);
    EXPECT_EQ(runs_in({idempotent, idempotent}), 1);
    EXPECT_EQ(runs_in({idempotent, finds_nothing, idempotent}), 1);
    EXPECT_EQ(runs_in({idempotent, changes, finds_nothing, idempotent, idempotent}), 2);
    EXPECT_EQ(runs_in({finds_nothing, idempotent}), 1);
}

} // namespace pipeline_test
} // namespace swirl::passes

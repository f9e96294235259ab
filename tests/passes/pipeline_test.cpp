// Random kernels through the whole pipeline: the interpreter, after each pass, gives what it gave before, exactly.

#include "passes/pipeline.hpp"

#include "passes/random_program.hpp"
#include "passes/support.hpp"

#include <string>

namespace swirl::passes {
namespace {

void expect_every_pass_to_keep_results(const ir::Program& program, const Context& context,
                                       std::span<const Pass> passes, unsigned seed) {
    const auto expected = run_on_integers(program, seed);
    ir::Program previous = program;
    for (const Pass& pass : passes) {
        const ir::Program next = run(previous, context, std::span(&pass, 1));
        std::map<std::string, std::vector<double>> got;
        try {
            got = run_on_integers(next, seed);
        } catch (const std::exception& error) {
            FAIL() << "after pass '" << pass.name << "', seed " << seed << ": " << error.what()
                   << "\nbefore:\n"
                   << ir::to_string(previous) << "\nafter:\n"
                   << ir::to_string(next);
        }
        ASSERT_EQ(expected, got) << "after pass '" << pass.name << "', seed " << seed << "\nbefore:\n"
                                 << ir::to_string(previous) << "\nafter:\n"
                                 << ir::to_string(next);
        previous = next;
    }
}

TEST(Pipeline, KeepsTheResultsOfRandomKernelsForEveryNumberOfLanes) {
    const unsigned first_seed = 1;
    for (unsigned seed = first_seed; seed < first_seed + 400; ++seed) {
        std::mt19937 random(seed);
        const int lanes = 2 << (seed % 4);
        const int trips = std::uniform_int_distribution<int>(1, lanes)(random);
        const auto scalar = seed / 4 % 2 == 0 ? ir::Scalar::float64 : ir::Scalar::float32;
        const ir::Program program = RandomProgram(seed, {.scalar = scalar, .trips = trips}).make();
        const Context context{&target::portable_cpu(), lanes};
        std::vector<Pass> passes = passes_for(target::avx512_cpu());
        expect_every_pass_to_keep_results(program, context, passes, seed);
        if (HasFatalFailure()) return;
    }
}

TEST(Pipeline, KeepsTheResultsOfRandomKernelsForEveryCpu) {
    for (const target::Cpu* cpu : target::cpus())
        for (unsigned seed = 1; seed < 60; ++seed) {
            const auto scalar = seed % 2 == 0 ? ir::Scalar::float64 : ir::Scalar::float32;
            const int lanes = target::lanes(*cpu, scalar);
            const int trips = seed % 3 == 0 ? 1 + static_cast<int>(seed) % lanes : lanes;
            const ir::Program program = RandomProgram(seed, {.scalar = scalar, .trips = trips}).make();
            expect_every_pass_to_keep_results(program, {cpu, lanes}, passes_for(*cpu), seed);
            if (HasFatalFailure()) return;
        }
}

} // namespace
} // namespace swirl::passes

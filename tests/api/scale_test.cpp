// Scales next to the largest finite value, on every CPU that this machine can run, against the definition.

#include <swirl/swirl.hpp>

#include "api/expectation.hpp"
#include "api/places.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace scale_test {

using definition::LongComplex;
using definition::Places;

/// The input is so small that nothing a fast transform adds up on the way to its results, which do not overflow, has to.
template <class T> void expect_right(const std::string& text, const std::string& cpu) {
    const swirl::Transform problem = swirl::problem(text);
    const Places input(problem, true), output(problem, false);
    definition::Expectation expected = definition::expectation_for(problem);
    const long double entries = 2; // the largest of a transform's matrix
    long double sum = 0;
    for (const LongComplex& x : expected.input) sum += std::abs(x);
    const long double headroom =
        std::numeric_limits<T>::max() / (4 * entries * sum * std::abs(problem.scale));
    const long double amplitude = std::ldexp(1.0L, std::ilogb(headroom));
    for (auto* side : {&expected.input, &expected.output})
        for (LongComplex& value : *side) value *= amplitude;

    std::vector<T> in(input.scalars()), out(output.scalars());
    input.write(in, expected.input);
    const swirl::Plan plan = swirl::plan(problem, {.cpu = cpu, .use_wisdom = false});
    definition::execute(plan, input, in.data(), output, out.data());
    const long double unit =
        std::numeric_limits<T>::epsilon() *
        std::sqrt(std::log2(static_cast<long double>(definition::points_of(problem)) + 2));
    EXPECT_LT(definition::relative_error(output.read(out), expected.output), 2 * unit)
        << text << ", " << cpu << ": " << plan.schedule();
}

TEST(LargestScale, GivesWhatTheDefinitionDoes) {
    for (const swirl::target::Cpu* cpu : swirl::target::cpus()) {
        if (!swirl::target::host_can_run(*cpu)) continue;
        const std::string name(cpu->name);
        for (const char* problem : {"dft 64",
                                    "dft 30 backward",
                                    "dft 8x12",
                                    "dft 101",
                                    "dft 103",
                                    "dft 47 batch=3",
                                    "dft 257",
                                    "rdft 74",
                                    "rdft 128",
                                    "rdft 97",
                                    "rdft 6x10",
                                    "rdft 60 backward",
                                    "rdft 101 backward",
                                    "dct2 60",
                                    "dct2 64",
                                    "dct2 97",
                                    "dct3 64",
                                    "dct3 75",
                                    "dct4 74",
                                    "dct4 64",
                                    "dct4 75",
                                    "dct4 74x4",
                                    "dst2 45",
                                    "dst3 62",
                                    "dst4 74",
                                    "dst4 101",
                                    "wht 64",
                                    "dct2 1",
                                    "dst2 1x12",
                                    "dct4 6x1"}) {
            expect_right<double>(std::string(problem) + " scale=1.7e308", name);
            expect_right<double>(std::string(problem) + " scale=-1.7976931348623157e308", name);
            expect_right<float>(std::string(problem) + " float32 scale=3e38", name);
            expect_right<float>(std::string(problem) + " float32 scale=-3.4028234e38", name);
        }
    }
}

} // namespace scale_test

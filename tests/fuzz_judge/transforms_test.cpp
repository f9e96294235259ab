#include "fuzz/transforms.hpp"

#include "cli/epsilon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>

/// Plans that are wrong on purpose: what the fuzz would not find is worth nothing.
namespace swirl::fuzz {
namespace transforms_test {

/// As workers do: what is planned through C or multiplied is for this CPU too.
const int for_this_cpu = setenv("SWIRL_CPU", "portable", 1);

using Fault = std::function<void(TransformData&, GuardedMemory& workspace)>;

/// The kind of failure that a case with a fault ends with, planted after execution number `execution` of it; "" where
/// it found none. Nothing where the case has no such execution.
std::optional<std::string> found(const Transform& problem, std::uint64_t seed, int execution,
                                 const Fault& fault) {
    static const auto record = std::make_unique<Record>();
    Journal journal(*record);
    int executions = 0;
    Setting setting{.cpu = "portable"};
    setting.tampering.transform = [&](TransformData& data, GuardedMemory& workspace) {
        if (executions++ == execution) fault(data, workspace);
    };
    Random random(seed);
    try {
        run_transform(problem, random, setting, journal);
    } catch (const Failure& failure) {
        return failure.kind;
    }
    return executions > execution ? std::optional<std::string>("") : std::nullopt;
}

constexpr const char* problems[] = {
    "dft 64",    "dft 60 float32 batch=3 inplace", "dft 12x10 backward planar scale=0.25",
    "rdft 48x6", "rdft 90 backward scale=0.0111",  "wht 16x4",
    "dct2 33",   "dst3 20 float32 batch=5",        "dft 16 in=-3 out=5",
    "dft 4096",
};

/// Seeds by which cases also plan from the schedule, from C and the inverse.
constexpr int seeds = 12, executions = 6;

/// Every fault that is planted is found, as one of these kinds.
void expect_found(const Fault& fault, const std::set<std::string>& kinds) {
    int planted = 0;
    for (const char* text : problems)
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            for (int execution = 0; execution < executions; ++execution)
                if (const auto kind = found(parse_transform(text), seed, execution, fault)) {
                    EXPECT_TRUE(kinds.contains(*kind))
                        << text << ", seed " << seed << ", execution " << execution << ": '" << *kind << "'";
                    ++planted;
                }
    EXPECT_GT(planted,
              static_cast<int>(std::size(problems)) * seeds * 3 / 2); // not only after first executions
}

/// Changes one element of the results by so many tolerances of a typical one.
Fault one_element_off(double tolerances) {
    return [=](TransformData& data, GuardedMemory&) {
        Values values = data.elements(From::output);
        long double norm = 0;
        for (const Complex& value : values) norm += std::norm(value);
        const long double typical = std::sqrt(norm / static_cast<long double>(values.size()));
        const double points = static_cast<double>(data.transform().points());
        const long double unit =
            cli::epsilon_of(data.problem().precision) * std::sqrt(std::log2(std::max(points, 2.0)));
        values[values.size() / 2] += 4 * tolerances * unit * typical;
        data.set(From::output, values);
    };
}

/// A write beyond a fence would end the program, which workers find.
void write(GuardedMemory& array, Integer offset) {
    using enum GuardedMemory::Fence;
    if ((array.fence() == before && offset < array.lowest()) ||
        (array.fence() == behind && offset >= array.end()))
        throw Failure("crash", "");
    array.origin()[offset] ^= std::byte{1};
}

Fault written(From side, Integer (*offset)(const GuardedMemory&)) {
    return [=](TransformData& data, GuardedMemory&) {
        GuardedMemory& array = *data.arrays(side).back();
        write(array, offset(array));
    };
}

TEST(FuzzOfTransforms, FindsNothingWhereNothingIsWrong) {
    for (const char* text : problems)
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            EXPECT_EQ(found(parse_transform(text), seed, 0, [](TransformData&, GuardedMemory&) {}), "")
                << text;
}

/// With the stride 0 all stored elements are one: the outputs are n·x and zeros, of which the real component stays.
TEST(FuzzOfTransforms, AllowsTheRoundingOfImaginaryComponentsThatAreDropped) {
    const Transform problem = parse_transform("rdft 1418x1 backward float32 in=(0,1) batch=55:(1,1418)");
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        EXPECT_EQ(found(problem, seed, 0, [](TransformData&, GuardedMemory&) {}), "") << "seed " << seed;
}

/// One unit in the last place of results as float16, and 100 of them, relative to each expected result.
TEST(FuzzOfTransforms, AllowsTheRoundingOfSubnormalResultsOnly) {
    const auto is_close = [](long double expected, long double found) {
        try {
            require_close(parse_transform("wht 4 float16"), {1e-3L * expected, found, 0, 0},
                          {.outputs = {1e-3L * expected, expected, 0, 0}}, 4);
            return true;
        } catch (const Failure&) {
            return false;
        }
    };
    EXPECT_TRUE(is_close(0x1p-20L, 0x1.5p-20L));
    EXPECT_FALSE(is_close(0x1p-20L, 0x1p-16L)) << "more than the units that subnormal numbers round to";
    EXPECT_FALSE(is_close(0x1p-13L, 0x1.05p-13L)) << "a normal number";
    EXPECT_FALSE(is_close(0x1p-20L, 0x1p-10L));
}

TEST(FuzzOfTransforms, FindsOneElementThatIsOff) {
    expect_found(one_element_off(1000), {"wrong", "inaccurate", "other bits"});
}

TEST(FuzzOfTransforms, FindsANaN) {
    expect_found(
        [](TransformData& data, GuardedMemory&) {
            Values values = data.elements(From::output);
            values.back() = std::nanl("");
            data.set(From::output, values);
        },
        {"wrong", "other bits"});
}

TEST(FuzzOfTransforms, FindsResultsThatNobodyWrote) {
    expect_found(
        [](TransformData& data, GuardedMemory&) {
            data.set(From::output, Values(data.elements(From::output).size(), Complex(0)));
        },
        {"wrong", "other bits"});
}

TEST(FuzzOfTransforms, FindsAFactorThatIsMissing) {
    expect_found(
        [](TransformData& data, GuardedMemory&) {
            Values values = data.elements(From::output);
            for (Complex& value : values) value *= static_cast<long double>(data.transform().points());
            data.set(From::output, values);
        },
        {"wrong", "other bits"});
}

TEST(FuzzOfTransforms, FindsOneTransformOfABatchThatIsWrong) {
    const Fault last_is_the_first = [](TransformData& data, GuardedMemory&) {
        Values values = data.elements(From::output);
        const auto each = static_cast<std::ptrdiff_t>(values.size() / data.transforms());
        std::copy(values.begin(), values.begin() + each, values.end() - each);
        data.set(From::output, values);
    };
    for (const char* text : {"dft 60 float32 batch=3 inplace", "dft 8 batch=1000", "dct4 5 batch=2x3"})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            EXPECT_EQ(found(parse_transform(text), seed, 0, last_is_the_first), "wrong") << text;
}

TEST(FuzzOfTransforms, FindsWritesOutsideOfArrays) {
    const std::set<std::string> kinds = {"guard zone", "crash"};
    for (const From side : {From::input, From::output}) {
        expect_found(written(side, [](const GuardedMemory& array) { return array.end(); }), kinds);
        expect_found(written(side, [](const GuardedMemory& array) { return array.lowest() - 1; }), kinds);
        expect_found(written(side, [](const GuardedMemory& array) { return array.end() + 4000; }), kinds);
    }
}

TEST(FuzzOfTransforms, FindsWritesOutsideOfTheWorkspace) {
    const std::set<std::string> kinds = {"guard zone", "crash"};
    for (const char* text : {"dft 4096", "dft 1009", "rdft 64x48"})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const Transform problem = parse_transform(text);
            const Fault behind = [](TransformData&, GuardedMemory& workspace) {
                write(workspace, workspace.end());
            };
            const Fault before = [](TransformData&, GuardedMemory& workspace) { write(workspace, -1); };
            for (const Fault& fault : {behind, before})
                EXPECT_TRUE(kinds.contains(found(problem, seed, 0, fault).value_or("none"))) << text;
        }
}

TEST(FuzzOfTransforms, FindsWritesIntoGaps) {
    const auto gap = [](const GuardedMemory& array) { return array.lowest() + 16; };
    for (const char* text : {"dft 16 in=2 out=2", "dft 7 inplace strides=-3", "dct2 9 strides=4"})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            for (const From side : {From::input, From::output})
                EXPECT_EQ(found(parse_transform(text), seed, 0, written(side, gap)), "written outside")
                    << text;
}

TEST(FuzzOfTransforms, FindsAnInputThatChanged) {
    for (const char* text : {"dft 64", "rdft 48x6", "rdft 90 backward", "dct2 33", "dft 6 planar"})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            EXPECT_EQ(found(parse_transform(text), seed, 0,
                            written(From::input, [](const GuardedMemory&) { return Integer{0}; })),
                      "written outside")
                << text;
}

TEST(FuzzOfTransforms, FindsBitsThatDependOnHowAPlanCame) {
    int planted = 0;
    for (std::uint64_t seed = 1; seed <= 4 * seeds; ++seed) {
        const auto last_bit = [&](TransformData& data, GuardedMemory&) {
            data.real(From::output)[0] ^= std::byte{1};
        };
        // The second execution is one from the schedule or through C, or the inverse, to which a bit makes no difference.
        const auto kind = found(parse_transform("wht 16x4"), seed, 1, last_bit);
        planted += kind == "other bits" ? 1 : 0;
    }
    EXPECT_GT(planted, seeds / 2);
}

} // namespace transforms_test
} // namespace swirl::fuzz

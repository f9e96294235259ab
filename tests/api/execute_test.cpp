#include <swirl/swirl.hpp>

#include "api/definition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace execute_test {

using definition::Array;
using definition::LongComplex;

template <class T> std::vector<LongComplex> random_values(std::size_t count, bool complex = true) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<LongComplex> values(count);
    for (LongComplex& value : values) {
        const T real = uniform(generator);
        value = {real, complex ? uniform(generator) : T(0)};
    }
    return values;
}

/// Runs an interleaved complex problem through the C++ interface and compares with the definition.
template <class T> void expect_right(const std::string& text) {
    const swirl::Transform problem = swirl::problem(text);
    const bool in_place = problem.placement == swirl::Placement::in_place;
    Array<std::complex<T>> input(problem, true), output(problem, false);
    const auto x = random_values<T>(input.size());
    for (std::size_t i = 0; i < x.size(); ++i) input[i] = std::complex<T>(x[i]);

    swirl::plan(problem).execute(input.data(), in_place ? input.data() : output.data());

    std::vector<LongComplex> y;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(LongComplex(in_place ? input[i] : output[i]));
    const long double unit = std::numeric_limits<T>::epsilon() * std::sqrt(std::log2(x.size() + 2.0L));
    EXPECT_LT(definition::relative_error(y, definition::dft(problem, x)), 2 * unit) << text;
}

void expect_right(const std::string& text) {
    expect_right<double>(text);
    expect_right<float>(text + " float32");
}

TEST(Execute, EqualsTheDefinitionForSmallSizes) {
    for (int n = 1; n <= 40; ++n)
        for (const char* options : {"", " backward", " inplace", " inplace backward"})
            expect_right("dft " + std::to_string(n) + options);
}

TEST(Execute, ScalesTheResult) {
    expect_right("dft 30 scale=0.25");
    expect_right("dft 64 backward inplace scale=1/64");
}

TEST(Execute, TransformsSeveralDimensions) {
    for (const char* lengths : {"4x8", "16x16", "5x7", "1x9", "3x4x5", "8x1x8", "2x3x4x5"})
        for (const char* options : {"", " backward", " inplace"})
            expect_right(std::string("dft ") + lengths + options);
}

TEST(Execute, FollowsStridesAndBatches) {
    for (const char* text : {
             "dft 16 in=3 out=2",
             "dft 16 in=-1",
             "dft 15 in=2 out=-3",
             "dft 8 batch=5",
             "dft 8 batch=5:9",
             "dft 12 batch=7:(12,16)",
             "dft 16 in=5 out=5 batch=5:1",
             "dft 16 strides=3 batch=3:1 inplace",
             "dft 32 batch=2x3",
             "dft 6x10 in=(1,6)",
             "dft 6x10 strides=(-1,6) inplace",
             "dft 4x4 batch=3 backward",
         })
        expect_right(text);
}

// ---- arguments ----------------------------------------------------------------------------------------------

/// What UserError says, and that nothing was written to `untouched`.
template <class T, class F> std::string complaint(const std::vector<T>& untouched, F&& f) {
    const std::vector<T> before = untouched;
    try {
        f();
    } catch (const swirl::UserError& error) {
        EXPECT_EQ(untouched, before) << "written before the error";
        return error.what();
    }
    return "no error";
}

#define EXPECT_MENTIONS(message, words) EXPECT_NE((message).find(words), std::string::npos) << (message)

TEST(Arguments, OfAnotherTypeAreNamed) {
    const swirl::Plan plan = swirl::plan("dft 8");
    std::vector<std::complex<float>> floats(16, 1.0F);
    std::string message = complaint(floats, [&] { plan.execute(floats.data(), floats.data() + 8); });
    EXPECT_MENTIONS(message, "input");
    EXPECT_MENTIONS(message, "std::complex<float>");
    EXPECT_MENTIONS(message, "std::complex<double>");
    EXPECT_MENTIONS(message, "dft 8");

    std::vector<double> reals(32, 1.0);
    message = complaint(reals, [&] { plan.execute(reals.data(), reals.data() + 16); });
    EXPECT_MENTIONS(message, "input is an array of double");
}

TEST(Arguments, OfAnotherDataTypeAreRefused) {
    const swirl::Plan plan = swirl::plan("dft 8");
    std::vector<double> reals(32, 1.0);
    double* const p = reals.data();
    const std::string message = complaint(reals, [&] { plan.execute(p, p + 8, p + 16, p + 24); });
    EXPECT_MENTIONS(message, "4 arrays");
    EXPECT_MENTIONS(message, "2: input, output");
}

TEST(Arguments, ThatAreNullAreNamed) {
    const swirl::Plan plan = swirl::plan("dft 8");
    std::vector<std::complex<double>> data(8, 1.0);
    const std::complex<double>* const no_input = nullptr;
    std::complex<double>* const no_output = nullptr;
    EXPECT_MENTIONS(complaint(data, [&] { plan.execute(no_input, data.data()); }), "input");
    EXPECT_MENTIONS(complaint(data, [&] { plan.execute(data.data(), no_output); }), "output");
}

TEST(Arguments, ThatOverlapAreRefused) {
    std::vector<std::complex<double>> data(16, 1.0);
    const swirl::Plan out_of_place = swirl::plan("dft 8");
    EXPECT_MENTIONS(complaint(data, [&] { out_of_place.execute(data.data(), data.data()); }), "overlap");
    EXPECT_MENTIONS(complaint(data, [&] { out_of_place.execute(data.data(), data.data() + 7); }), "overlap");
    const swirl::Plan in_place = swirl::plan("dft 8 inplace");
    EXPECT_NE(complaint(data, [&] { in_place.execute(data.data(), data.data() + 8); }), "no error");
}

/// As FFTW accepts it: from the even elements of an array to the odd ones.
TEST(Arguments, MayInterleaveWithoutSharingElements) {
    using Complex = std::complex<double>;
    for (const char* size : {"8", "1024", "5000", "65536"}) {
        const std::string text = "dft " + std::string(size);
        const std::size_t n = std::stoul(size);
        std::vector<Complex> x(n), expected(n), z(2 * n);
        const auto values = random_values<double>(n);
        for (std::size_t i = 0; i < n; ++i) z[2 * i] = x[i] = Complex(values[i]);
        swirl::plan(text).execute(x, expected);
        const swirl::Plan plan = swirl::plan(text + " strides=2");
        plan.execute(z.data(), z.data() + 1);
        long double error = 0, norm = 0;
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(z[2 * i], x[i]) << "the input of " << text << " was written at " << i;
            error += std::norm(z[2 * i + 1] - expected[i]);
            norm += std::norm(expected[i]);
        }
        EXPECT_LT(std::sqrt(error / norm), 1e-15L) << text;
        EXPECT_MENTIONS(complaint(z, [&] { plan.execute(z.data(), z.data() + 2); }), "overlap");
    }
}

TEST(Arguments, OfAProductMayBeBlocksOfOneMatrix) {
    for (const std::size_t m : {4, 60, 300}) {
        const std::size_t rows = 3 * m; // A, B and C one below the other
        std::vector<double> all(rows * m), before(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i * 7 % 13) - 6;
        before = all;
        const std::string strides = "1:" + std::to_string(rows), size = std::to_string(m);
        const swirl::Plan plan = swirl::plan("gemm " + size + "x" + size + "x" + size + " a=" + strides +
                                             " b=" + strides + " c=" + strides);
        plan.execute(1, all.data(), all.data() + m, 1, all.data() + 2 * m);
        for (std::size_t j = 0; j < m; j += 1 + m / 7)
            for (std::size_t i = 0; i < rows; ++i) {
                double expected = before[i + j * rows];
                for (std::size_t k = 0; k < m && i >= 2 * m; ++k)
                    expected += before[i - 2 * m + k * rows] * before[m + k + j * rows];
                ASSERT_EQ(all[i + j * rows], expected) << i << ", " << j << " of " << m;
            }
        EXPECT_MENTIONS(
            complaint(all, [&] { plan.execute(1, all.data(), all.data() + m, 1, all.data() + m); }),
            "overlap");
    }
}

TEST(Arguments, ThatAreMisalignedAreRefused) {
    std::vector<std::complex<double>> data(17, 1.0);
    auto* const crooked =
        reinterpret_cast<std::complex<double>*>(reinterpret_cast<std::uintptr_t>(data.data()) + 4);
    const swirl::Plan plan = swirl::plan("dft 8");
    EXPECT_MENTIONS(complaint(data, [&] { plan.execute(data.data() + 8, crooked); }), "output");
}

TEST(Workspace, ThatDoesNotFitIsRefused) {
    const swirl::Plan plan = swirl::plan("dft 2039"); // a convolution longer than the array of results
    ASSERT_GT(plan.workspace_bytes(), 0U);
    std::vector<std::complex<double>> x(2039, 1.0), y(2039);
    std::vector<std::byte> memory(plan.workspace_bytes() + 128);
    std::byte* const aligned =
        memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    const auto run = [&](swirl::Workspace workspace) {
        return complaint(y, [&] { plan.execute(x.data(), y.data(), workspace); });
    };
    EXPECT_MENTIONS(run({aligned, plan.workspace_bytes() - 1}), "workspace");
    EXPECT_MENTIONS(run({aligned + 8, plan.workspace_bytes()}), "aligned");
    EXPECT_MENTIONS(run({nullptr, plan.workspace_bytes()}), "null");
    EXPECT_EQ(run({aligned, plan.workspace_bytes()}), "no error");
}

TEST(Workspace, OfTheCallerGivesTheSameBits) {
    const swirl::Plan plan = swirl::plan("dft 2039");
    std::vector<std::complex<double>> x(2039), y(2039), z(2039);
    const auto values = random_values<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::complex<double>(values[i]);
    ASSERT_GT(plan.workspace_bytes(), 0U);
    std::vector<std::byte> memory(plan.workspace_bytes() + 64);
    std::byte* const aligned =
        memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    plan.execute(x.data(), y.data());
    plan.execute(x.data(), z.data(), {aligned, plan.workspace_bytes()});
    EXPECT_EQ(y, z);
}

// ---- plans --------------------------------------------------------------------------------------------------

TEST(Plan, ServesManyThreadsAtOnceWithTheSameBits) {
    const swirl::Plan plan = swirl::plan("dft 1000");
    std::vector<std::complex<double>> x(1000), expected(1000);
    const auto values = random_values<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::complex<double>(values[i]);
    plan.execute(x.data(), expected.data());

    std::vector<int> differences(8, -1);
    std::vector<std::thread> threads;
    for (int& own : differences)
        threads.emplace_back([&, plan] {
            own = 0;
            for (int repetition = 0; repetition < 200; ++repetition) {
                std::vector<std::complex<double>> y(1000);
                plan.execute(x.data(), y.data());
                own += y == expected ? 0 : 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(differences, std::vector<int>(8, 0));
}

TEST(Plan, IsBuiltAgainFromItsSchedule) {
    const swirl::Plan plan = swirl::plan("dft 360 float32");
    const swirl::Plan again = swirl::plan("dft 360 float32", {.schedule = plan.schedule()});
    EXPECT_EQ(again.schedule(), plan.schedule());
    std::vector<std::complex<float>> x(360), y(360), z(360);
    const auto values = random_values<float>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::complex<float>(values[i]);
    plan.execute(x.data(), y.data());
    again.execute(x.data(), z.data());
    EXPECT_EQ(y, z);
}

TEST(Plan, TellsWhatItCosts) {
    const swirl::Plan plan = swirl::plan("dft 256 batch=3");
    EXPECT_EQ(swirl::to_text(plan.problem()), "dft 256 batch=3");
    EXPECT_GT(plan.flops(), 3 * 256 * 8.0);      // at least one operation an output and level
    EXPECT_LT(plan.flops(), 3 * 5 * 256 * 8.0);  // no more than radix 2 needs
    EXPECT_GE(plan.bytes(), 3 * 2 * 256 * 16.0); // all input read, all output written
}

TEST(Plan, OutlivesTheHandleItWasCopiedFrom) {
    auto first = std::make_unique<swirl::Plan>(swirl::plan("dft 4"));
    const swirl::Plan copy = *first;
    const swirl::Plan moved = std::move(*first);
    EXPECT_FALSE(*first);
    first.reset();
    std::vector<std::complex<double>> x(4, 1.0), y(4);
    copy.execute(x, y);
    EXPECT_EQ(y[0], 4.0);
    moved.execute(x, y);
    EXPECT_EQ(y[0], 4.0);
}

TEST(Plan, IsEmptyUntilOneIsAssigned) {
    struct Filter {
        swirl::Plan plan;
    } filter;
    EXPECT_FALSE(filter.plan);
    std::vector<std::complex<double>> x(4, 1.0), y(4);
    EXPECT_MENTIONS(complaint(y, [&] { filter.plan.execute(x, y); }), "the plan is empty");
    EXPECT_MENTIONS(complaint(y, [&] { filter.plan.execute(1, x, x, 0, y); }), "the plan is empty");
    EXPECT_MENTIONS(complaint(y, [&] { static_cast<void>(filter.plan.schedule()); }), "the plan is empty");
    filter.plan = swirl::plan("dft 4");
    EXPECT_TRUE(filter.plan);
    filter.plan.execute(x, y);
    EXPECT_EQ(y[0], 4.0);
}

TEST(Plan, SaysWhichExecuteItsProblemHas) {
    std::vector<double> x(16, 1.0), y(16);
    const swirl::Plan transform = swirl::plan("dct2 16"), product = swirl::plan("gemm 4x4x4");
    EXPECT_MENTIONS(complaint(y, [&] { transform.execute(1, x, x, 0, y); }), "call execute(input, output)");
    EXPECT_MENTIONS(complaint(y, [&] { product.execute(x, y); }), "call execute(alpha, a, b, beta, c)");
    product.execute(1, x, x, 0, y);
    EXPECT_EQ(y, std::vector<double>(16, 4.0));
    EXPECT_EQ(swirl::to_text(product.problem()), "gemm 4x4x4 float64");
    EXPECT_EQ(product.device(), swirl::Device::cpu());
    EXPECT_EQ(product.workspace_bytes(), 0U);
    EXPECT_GE(product.bytes(), 3 * 16 * 8.0);
    EXPECT_NE(transform.description(), "");
}

TEST(Arguments, ThatKnowTheirSizesAreChecked) {
    using Complex = std::complex<double>;
    std::vector<Complex> x(8, 1.0), y(8), small(7);
    const swirl::Plan plan = swirl::plan("dft 8");
    plan.execute(x, y);
    EXPECT_EQ(y[0], 8.0);
    plan.execute(std::span<const Complex>(x), std::span(y));
    EXPECT_MENTIONS(complaint(y, [&] { plan.execute(small, y); }), "input has 7 elements");
    EXPECT_MENTIONS(complaint(small, [&] { plan.execute(x, small); }), "it takes at least 8");
    EXPECT_MENTIONS(complaint(y, [&] { swirl::plan("dft 8 in=-1").execute(x, y); }), "give it as a pointer");
    std::vector<double> a(12, 1.0), b(20, 2.0), c(15), few(14);
    const swirl::Plan product = swirl::plan("gemm 3x5x4");
    product.execute(1, a, b, 0, c);
    EXPECT_EQ(c, std::vector<double>(15, 8.0));
    EXPECT_MENTIONS(complaint(few, [&] { product.execute(1, a, b, 0, few); }), "c has 14 elements");
    EXPECT_MENTIONS(complaint(c, [&] { product.execute(1, few, std::span(b).first(19), 0, c); }),
                    "b has 19 elements");
}

TEST(Arguments, OfOtherLibrariesTypesFitBySize) {
    struct Pair {
        double x, y;
    };
    std::vector<Pair> in(8, Pair{1, 0}), out(8);
    const swirl::Plan plan = swirl::plan("dft 8");
    plan.execute(in.data(), out.data());
    EXPECT_EQ(out[0].x, 8);
    double pairs[8][2] = {}, spectrum[8][2]; // fftw_complex
    pairs[0][0] = 3;
    plan.execute(pairs, spectrum);
    EXPECT_EQ(spectrum[7][0], 3);
    const void* const raw = in.data();
    plan.execute(raw, static_cast<void*>(out.data()));
    EXPECT_MENTIONS(complaint(std::vector<int>(), [&] { swirl::plan("dft 8 float32").execute(in, out); }),
                    "elements of 16 bytes");
}

TEST(Planning, EndsWhenItIsCancelled) {
    int questions = 0;
    const auto planned = [&](int most) {
        questions = 0;
        return swirl::plan("dft 720", {.effort = swirl::Effort::measure,
                                       .time_budget_seconds = 0.1,
                                       .cancelled = [&, most] { return ++questions > most; },
                                       .use_wisdom = false});
    };
    EXPECT_THROW(planned(0), swirl::Cancelled);
    EXPECT_THROW(planned(1), swirl::Cancelled);
    EXPECT_NO_THROW(planned(1000000));
    EXPECT_GT(questions, 1);
}

TEST(Planning, AsksBeforeEachSampleWhetherItIsCancelled) {
    for (const char* text : {"dft 720", "gemm 1000x1000x1000 float32"}) {
        int questions = 0;
        swirl::plan(text, {.effort = swirl::Effort::measure,
                           .time_budget_seconds = 2,
                           .cancelled = [&] { return ++questions < 0; },
                           .use_wisdom = false});
        // The first comparison alone has several samples of two candidates.
        EXPECT_GT(questions, 6) << text;
        for (const int most : {2, 4, 6}) {
            int asked = 0;
            EXPECT_THROW(swirl::plan(text, {.effort = swirl::Effort::measure,
                                            .time_budget_seconds = 60,
                                            .cancelled = [&] { return ++asked > most; },
                                            .use_wisdom = false}),
                         swirl::Cancelled)
                << text;
            EXPECT_EQ(asked, most + 1) << text;
        }
    }
}

TEST(Planning, KeepsTheBestSoFarWhenTheUserHasEnough) {
    for (const char* text : {"dft 720", "gemm 1000x1000x1000 float32", "dft 48x48"}) {
        for (const int most : {0, 3, 40}) {
            int asked = 0;
            // Measuring few candidates with clear times may end by itself before the fortieth question.
            const auto effort = most > 3 ? swirl::Effort::exhaustive : swirl::Effort::measure;
            const swirl::Plan plan = swirl::plan(text, {.effort = effort,
                                                        .time_budget_seconds = 600,
                                                        .enough = [&] { return ++asked > most; },
                                                        .use_wisdom = false});
            EXPECT_GT(asked, most) << text;
            EXPECT_FALSE(plan.schedule().empty()) << text;
        }
    }
}

TEST(Planning, AsksWithinTheCheckWhetherItIsCancelled) {
    int questions = 0;
    const auto planned = [&](int most) {
        questions = 0;
        return swirl::plan("dft 2^19",
                           {.cancelled = [&, most] { return ++questions > most; }, .use_wisdom = false});
    };
    EXPECT_THROW(planned(12), swirl::Cancelled);
    EXPECT_EQ(questions, 13);
    EXPECT_NE(planned(1000000).description().find("checked: yes\n"), std::string::npos);
}

TEST(Planning, AsksWhileTablesAreFilledWhetherItIsCancelled) {
    for (const char* text : {"dft 1000003 float32", "dft 1000003 backward"}) {
        int questions = 0;
        const auto planned = [&](int most) {
            questions = 0;
            return swirl::plan(
                text,
                {.cancelled = [&, most] { return ++questions > most; }, .check = false, .use_wisdom = false});
        };
        planned(1000000);
        const int all = questions;
        EXPECT_GT(all, 20) << text << ": of up to 2^14 entries each";
        EXPECT_THROW(planned(all / 2), swirl::Cancelled) << text;
        EXPECT_EQ(questions, all / 2 + 1) << text;
    }
}

TEST(Planning, RefusesWhatCannotBe) {
    EXPECT_THROW(swirl::plan("dft"), swirl::SyntaxError);
    EXPECT_THROW(swirl::plan("dft 0"), swirl::UserError);
    EXPECT_THROW(swirl::problem("wht 12"), swirl::UserError);
    EXPECT_THROW(swirl::plan("dft 8", {.cpu = "abacus"}), swirl::UserError);
    EXPECT_THROW(swirl::plan("dft 8", {.schedule = "nonsense"}), swirl::UserError);
    EXPECT_THROW(swirl::plan("dft 8", {.effort = swirl::Effort::measure, .time_budget_seconds = -1}),
                 swirl::UserError);
    const std::string schedule = swirl::plan("dft 8").schedule();
    EXPECT_THROW(swirl::plan("rdft 8x8", {.schedule = schedule}), swirl::UserError);
    EXPECT_THROW(swirl::plan("dft 8", {.cpu = "abacus", .schedule = schedule}), swirl::UserError);
}

TEST(Planning, RefusesACpuThatThisMachineIsNot) {
    const std::string best = swirl::plan("dft 8").schedule();
    const std::string passes = best.substr(best.find(':'));
    for (const std::string cpu : {"avx512", "neon"}) {
        if (best.rfind(cpu + ":", 0) == 0) continue;
        EXPECT_THROW(swirl::plan("dft 8", {.cpu = cpu}), swirl::Unavailable) << cpu;
        EXPECT_THROW(swirl::plan("dft 8", {.schedule = cpu + passes}), swirl::Unavailable) << cpu;
    }
}

TEST(Planning, TakesProblemsMadeByBuilders) {
    swirl::TransformOptions options;
    options.direction = swirl::Direction::backward;
    options.batches = {{.count = 2}};
    const swirl::Transform problem = swirl::Transform::dft({3, 5}, options);
    EXPECT_EQ(swirl::to_text(problem), "dft 3x5 backward batch=2");
    expect_right<double>(swirl::to_text(problem));
}

TEST(Version, IsThreeNumbers) {
    int major = -1, minor = -1, patch = -1;
    EXPECT_EQ(std::sscanf(std::string(swirl::version()).c_str(), "%d.%d.%d", &major, &minor, &patch), 3);
}

} // namespace execute_test

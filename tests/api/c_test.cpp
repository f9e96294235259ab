#include "api/c_interface.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace c_test {

using Complex = std::complex<double>;
using c::expect_error;
using c::text_of;

TEST(C, TransformsAnImpulse) {
    const c::Plan plan = c::plan("dft 12");
    std::vector<Complex> x(12), y(12);
    x[0] = {2, 1};
    ASSERT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_OK) << swirl_last_error();
    for (const Complex& value : y) EXPECT_LT(std::abs(value - Complex(2, 1)), 1e-15);
}

TEST(C, BuildsProblemsIncrementally) {
    const c::Problem problem = c::transform(SWIRL_DFT, {6, 10});
    EXPECT_EQ(text_of(problem), "dft 6x10");
    const std::int64_t strides[] = {1, 6};
    EXPECT_EQ(swirl_problem_set_direction(problem.get(), SWIRL_BACKWARD), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_data_type(problem.get(), SWIRL_FLOAT32), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_placement(problem.get(), SWIRL_OUT_OF_PLACE), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_layout(problem.get(), SWIRL_INTERLEAVED), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_scale(problem.get(), 0.5), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_strides(problem.get(), SWIRL_INPUT, strides), SWIRL_OK);
    EXPECT_EQ(swirl_problem_add_batch(problem.get(), 2), SWIRL_OK);
    EXPECT_EQ(swirl_problem_add_strided_batch(problem.get(), 3, 60, 61), SWIRL_OK);
    EXPECT_EQ(text_of(problem), "dft 6x10 backward float32 in=(1,6) batch=2x3:(60,61) scale=0.5");

    const c::Plan plan = c::plan(problem);
    EXPECT_EQ(swirl_plan_problem(plan.get()), text_of(problem));
    EXPECT_NE(std::string(swirl_plan_schedule(plan.get())), "");
    EXPECT_NE(std::string(swirl_plan_description(plan.get())), "");
    EXPECT_EQ(swirl_plan_device(plan.get()), SWIRL_CPU);
    EXPECT_GT(swirl_plan_flops(plan.get()), 0);
    EXPECT_GT(swirl_plan_bytes(plan.get()), 0);
}

TEST(C, ShortensTextsAndTellsTheirLength) {
    const c::Problem problem = c::transform(SWIRL_DFT, {1024});
    std::array<char, 6> text{};
    std::size_t length = 0;
    EXPECT_EQ(swirl_problem_text(problem.get(), text.data(), text.size(), &length), SWIRL_OK);
    EXPECT_STREQ(text.data(), "dft 1");
    EXPECT_EQ(length, 8U);
    EXPECT_EQ(swirl_problem_text(problem.get(), nullptr, 0, &length), SWIRL_OK);
}

TEST(C, UsesTheCallersWorkspace) {
    const c::Plan plan = c::plan("dft 2039"); // a convolution longer than the array of results
    const std::size_t bytes = swirl_plan_workspace_bytes(plan.get());
    ASSERT_GT(bytes, 0U);
    std::vector<Complex> x(2039, 1.0), y(2039);
    const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(64, (bytes + 63) / 64 * 64),
                                                        std::free);
    const swirl_array arrays[] = {{"input", x.data(), nullptr}, {"output", y.data(), nullptr}};
    swirl_execution execution = SWIRL_EXECUTION_INIT;
    execution.workspace = memory.get();
    execution.workspace_bytes = bytes;
    ASSERT_EQ(swirl_execute_arrays(plan.get(), arrays, 2, &execution), SWIRL_OK) << swirl_last_error();
    EXPECT_NEAR(y[0].real(), 2039, 1e-10);
    --execution.workspace_bytes;
    expect_error(swirl_execute_arrays(plan.get(), arrays, 2, &execution), SWIRL_USER_ERROR, "workspace");
}

TEST(C, ExecutesPlanarData) {
    const c::Plan plan = c::plan("dft 8 planar");
    std::vector<double> x(8, 1.0), zero(8, 0.0), y(8), y_imaginary(8, 1.0);
    ASSERT_EQ(swirl_execute_planar(plan.get(), x.data(), zero.data(), y.data(), y_imaginary.data()), SWIRL_OK)
        << swirl_last_error();
    EXPECT_EQ(y, (std::vector<double>{8, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(y_imaginary, zero);
    expect_error(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_USER_ERROR, "swirl_execute_planar");
    expect_error(
        swirl_execute_planar(c::plan("dft 8").get(), x.data(), zero.data(), y.data(), y_imaginary.data()),
        SWIRL_USER_ERROR, "swirl_execute");
}

TEST(C, NamesArgumentsThatCannotBe) {
    swirl_problem* problem = nullptr;
    const std::int64_t length = 8;
    expect_error(swirl_problem_create_transform(99, 1, &length, &problem), SWIRL_USER_ERROR, "kind");
    EXPECT_EQ(problem, nullptr);
    expect_error(swirl_problem_create_transform(-1, 1, &length, &problem), SWIRL_USER_ERROR, "kind");
    expect_error(swirl_problem_create_transform(SWIRL_DFT, 0, &length, &problem), SWIRL_USER_ERROR, "rank");
    expect_error(swirl_problem_create_transform(SWIRL_DFT, std::size_t{1} << 62, &length, &problem),
                 SWIRL_USER_ERROR, "at most 64");
    expect_error(swirl_problem_create_transform(SWIRL_DFT, 1, nullptr, &problem), SWIRL_USER_ERROR,
                 "lengths");
    expect_error(swirl_problem_create_transform(SWIRL_DFT, 1, &length, nullptr), SWIRL_USER_ERROR, "problem");

    const c::Problem good = c::transform(SWIRL_DFT, {8});
    expect_error(swirl_problem_set_direction(good.get(), 2), SWIRL_USER_ERROR, "direction");
    expect_error(swirl_problem_set_data_type(good.get(), SWIRL_INT8), SWIRL_USER_ERROR, "data_type");
    expect_error(swirl_problem_set_layout(good.get(), 7), SWIRL_USER_ERROR, "layout");
    expect_error(swirl_problem_set_placement(good.get(), -3), SWIRL_USER_ERROR, "placement");
    expect_error(swirl_problem_set_strides(good.get(), 2, &length), SWIRL_USER_ERROR, "side");
    expect_error(swirl_problem_set_strides(good.get(), SWIRL_INPUT, nullptr), SWIRL_USER_ERROR, "strides");
    expect_error(swirl_problem_set_scale(nullptr, 1), SWIRL_USER_ERROR, "problem");
    EXPECT_EQ(text_of(good), "dft 8");

    swirl_plan* plan = nullptr;
    expect_error(swirl_plan_from_text(nullptr, nullptr, &plan), SWIRL_USER_ERROR, "problem");
    expect_error(swirl_plan_from_text("dft 8", nullptr, nullptr), SWIRL_USER_ERROR, "plan");
    expect_error(swirl_plan_from_text("dft 8 sideways", nullptr, &plan), SWIRL_USER_ERROR,
                 "expected an option");
    expect_error(swirl_plan_from_text("dft 0", nullptr, &plan), SWIRL_USER_ERROR,
                 "length of dimension 0 is 0");
    EXPECT_EQ(plan, nullptr);

    std::vector<Complex> x(8, 1.0), y(8, 5.0);
    expect_error(swirl_execute(nullptr, x.data(), y.data()), SWIRL_USER_ERROR, "plan");
    const c::Plan good_plan = c::plan("dft 8");
    expect_error(swirl_execute(good_plan.get(), nullptr, y.data()), SWIRL_USER_ERROR, "input");
    expect_error(swirl_execute(good_plan.get(), x.data(), nullptr), SWIRL_USER_ERROR, "output");
    expect_error(swirl_execute(good_plan.get(), x.data(), x.data() + 4), SWIRL_USER_ERROR, "overlap");
    EXPECT_EQ(y, std::vector<Complex>(8, 5.0)) << "written before the error";
}

TEST(C, ProblemsFromTextCanBeChanged) {
    swirl_problem* made = nullptr;
    ASSERT_EQ(swirl_problem_from_text("rdft 8x6 float32 batch=4", &made), SWIRL_OK) << swirl_last_error();
    const c::Problem problem(made);
    ASSERT_EQ(swirl_problem_set_placement(made, SWIRL_IN_PLACE), SWIRL_OK);
    EXPECT_EQ(swirl_problem_set_batch(made, 2), SWIRL_USER_ERROR);
    ASSERT_EQ(swirl_problem_from_text("gemm 4x5x6 float32 a=rows", &made), SWIRL_OK);
    const c::Problem product(made);
    EXPECT_EQ(text_of(product), "gemm 4x5x6 float32 a=rows");
    EXPECT_EQ(swirl_problem_from_text("gems 4x5x6", &made), SWIRL_USER_ERROR);
    EXPECT_EQ(made, nullptr);
}

TEST(C, NamesEveryKindOfTransform) {
    const std::pair<int, const char*> kinds[] = {{SWIRL_DFT, "dft 4"},
                                                 {SWIRL_REAL_DFT, "rdft 4"},
                                                 {SWIRL_WHT, "wht 4"},
                                                 {SWIRL_DCT1, "dct1 4"},
                                                 {SWIRL_DCT2, "dct2 4"},
                                                 {SWIRL_DCT3, "dct3 4"},
                                                 {SWIRL_DCT4, "dct4 4"},
                                                 {SWIRL_DST1, "dst1 4"},
                                                 {SWIRL_DST2, "dst2 4"},
                                                 {SWIRL_DST3, "dst3 4"},
                                                 {SWIRL_DST4, "dst4 4"},
                                                 {SWIRL_DHT, "dht 4"},
                                                 {SWIRL_R2HC, "r2hc 4"},
                                                 {SWIRL_HC2R, "hc2r 4"},
                                                 {SWIRL_CONVOLUTION, "convolution 4"},
                                                 {SWIRL_REAL_CONVOLUTION, "rconvolution 4"},
                                                 {SWIRL_DCT5, "dct5 4"},
                                                 {SWIRL_DCT6, "dct6 4"},
                                                 {SWIRL_DCT7, "dct7 4"},
                                                 {SWIRL_DCT8, "dct8 4"},
                                                 {SWIRL_DST5, "dst5 4"},
                                                 {SWIRL_DST6, "dst6 4"},
                                                 {SWIRL_DST7, "dst7 4"},
                                                 {SWIRL_DST8, "dst8 4"},
                                                 {SWIRL_WHT_DYADIC, "wht_dyadic 4"},
                                                 {SWIRL_WHT_SEQUENCY, "wht_sequency 4"}};
    const std::int64_t length = 4;
    for (const auto& [kind, text] : kinds) {
        swirl_problem* made = nullptr;
        ASSERT_EQ(swirl_problem_create_transform(kind, 1, &length, &made), SWIRL_OK) << swirl_last_error();
        const c::Problem problem(made);
        EXPECT_EQ(text_of(problem), text);
    }
}

TEST(C, TransformsAlongDimensionsOfDifferentKinds) {
    swirl_problem* made = nullptr;
    const int kinds[] = {SWIRL_DCT2, SWIRL_HC2R};
    const std::int64_t lengths[] = {2, 3};
    ASSERT_EQ(swirl_problem_create_mixed(2, kinds, lengths, &made), SWIRL_OK) << swirl_last_error();
    const c::Problem problem(made);
    EXPECT_EQ(text_of(problem), "dct2,hc2r 2x3");
    const double x[6] = {1, 0, 0, 0, 0, 0};
    double y[6] = {};
    EXPECT_EQ(swirl_execute(c::plan(problem).get(), x, y), SWIRL_OK) << swirl_last_error();
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(y[i], i < 3 ? 2 : std::sqrt(2), 1e-15);

    const int complex[] = {SWIRL_DCT2, SWIRL_DFT};
    ASSERT_EQ(swirl_problem_create_mixed(2, complex, lengths, &made), SWIRL_OK);
    const c::Problem wrong(made);
    swirl_plan* plan = nullptr;
    expect_error(swirl_plan_create(wrong.get(), nullptr, &plan), SWIRL_USER_ERROR, "dimension 1 is dft");
    EXPECT_EQ(swirl_problem_create_mixed(0, kinds, lengths, &made), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_problem_create_mixed(2, nullptr, lengths, &made), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_problem_create_mixed(2, kinds, nullptr, &made), SWIRL_USER_ERROR);
    EXPECT_EQ(made, nullptr);
}

TEST(C, SearchesExhaustively) {
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.effort = SWIRL_EXHAUSTIVE;
    options.use_wisdom = 0;
    const c::Plan plan = c::plan("wht 4", &options);
    const double x[4] = {1, 0, 0, 0};
    double y[4] = {};
    EXPECT_EQ(swirl_execute(plan.get(), x, y), SWIRL_OK);
    for (const double value : y) EXPECT_EQ(value, 1);
}

TEST(C, ReportsProgressAndCancels) {
    struct Calls {
        int lines = 0, questions = 0;
    } calls;
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.effort = SWIRL_MEASURE;
    options.use_wisdom = 0;
    options.time_budget_seconds = 0.1;
    options.progress = [](const char*, void* context) { ++static_cast<Calls*>(context)->lines; };
    options.cancelled = [](void* context) {
        ++static_cast<Calls*>(context)->questions;
        return 0;
    };
    options.context = &calls;
    c::plan("dft 720", &options);
    EXPECT_GT(calls.lines, 0);
    EXPECT_GT(calls.questions, calls.lines);
    options.cancelled = [](void* context) { return ++static_cast<Calls*>(context)->questions > 1 ? 1 : 0; };
    calls = {};
    swirl_plan* plan = nullptr;
    expect_error(swirl_plan_from_text("dft 720", &options, &plan), SWIRL_CANCELLED, "cancelled");
    EXPECT_EQ(plan, nullptr);
    EXPECT_EQ(calls.lines, 0);
}

TEST(C, OlderOptionStructsGetDefaults) {
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.struct_size = offsetof(swirl_options, effort);
    options.effort = 99; // of a member that this version does not have
    EXPECT_NE(c::plan("dft 8", &options), nullptr);
    options.struct_size = 0;
    swirl_plan* plan = nullptr;
    expect_error(swirl_plan_from_text("dft 8", &options, &plan), SWIRL_USER_ERROR, "struct_size is 0");
    struct Later {
        swirl_options options;
        std::int64_t more;
    } later = {SWIRL_OPTIONS_INIT, 0};
    later.options.struct_size = sizeof later;
    EXPECT_NE(c::plan("dft 8", &later.options), nullptr);
    later.more = 1;
    expect_error(swirl_plan_from_text("dft 8", &later.options, &plan), SWIRL_UNSUPPORTED, "a member");
    swirl_options set;
    ASSERT_EQ(swirl_options_init(&set, sizeof set), SWIRL_OK);
    const swirl_options defaults = SWIRL_OPTIONS_INIT;
    EXPECT_EQ(set.struct_size, defaults.struct_size);
    EXPECT_EQ(set.threads, defaults.threads);
    EXPECT_EQ(set.effort, defaults.effort);
}

TEST(C, PlansForSeveralThreads) {
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.use_wisdom = 0;
    options.threads = -1;
    swirl_plan* none = nullptr;
    expect_error(swirl_plan_from_text("dft 8", &options, &none), SWIRL_USER_ERROR, "threads is -1");
    options.threads = 0;
    EXPECT_EQ(swirl_plan_threads(c::plan("dft 8", &options).get()), 1) << "too small to be shared";
    std::vector<Complex> x(65536), one(x.size()), two(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = {static_cast<double>(k % 17), static_cast<double>(k % 5)};
    options.threads = 1;
    const c::Plan for_one =
        c::plan("dft 65536", &options); // both by the same model, whatever the user's wisdom knows
    EXPECT_EQ(swirl_plan_threads(for_one.get()), 1);
    options.threads = 2;
    const c::Plan for_two = c::plan("dft 65536", &options);
    EXPECT_EQ(swirl_plan_threads(for_two.get()), 2);
    EXPECT_EQ(swirl_execute(for_one.get(), x.data(), one.data()), SWIRL_OK);
    EXPECT_EQ(swirl_execute(for_two.get(), x.data(), two.data()), SWIRL_OK);
    EXPECT_EQ(one, two);
    EXPECT_EQ(swirl_plan_threads(nullptr), 0);
}

TEST(C, MessagesAreThreadLocal) {
    swirl_plan* plan = nullptr;
    EXPECT_EQ(swirl_plan_from_text("dft 0", nullptr, &plan), SWIRL_USER_ERROR);
    std::string elsewhere = "?";
    std::thread([&] { elsewhere = swirl_last_error(); }).join();
    EXPECT_EQ(elsewhere, "");
    EXPECT_NE(std::string(swirl_last_error()), "");
}

TEST(C, ToleratesNullWhereItSaysSo) {
    swirl_plan_destroy(nullptr);
    swirl_problem_destroy(nullptr);
    EXPECT_EQ(swirl_plan_problem(nullptr), nullptr);
    EXPECT_EQ(swirl_plan_schedule(nullptr), nullptr);
    EXPECT_EQ(swirl_plan_workspace_bytes(nullptr), 0U);
}

/// The header and the first program in a language.
void expect_compiles(const std::string& compiler) {
    const std::string command = compiler + " -Wall -Wextra -pedantic -Werror -fsyntax-only -I" +
                                SWIRL_SOURCE_DIR + "/include " + SWIRL_SOURCE_DIR + "/examples/first.c";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST(C, IsC99) { expect_compiles(std::string(SWIRL_C_COMPILER) + " -std=c99"); }

TEST(C, IsCpp11AndCpp17) {
    expect_compiles(std::string(SWIRL_C_COMPILER) + " -x c++ -std=c++11");
    expect_compiles(std::string(SWIRL_C_COMPILER) + " -x c++ -std=c++17");
}

TEST(C, HasTheVersionOfTheLibrary) {
    EXPECT_EQ(std::to_string(SWIRL_VERSION_MAJOR) + "." + std::to_string(SWIRL_VERSION_MINOR) + "." +
                  std::to_string(SWIRL_VERSION_PATCH),
              swirl_version());
}

} // namespace c_test
